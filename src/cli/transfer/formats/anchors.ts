import { Parser } from 'htmlparser2';
import type TurndownService from 'turndown';
import { cutText } from '../../../lib/markdown-text.ts';
import { HEADING_ID_MAX, slugifyAny } from '../../../lib/slug.ts';

/** Stands where a link of the text leads to, until it is written as Markdown: an element that may be in any other. */
const MARK = 'data-anchor';

/** An id that the service keeps. */
const KEPT = /^[^\s\p{C}"'`<>&{}]{1,120}$/u;

/** Text may begin in these, or behind a box: the mark goes into the first of it. */
const AROUND_TEXT = new Set(
  'p h1 h2 h3 h4 h5 h6 li div section article aside main header footer blockquote td th dd dt figure figcaption center address span label input'.split(
    ' ',
  ),
);
/** What becomes one thing: of a mark within it nothing would be left, so it stands before. Of `a` those with an address. */
const ONE_THING = new Set(
  'a pre code summary button select textarea svg math video audio iframe object script style template noscript'.split(
    ' ',
  ),
);
/** Without an element of this id, the beginning of the page. */
const TOP = /^top$/i;

/** Elements that are open at once; the parser's time grows with the square. */
const MAX_OPEN = 1000;

class TooDeep extends Error {}

/** The place within the page that an address leads to; undefined for others, and for the page's beginning. */
function placeOf(href: string | undefined): string | undefined {
  const written = href?.trim();
  if (!written?.startsWith('#') || written === '#') return undefined;
  try {
    return decodeURIComponent(written.slice(1));
  } catch {
    return written.slice(1);
  }
}

/** Places that links lead to, and where in the HTML elements have ids. */
class Anchors {
  readonly wanted = new Set<string>();
  readonly places = new Map<string, number>();
  /** Ids of which the place is behind what was read so far. */
  #waiting: string[] = [];
  #open = 0;
  /** Of the things that are one: how many are open, and where the first of them begins. */
  #things = 0;
  #thingAt = 0;
  /** Marks of footnotes of WordPress, whose links are written anew. */
  #footnotes = 0;

  open(name: string, attributes: Readonly<Record<string, string>>, at: number): void {
    if (++this.#open > MAX_OPEN) throw new TooDeep();
    if (this.#footnotes > 0 || (name === 'sup' && 'data-fn' in attributes)) this.#footnotes++;
    const isThing = ONE_THING.has(name) && (name !== 'a' || 'href' in attributes);
    if (isThing && this.#things === 0) this.#thingAt = at;
    if (this.#things > 0 || isThing) this.#things++;
    const place = name === 'a' ? placeOf(attributes['href']) : undefined;
    if (place !== undefined && this.#footnotes === 0) this.wanted.add(place);
    const ids = [attributes['id'], name === 'a' ? attributes['name'] : undefined].filter((id) => id !== undefined);
    this.#waiting.push(...ids);
    if (this.#things > 0) this.#put(this.#thingAt);
    else if (!AROUND_TEXT.has(name)) this.#put(at);
  }

  text(text: string, at: number): void {
    if (text.trim() !== '') this.#put(at + text.length - text.trimStart().length);
  }

  close(name: string, at: number): void {
    this.#open--;
    if (this.#footnotes > 0) this.#footnotes--;
    if (this.#things > 0) this.#things--;
    if (name !== 'input') this.#put(at);
  }

  #put(at: number): void {
    for (const id of this.#waiting) if (!this.places.has(id)) this.places.set(id, at);
    this.#waiting = [];
  }
}

function read(html: string): Anchors | undefined {
  const anchors = new Anchors();
  const parser = new Parser({
    onopentag: (name, attributes) => anchors.open(name, attributes, parser.startIndex),
    ontext: (text) => anchors.text(text, parser.startIndex),
    onclosetag: (name) => anchors.close(name, parser.startIndex),
  });
  try {
    parser.end(html);
    return anchors;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

/** The HTML with marks where links of its own lead to; a note tells of those that lead nowhere. */
export function withAnchors(html: string, note: (text: string) => void): string {
  const anchors = /href\s*=\s*["']?\s*#/i.test(html) ? read(html) : undefined;
  if (anchors === undefined) return html;
  const { wanted, places } = anchors;
  const [first, ...more] = [...wanted].filter((id) => (!KEPT.test(id) || !places.has(id)) && !TOP.test(id));
  if (first !== undefined)
    note(`link #${cutText(first, 60)}${more.length > 0 ? ` and ${more.length} more` : ''} leads nowhere`);
  let from = 0;
  const parts: string[] = [];
  for (const [id, at] of [...places].toSorted(([, a], [, b]) => a - b)) {
    if (!wanted.has(id) || !KEPT.test(id)) continue;
    parts.push(html.slice(from, at), `<wbr ${MARK}="${id}">`);
    from = at;
  }
  return [...parts, html.slice(from)].join('');
}

/** HTML that stays as it is has the ids themselves. */
export const withoutMarks = (html: string): string => html.replaceAll(/<wbr data-anchor="[^"]*">/g, '');

export const isMark = (node: Node): boolean =>
  node.nodeName === 'WBR' && (node as Parameters<TurndownService.FilterFunction>[0]).hasAttribute(MARK);

const idOf = (node: Element | null): string => node?.getAttribute(MARK) ?? '';
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** What stays as it is between `{#` and `}`. */
const PLAIN = /^[\p{L}\p{M}\p{N}.:_-]+$/u;
/** Begins or ends emphasis. */
const EMPHASIS = /(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/u;

/** The mark that becomes the id of a heading. */
function ofHeading(heading: Element): Element | null {
  const first = heading.querySelector(`[${MARK}]`);
  return PLAIN.test(idOf(first)) && !EMPHASIS.test(idOf(first)) ? first : null;
}

/** Anchors that links of the text lead to: that of a heading is its id, others stay elements. */
export function addAnchors(service: TurndownService): void {
  const texts = new Set<string>();
  service.addRule('anchor', {
    filter: isMark,
    replacement(_content, node) {
      const heading = node.closest(HEADINGS.join(','));
      return heading !== null && ofHeading(heading) === node ? '' : `<a id="${idOf(node)}"></a>`;
    },
  });
  service.addRule('heading', {
    filter: [...HEADINGS],
    replacement(content, node) {
      const id = idOf(ofHeading(node));
      // The id that the service makes of the text of the first heading that has it.
      const own = slugifyAny(node.textContent ?? '', HEADING_ID_MAX);
      // Without a text the notation would be the text.
      if (content.trim() === '') return id === '' ? '' : `\n\n<a id="${id}"></a>\n\n`;
      const chosen = id === '' || (id === own && !texts.has(own)) ? '' : ` {#${id}}`;
      texts.add(own);
      const text = content.trim().replace(/\{(?=#[^\s{}]+(?:[ \t][^{}]*)?\}$)/, '\\{');
      return `\n\n${'#'.repeat(Number(node.nodeName.slice(1)))} ${text}${chosen}\n\n`;
    },
  });
}
