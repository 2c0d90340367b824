import TurndownService from 'turndown';
import { addAnchors, withAnchors } from './anchors.ts';
import { addCode } from './code.ts';
import { EMBEDS, embedLink } from './embeds.ts';
import { addEmphasis } from './emphasis.ts';
import { MAX } from './fit.ts';
import { addFootnotes, Footnotes, type NumberOf } from './footnotes.ts';
import { addImages } from './images.ts';
import { addKeptHtml } from './kept-html.ts';
import { addLinks } from './links.ts';
import { addLists } from './lists.ts';
import { addTables } from './tables.ts';

/** Longer HTML than this gives no text that the service takes, and its tree would fill the memory. Characters. */
const MAX_HTML = 4 * MAX.body;

/** Elements in each other; the library's time grows with the square of it (20,000 took a minute). */
const MAX_DEPTH = 200;

/** HTML that cannot become Markdown, with the reason. */
export class HtmlError extends Error {
  override readonly name = 'HtmlError';
}

export interface Converted {
  markdown: string;
  /** What Markdown cannot hold, for the report. */
  notes: string[];
}

/** What does something in a page, or nothing to be read. */
export const DROPPED = [
  'script',
  'style',
  'noscript',
  'template',
  'form',
  'input',
  'button',
  'select',
  'textarea',
] as const;

/** Buttons, clocks and icons of Ghost's cards, and the second link of a file of WordPress: no part of the text, and nothing to tell of. */
const FURNITURE =
  '.kg-audio-player,.kg-video-player,.kg-video-overlay,.kg-file-card-icon,.kg-toggle-card-icon,.kg-bookmark-icon,.wp-block-file__button';

type Note = (text: string) => void;

/** In a bare address a backslash would be a part of it. What could be a mark all the same is written as an address may. */
const withoutBackslashes = (url: string): string =>
  url
    .replaceAll(/(?<=[a-z0-9])\\_(?=[a-z0-9])/gi, '_')
    .replaceAll('\\_', '%5F')
    .replaceAll('\\*', '%2A')
    .replaceAll('\\~', '%7E');

/** Behind an address they are none of it, as readers of Markdown have it for one that stands bare. */
const PUNCTUATION = `"'.,;:!?…”’»`;

/** Bare addresses stay whole; the marks of one that stands between them, as in `_https://x.example/_`, stay outside. */
const withWholeAddresses = (markdown: string): string =>
  markdown.replaceAll(/(\\[_*])?(https?:\/\/[^\s<>[\]()]+)/g, (_found, mark: string | undefined, written: string) => {
    let end = written.length;
    // Of the bracket behind it, which ends the address.
    const bracket = /(?<!\\)(?:\\\\)*\\$/.test(written) ? 1 : 0;
    end -= bracket;
    while (mark !== undefined && written.endsWith(mark, end)) end -= mark.length;
    while (end < written.length && PUNCTUATION.includes(written[end - 1] as string)) end--;
    if (end === written.length) return `${mark ?? ''}${withoutBackslashes(written)}`;
    return `${mark ?? ''}<${written.slice(0, end).replaceAll(/\\([_*~])/g, '$1')}>${written.slice(end)}`;
  });

