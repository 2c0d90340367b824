const BLOCK =
  /^<\/?(?:p|div|h[1-6]|ul|ol|li|dl|dt|dd|table|caption|colgroup|thead|tbody|tfoot|tr|td|th|blockquote|address|nav|figure|figcaption|hr|pre|section|article|aside|header|footer|iframe|form|script|style|details|!--)\b/i;

function paragraphs(html: string): string {
  return html
    .split(/\n[ \t]*(?:\n[ \t]*)+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (BLOCK.test(part) ? part : `<p>${part.replaceAll('\n', '<br>\n')}</p>`))
    .join('\n');
}

/** A text in turns: what is outside of `pre` and `p`, and each of these elements. A name that is not closed any more is looked for once. */
function splitKept(text: string): string[] {
  const parts: string[] = [];
  const begin = /<(pre|p)(?=[\s>])/gi;
  const ends: Readonly<Record<string, RegExp>> = { pre: /<\/pre>/gi, p: /<\/p>/gi };
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
 * WordPress's classic editor stores no paragraphs: an empty line ends one, and a line end is a break. This writes them
 * as the theme would. `pre` is left alone, and so are paragraphs that are there, as that editor keeps those that are aligned, and a text
 * from the block editor.
 */
export function withParagraphs(content: string): string {
  const text = content.replaceAll(/\r\n?/g, '\n');
  if (text.includes('<!-- wp:')) return text;
  return splitKept(text)
    .map((part, at) => (at % 2 === 1 ? part : paragraphs(part)))
    .join('\n');
}
