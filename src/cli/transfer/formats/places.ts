import { cutText } from '../../../lib/markdown-text.ts';
import { HEADING_ID_MAX, slugify, slugifyAny } from '../../../lib/slug.ts';
import type { Fit } from './fit.ts';
import { shownIds } from './shown-ids.ts';

const HEADING = /^[\s>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?#{1,6}\s/;
/** Makes a heading of the paragraph before. */
const UNDERLINE = /^[\s>]*(?:=+|-+)\s*$/;
const IDS = /\s(?:id|name)\s*=\s*["']?([^\s"'<>]+)/gi;
/** Of a heading, as Hugo and kramdown have it. */
const CHOSEN = /\{[^{}#]*#([^\s{}]+)/g;
/** The service makes those of footnotes, and the beginning of a page is there. */
const THERE = /^#(?:fn(?:ref)?[:-]?\d|top$)/i;

/** What ids of all systems keep of a text: letters and digits. */
const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The text of a heading without its marks. */
const shown = (markdown: string): string =>
  markdown
    .replaceAll(/\]\([^()]*\)/g, ']')
    .replaceAll(/<[^<>]*>|&#?\w+;|\{[^{}]*\}/g, '')
    .replace(HEADING, '');

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/**
 * Links to places of their own page, and the places that there are. A place counts as found when its letters and digits are those of
 * a heading or an id, code included: what is told of a link that works would have somebody look for nothing.
 */
export class Places {
  readonly #links = new Set<string>();
  readonly #ids = new Set<string>();
  /** Of elements, shown or not. */
  readonly #written = new Set<string>();
  readonly #html: string[] = [];
  readonly #headings = new Set<string>();
  #paragraph = '';

  link(address: string): void {
    if (/^#./.test(address) && !THERE.test(address)) this.#links.add(address);
  }

  /** A line, and what of it is no code. */
  line(line: string, text: string): void {
    for (const [, id = ''] of line.matchAll(CHOSEN)) this.#ids.add(id);
    const isRead = text === line;
    for (const [, id = ''] of line.matchAll(IDS)) (isRead ? this.#written : this.#ids).add(id);
    this.#html.push(text);
    if (HEADING.test(line)) this.#headings.add(line);
    else if (UNDERLINE.test(line) && this.#paragraph !== '') this.#headings.add(this.#paragraph);
    else {
      this.#paragraph = line.trim() === '' ? '' : `${this.#paragraph} ${line}`;
      return;
    }
    this.#paragraph = '';
  }

  note(fit: Fit): void {
    if (this.#links.size === 0) return;
    const found = this.#found();
    // The second of two headings of one text has a number behind it.
    const leads = (place: string): boolean => found.has(bare(place)) || found.has(bare(place.replace(/-\d+$/, '')));
    const [first, ...more] = [...this.#links].filter((address) => !leads(decoded(address)));
    if (first === undefined) return;
    fit.note(`link ${cutText(first, 60)}${more.length > 0 ? ` and ${more.length} more` : ''} leads nowhere`);
  }

  /** Of most texts nobody asks. */
  #found(): Set<string> {
    const ids = this.#written.size === 0 ? [] : (shownIds(this.#html.join('\n')) ?? this.#written);
    const found = new Set([...this.#ids, ...ids].map(bare));
    for (const heading of this.#headings) {
      const text = shown(heading);
      // Its id, and what that was before (`Headings`).
      for (const slug of [slugifyAny(text, HEADING_ID_MAX), slugify(text, HEADING_ID_MAX)])
        found.add(bare(slug || 'section'));
      found.add(bare(text));
    }
    return found;
  }
}
