/**
 * HTML in a text that was never closed. A browser, a Markdown parser and a sanitizer all take it to reach to the end, so that one
 * forgotten `</style>` takes the rest of a post away. Here such a beginning is text, and what follows it stays as it was meant.
 */

interface Kind {
  begins: RegExp;
  /** Where the last end is in a text; -1: nowhere. */
  lastEnd: (text: string) => number;
}

const lastOf =
  (end: string) =>
  (text: string): number =>
    text.lastIndexOf(end);

function lastMatch(text: string, end: RegExp): number {
  let last = -1;
  for (const { index } of text.matchAll(end)) last = index;
  return last;
}

/** Blocks of Markdown that only a certain end ends, not an empty line (CommonMark 0.31 §4.6); `pre` apart, whose text is shown. */
const BLOCKS: readonly Kind[] = [
  {
    begins: /^<(?:script|style|textarea)(?=[\s>]|$)/i,
    lastEnd: (text) => lastMatch(text, /<\/(?:script|pre|style|textarea)>/gi),
  },
  { begins: /^<!--/, lastEnd: lastOf('-->') },
  { begins: /^<\?/, lastEnd: lastOf('?>') },
  { begins: /^<!\[CDATA\[/, lastEnd: lastOf(']]>') },
  { begins: /^<![a-z]/i, lastEnd: lastOf('>') },
];

/** Says of a line of a Markdown text whether it begins a block of HTML that has no end. One look through the text in all. */
export function unclosedBlocks(text: string): (from: number, lineEnd: number) => boolean {
  const ends = new Map<Kind, number>();
  return (from, lineEnd) => {
    if (text[from] !== '<') return false;
    const line = text.slice(from, Math.min(lineEnd, from + 20));
    const kind = BLOCKS.find(({ begins }) => begins.test(line));
    if (!kind) return false;
    if (!ends.has(kind)) ends.set(kind, kind.lastEnd(text));
    return (ends.get(kind) as number) < from;
  };
}

/** Of these a beginning that ends with `/>` is the whole element; other elements take no notice of it. */
const SELF_CLOSING = ['svg', 'math'];

function placesOf(html: string, names: readonly string[]): number[] {
  const open = new Map<string, number[]>(names.map((name) => [name, []]));
  const whole = String.raw`(?!(?:${SELF_CLOSING.join('|')})\b[^<>]*/>)`;
  const tag = new RegExp(String.raw`<(/?)${whole}(${names.join('|')})(?=[\s/>]|$)`, 'gi');
  for (const { index, 1: close, 2: name = '' } of html.matchAll(tag)) {
    const places = open.get(name.toLowerCase());
    if (close) places?.pop();
    else places?.push(index);
  }
  const places = [...open.values()].flat();
  const commentsEnd = html.lastIndexOf('-->') + 1;
  for (let at = html.indexOf('<!--', commentsEnd); at >= 0; at = html.indexOf('<!--', at + 4)) places.push(at);
  return places.toSorted((a, b) => a - b);
}

/**
 * HTML in which each of these elements that is never closed, and each comment that is not, begins as text. It is meant for a
 * sanitizer to read, which takes such elements away with all that is in them; it makes nothing safe by itself. `names`: lower
 * case, none of which is void.
 */
export function escapeUnclosed(html: string, names: readonly string[]): string {
  let out = '';
  let from = 0;
  for (const place of placesOf(html, names)) {
    out += `${html.slice(from, place)}&lt;`;
    from = place + 1;
  }
  return out + html.slice(from);
}
