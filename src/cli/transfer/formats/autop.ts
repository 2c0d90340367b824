const BLOCKS =
  `p|div|h[1-6]|ul|ol|li|dl|dt|dd|table|caption|colgroup|col|thead|tbody|tfoot|tr|td|th|blockquote|address|nav|figure|figcaption|
  hr|section|article|aside|header|footer|form|fieldset|legend|details|summary`.replaceAll(/\s/g, '');

/** A block's beginning or end; a paragraph ends before either. */
const BLOCK = new RegExp(`(</?(?:${BLOCKS})(?=[\\s/>])[^<>]*>)`, 'i');

/** What follows is within a block, and a paragraph only if another is. In a quote it always is one. */
const BEGINS = /^<(?!\/|hr\b|blockquote\b)/i;

/** Holds lines, and no paragraphs. */
const OF_LINES = /^<(?:h[1-6]|caption|dt|figcaption|legend|summary)\b/i;

const MARKS = 'a|abbr|b|center|em|font|i|s|small|span|strong|u';
/** Elements of a line around blocks: no text of its own. */
const ONLY_MARKS = new RegExp(`^(?:\\s|</?(?:${MARKS})\\b[^<>]*>)*$`, 'i');
const ENDS = new RegExp(`^(?:\\s|</(?:${MARKS})\\s*>)*`, 'i');

const withBreaks = (text: string): string => text.replaceAll(/(?:<br ?\/?>)?\n/gi, '<br>\n');

/** The text behind a beginning or end of a block, up to the next. */
function linesBehind(block: string, text: string): string {
  if (ONLY_MARKS.test(text)) return text;
  const ends = ENDS.exec(text)?.[0] ?? '';
  const parts = text
    .slice(ends.length)
    .split(/\n[ \t]*(?:\n[ \t]*)+/)
    .map((part) => withBreaks(part.trim()))
    .filter((part) => part !== '');
  if (OF_LINES.test(block) || (BEGINS.test(block) && parts.length === 1)) return ends.trim() + parts.join('<br>\n');
  const paragraphs = parts.map((part) => (ONLY_MARKS.test(part) ? part : `<p>${part}</p>`));
  return `${ends.trim()}\n${paragraphs.join('\n')}\n`;
}

function withinBlocks(html: string): string {
  const parts = html.replaceAll(/<[a-z/][^<>]*>/gi, (tag) => tag.replaceAll('\n', ' ')).split(BLOCK);
  return parts.map((part, at) => (at % 2 === 1 ? part : linesBehind(parts[at - 1] ?? '', part))).join('');
}

/** A text in turns: what is outside of code and scripts, and each of these elements. A name that is not closed any more is looked for once. */
function splitKept(text: string): string[] {
  const parts: string[] = [];
  const begin = /<(pre|script|style)(?=[\s>])/gi;
  const ends: Readonly<Record<string, RegExp>> = { pre: /<\/pre>/gi, script: /<\/script>/gi, style: /<\/style>/gi };
  const endless = new Set<string>();
  let from = 0;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const name = (found[1] ?? '').toLowerCase();
    const end = ends[name];
    if (end === undefined || endless.has(name)) continue;
    end.lastIndex = begin.lastIndex;
    if (end.exec(text) === null) {
      endless.add(name);
      continue;
    }
    parts.push(text.slice(from, found.index), text.slice(found.index, end.lastIndex));
    from = begin.lastIndex = end.lastIndex;
  }
  return [...parts, text.slice(from)];
}

/**
 * WordPress's classic editor stores no paragraphs: an empty line ends one, as blocks do, and a line end is a break. This
 * writes them as the theme would, also within blocks. `pre` is left alone, and so is a text from the block editor.
 */
export function withParagraphs(content: string): string {
  const text = content.replaceAll(/\r\n?/g, '\n');
  if (text.includes('<!-- wp:')) return text;
  return splitKept(text)
    .map((part, at) => (at % 2 === 1 ? part : withinBlocks(part).replaceAll(/^\n|\n$/g, '')))
    .join('\n');
}
