const BLOCK =
  /^<\/?(?:p|div|h[1-6]|ul|ol|li|dl|table|thead|tbody|tr|blockquote|figure|figcaption|hr|pre|section|article|aside|header|footer|iframe|form|script|style|details|!--)\b/i;

function paragraphs(html: string): string {
  return html
    .split(/\n[ \t]*(?:\n[ \t]*)+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => (BLOCK.test(part) ? part : `<p>${part.replaceAll('\n', '<br>\n')}</p>`))
    .join('\n');
}

/** A text in turns: what is outside of `pre`, and each of its elements. One that is never closed is looked at once. */
function splitPre(text: string): string[] {
  const parts: string[] = [];
  const begin = /<pre[\s>]/gi;
  const end = /<\/pre>/gi;
  let from = 0;
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    if (end.exec(text) === null) break;
    parts.push(text.slice(from, found.index), text.slice(found.index, end.lastIndex));
    from = begin.lastIndex = end.lastIndex;
  }
  return [...parts, text.slice(from)];
}

/**
 * WordPress's classic editor stores no paragraphs: an empty line ends one, and a line end is a break. This writes them
 * as the theme would; `pre` is left alone, and so is a text that has its paragraphs or comes from the block editor.
 */
export function withParagraphs(content: string): string {
  const text = content.replaceAll(/\r\n?/g, '\n');
  if (/<!-- wp:|<p[\s>]/i.test(text)) return text;
  return splitPre(text)
    .map((part, at) => (at % 2 === 1 ? part : paragraphs(part)))
    .join('\n');
}