/** Marks that the library does not know of: `1)`, of struck text, and those of lists and headings that are the whole line. */
const withoutMarks = (escaped: string): string =>
  escaped
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
    .replace(/^(?:\+|#{1,6})$/, '\\$&')
    .replace(/^\\(?=~~~)/, '')
    .replaceAll(/~{2,}/g, (marks) => marks.replaceAll('~', '\\~'));

/** The library leaves `<div>` and `&lt;` of a text as they are, which Markdown takes for an element and a `<`. */
const withoutHtml = (markdown: string): string =>
  markdown.replaceAll(/<(?=[a-z/!?])|&(?=#?[a-z0-9]+;)/gi, (mark) => `\\${mark}`);

const isBlock = (node: object): boolean => 'isBlock' in node && node.isBlock === true;

function converter(note: Note, numberOf: NumberOf): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
    // Its spaces are kept for a block that it may be.
    preformattedCode: true,
    // The library takes an object without a text for nothing.
    blankReplacement(_text, node) {
      if (node.nodeName === 'OBJECT') return embedLink(node, inLink, note);
      return isBlock(node) ? '\n\n' : node.nodeName === 'CODE' && node.textContent ? ' ' : '';
    },
  });
  addTables(service, numberOf);
  addEmphasis(service);
  const escape = service.escape.bind(service);
  const inLink = (text: string): string => withoutHtml(withoutMarks(escape(text)));
  service.escape = (text) => withWholeAddresses(inLink(text));
  addAnchors(service);
  addLinks(service, inLink, note);
  addCode(service, numberOf);
  // A heading is one line.
  service.addRule('break in a heading', {
    filter: (node) => node.nodeName === 'BR' && node.closest('h1,h2,h3,h4,h5,h6') !== null,
    replacement: () => ' ',
  });
  addImages(service, note);
  addKeptHtml(service, numberOf);
  service.addRule('embed', { filter: [...EMBEDS], replacement: (_text, node) => embedLink(node, inLink, note) });
  service.addRule('dropped', {
    filter: [...DROPPED],
    replacement(_text, node) {
      if (node.closest(FURNITURE) === null) note(`${node.nodeName.toLowerCase()} left out`);
      return '';
    },
  });
  addFootnotes(service, numberOf);
  // The last rule that is added is asked first: a box of a task is an input.
  addLists(service);
  service.addRule('publisher', {
    filter: (node) => node.matches('.kg-bookmark-author + .kg-bookmark-publisher'),
    replacement: (content) => ` · ${content}`,
  });
  service.addRule('furniture', { filter: (node) => node.matches(FURNITURE), replacement: () => '' });
  return service;
}

/** Elements that are often left open, or have no content: without another one they cannot stand in each other. */
const NEVER_DEEP = new Set(
  'p li td th tr dt dd option thead tbody tfoot colgroup area base br col embed hr img input link meta source track wbr'.split(
    ' ',
  ),
);

/** Whether elements stand in each other more deeply than is taken; looked at before the tree is built. */
function isTooDeep(html: string): boolean {
  const open = new Map<string, number>();
  let depth = 0;
  for (const [, slash, written = ''] of html.matchAll(/<(\/?)([a-zA-Z][^\s/>]*)/g)) {
    const name = written.toLowerCase();
    if (NEVER_DEEP.has(name)) continue;
    // An end of another name closes nothing.
    const count = open.get(name) ?? 0;
    if (slash && count === 0) continue;
    depth += slash ? -1 : 1;
    open.set(name, count + (slash ? -1 : 1));
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** As the library does it, within bounds. Throws HtmlError for what is too long or nested too deeply. */
export function convert(html: string, service: TurndownService, note?: Note): string {
  if (html.length > MAX_HTML) throw new HtmlError(`the text has more than ${MAX_HTML} characters of HTML`);
  if (isTooDeep(html)) throw new HtmlError('the HTML is nested too deeply');
  try {
    return service.turndown(note ? withAnchors(html, note) : html);
  } catch (error) {
    // The library walks the tree by recursion.
    if (error instanceof RangeError) throw new HtmlError('the HTML is nested too deeply');
    throw error;
  }
}

/**
 * HTML as Markdown of CommonMark with tables and strikethrough. Of what has no Markdown, marks in a line and folds stay
 * HTML; the rest is made a link or left out, with a note; comments vanish. Texts of footnotes are given by the ids that
 * the HTML has for them (`data-fn`). Throws HtmlError for what is too long or nested too deeply.
 */
export function htmlToMarkdown(html: string, texts: ReadonlyMap<string, string> = new Map()): Converted {
  const notes = new Set<string>();
  const note = (text: string): void => void notes.add(text);
  const footnotes = new Footnotes(texts, [...DROPPED, ...EMBEDS].join(','));
  const service = converter(note, footnotes.numberOf);
  const markdown = convert(html, service, note);
  const parts = [markdown, ...footnotes.written((text) => convert(text, service))].filter((part) => part !== '');
  return { markdown: parts.length === 0 ? '' : `${parts.join('\n\n')}\n`, notes: [...notes] };
}
