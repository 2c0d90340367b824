/** Longest derived excerpt. Characters; the limit of a written one is 500 (contract: "Blog"). */
export const EXCERPT_MAX = 280;
/** Reading speed of the contract ("Blog"): words per minute. */
const WORDS_PER_MINUTE = 238;
/** Of a line, only this much is looked at: it bounds the cost of hostile bodies. Characters. */
const LINE_MAX = 2000;

/** Words of a Markdown text: runs without white space that hold a letter or a digit. */
export function countWords(markdown: string): number {
  let words = 0;
  for (const run of markdown.split(/\s+/)) if (run !== '' && /[\p{L}\p{N}]/u.test(run)) words++;
  return words;
}

/** Whole minutes, at least 1: max(1, round(words / 238)) (contract: "Blog"). */
export const readingMinutes = (markdown: string): number =>
  Math.max(1, Math.round(countWords(markdown) / WORDS_PER_MINUTE));

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

/** One line of Markdown without its marks; every pattern is linear in the line. */
function plainLine(line: string): string {
  return line
    .slice(0, LINE_MAX)
    .replace(/^[\s>]*(?:[-*+]\s+|\d{1,9}[.)]\s+)?(?:\[[ xX]\]\s+)?/, '')
    .replaceAll(/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?/g, '')
    .replaceAll(/\[\^[^[\]]*\]/g, '')
    .replaceAll(/\[([^[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)?\)|\[[^[\]]*\])?/g, '$1')
    .replaceAll(/<(https?:[^<>\s]*)>/g, '$1')
    .replaceAll(/(?<!\\)<\/?[a-zA-Z!][^<>]*>/g, '')
    .replaceAll(/(?<!\\)&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/(?<!\p{L}|\p{N})_+|_+(?!\p{L}|\p{N}|_)|\*+|~~|`+/gu, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
/** Lines that hold no prose: rules, underlines of headings, table rows, link definitions, module lines of MDX. */
const NO_PROSE = /^ {0,3}(?:[-=*_]{3,}\s*$|\||\[[^[\]]+\]:|(?:import|export)\s.*(?:from\s|[={]))/;
/** What is left of a comment's or tag's line that ends elsewhere. */
const OPEN_TAG = /^\s*<[a-zA-Z/][^<>]*$/;

/** Without its marks, and without an id that was chosen for it. */
const headingText = (line: string): string =>
  line
    .slice(0, LINE_MAX)
    .replace(/^ *#+/, '')
    .replace(/(?<!#)#+\s*$/, '')
    .replace(/\{#[^\s{}]+(?:[ \t][^{}]*)?\}\s*$/, '');

/** The lines of prose (or the headings) of a Markdown text, plain. */
function* plainLines(markdown: string, want: 'prose' | 'headings'): Generator<string> {
  let fence = '';
  let comment = false;
  for (const [raw] of markdown.matchAll(/[^\n]+/g)) {
    let line = raw;
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence !== '') {
      if (mark.startsWith(fence)) fence = '';
      continue;
    }
    if (comment) {
      const end = line.indexOf('-->');
      if (end < 0) continue;
      comment = false;
      line = line.slice(end + 3);
    } else if (mark !== '') {
      fence = mark;
      continue;
    }
    const start = line.lastIndexOf('<!--');
    if (start >= 0 && line[start - 1] !== '\\' && !line.includes('-->', start)) {
      comment = true;
      line = line.slice(0, start);
    }
    const heading = HEADING.test(line);
    if (heading !== (want === 'headings') || NO_PROSE.test(line) || OPEN_TAG.test(line)) continue;
    const text = plainLine(heading ? headingText(line) : line);
    if (text !== '') yield text;
  }
}

/** At most `max` UTF-16 units of a text, cut at a word's end where there is one, with '…' when something was cut. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  const space = head.lastIndexOf(' ');
  const cut = space > max / 2 ? head.slice(0, space) : head.replace(/[\ud800-\udbff]$/, '');
  return `${cut.replace(/[\s,;:.–—-]+$/, '')}…`;
}

function collect(lines: Iterable<string>, max: number): string {
  let text = '';
  for (const line of lines) {
    text += text === '' ? line : ` ${line}`;
    if (text.length > max) break;
  }
  return cutText(text, max);
}

/**
 * The beginning of a Markdown text as plain text, for posts without an excerpt: prose without headings, code, tables,
 * images and markup; the headings when there is no prose; '' when there is neither.
 */
export const excerptOf = (markdown: string, max: number = EXCERPT_MAX): string =>
  collect(plainLines(markdown, 'prose'), max) || collect(plainLines(markdown, 'headings'), max);

/** The text of the first heading, or undefined. */
export const firstHeading = (markdown: string): string | undefined => {
  for (const heading of plainLines(markdown, 'headings')) return heading;
  return undefined;
};
