import { tables } from '@joplin/turndown-plugin-gfm';
import TurndownService from 'turndown';
import { addEmphasis } from './emphasis.ts';
import { MAX } from './fit.ts';
import { addKeptHtml } from './kept-html.ts';

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

/** What plays or shows something from elsewhere becomes a link to it. */
const EMBEDS = ['iframe', 'video', 'audio', 'embed', 'object'] as const;
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

/** Buttons, clocks and icons of Ghost's cards: no part of the text, and nothing to tell of. */
const FURNITURE =
  '.kg-audio-player,.kg-video-player,.kg-video-overlay,.kg-file-card-icon,.kg-toggle-card-icon,.kg-bookmark-icon';

/** What cannot stand in the text of a link. */
const BLOCKS = 'p,div,h1,h2,h3,h4,h5,h6,figure,ul,ol,blockquote,table,pre,section,article,header,footer,hr';

type Element = Parameters<TurndownService.FilterFunction>[0];
type Note = (text: string) => void;

const sourceOf = (element: Element): string =>
  ['src', 'data', 'href'].map((name) => element.getAttribute(name) ?? '').find((value) => value !== '') ??
  element.querySelector('source[src]')?.getAttribute('src') ??
  '';

/** A fence that no line of the code closes. */
function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/^`{3,}/gm)].map(([mark]) => mark.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}\n\n`;
}

/** The text of code, with the ends of lines that are elements. */
function codeText({ nodeName, nodeValue, childNodes }: Node): string {
  if (nodeName === '#text') return nodeValue ?? '';
  return nodeName === 'BR' ? '\n' : Array.from(childNodes, codeText).join('');
}

/** Class names by which highlighters say the language: `language-js`, `lang:js`, `brush: js`. */
const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?[-:]|brush:\s*)([\w+#-]+)/;

function languageOf(pre: Element): string {
  const classes = [pre, pre.querySelector('code')].map((element) => element?.getAttribute('class') ?? '');
  return LANGUAGE.exec(classes.join(' '))?.[1] ?? '';
}

function inlineCode(text: string): string {
  const line = text.replaceAll(/\r?\n|\r/g, ' ');
  if (line === '') return '';
  const runs = new Set<string>(line.match(/`+/g));
  let mark = '`';
  while (runs.has(mark)) mark += '`';
  const space = /^`|`$|^ .*[^ ].* $/.test(line) ? ' ' : '';
  return `${mark}${space}${line}${space}${mark}`;
}

/** In a bare address a backslash would be a part of it. What could be a mark all the same is written as an address may. */
const withWholeAddresses = (markdown: string): string =>
  markdown.replaceAll(/https?:\/\/[^\s<>[\]()]+/g, (url) =>
    url
      .replaceAll(/(?<=[a-z0-9])\\_(?=[a-z0-9])/gi, '_')
      .replaceAll('\\_', '%5F')
      .replaceAll('\\*', '%2A'),
  );

const address = (written: string): string => {
  const href = written.trim().replaceAll(/[<>\s]/g, encodeURIComponent);
  return /[()]/.test(href) ? `<${href}>` : href;
};

/** A first block that begins like this is no title: a list, a quote, a table, code, HTML. */
const NO_TITLE = /^(?:[-*+>|`<]|\d+\.\s)/;

/**
 * A link around blocks, as the cards of editors are: its first block becomes the link, the others stay as they are,
 * since the text of a link in Markdown cannot hold them.
 */
function linkAround(content: string, href: string): string {
  const [first = '', ...rest] = content.trim().split(/\n\s*\n/);
  if (NO_TITLE.test(first)) return `\n\n<${address(href).replaceAll(/[<>]/g, '')}>\n\n${content.trim()}\n\n`;
  const [, level = '', title = ''] = /^(#{1,6} )?([^]*)$/.exec(first) ?? [];
  return `\n\n${[`${level}[${title}](${address(href)})`, ...rest].join('\n\n')}\n\n`;
}

/** The library leaves `<div>` and `&lt;` of a text as they are, which Markdown takes for an element and a `<`. */
const withoutHtml = (markdown: string): string =>
  markdown.replaceAll(/<(?=[a-z/!?])|&(?=#?[a-z0-9]+;)/gi, (mark) => `\\${mark}`);

function converter(note: Note): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.use([tables]);
  addEmphasis(service);
  const escape = service.escape.bind(service);
  service.escape = (text) => withWholeAddresses(withoutHtml(escape(text)));
  // The library reads over ends of lines that are elements, and writes links and emphasis into code.
  service.addRule('pre', {
    filter: 'pre',
    replacement: (_text, node) => fenced(codeText(node), languageOf(node)),
  });
  service.addRule('code', { filter: 'code', replacement: (_text, node) => inlineCode(codeText(node)) });
  service.addRule('link around blocks', {
    filter: (node) =>
      node.nodeName === 'A' && Boolean(node.getAttribute('href')) && Boolean(node.querySelector(BLOCKS)),
    replacement: (content, node) => linkAround(content, node.getAttribute('href') ?? ''),
  });
  addKeptHtml(service);
  service.addRule('embed', {
    filter: [...EMBEDS],
    replacement(_text, node) {
      const name = node.nodeName.toLowerCase();
      const source = sourceOf(node);
      note(source === '' ? `${name} left out` : `${name} made a link`);
      return source === '' ? '' : `\n\n<${source.replaceAll(/[<>\s]/g, encodeURIComponent)}>\n\n`;
    },
  });
  service.addRule('dropped', {
    filter: [...DROPPED],
    replacement(_text, node) {
      if (node.closest(FURNITURE) === null) note(`${node.nodeName.toLowerCase()} left out`);
      return '';
    },
  });
  // The last rule that is added is asked first.
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
export function convert(html: string, service: TurndownService): string {
  if (html.length > MAX_HTML) throw new HtmlError(`the text has more than ${MAX_HTML} characters of HTML`);
  if (isTooDeep(html)) throw new HtmlError('the HTML is nested too deeply');
  try {
    return service.turndown(html);
  } catch (error) {
    // The library walks the tree by recursion.
    if (error instanceof RangeError) throw new HtmlError('the HTML is nested too deeply');
    throw error;
  }
}

/**
 * HTML as Markdown of CommonMark with tables and strikethrough. Of what has no Markdown, marks in a line and folds stay
 * HTML; the rest is made a link or left out, with a note; comments vanish. Throws HtmlError for what is too long or nested too deeply.
 */
export function htmlToMarkdown(html: string): Converted {
  const notes = new Set<string>();
  const markdown = convert(
    html,
    converter((text) => notes.add(text)),
  );
  return { markdown: markdown === '' ? '' : `${markdown}\n`, notes: [...notes] };
}
