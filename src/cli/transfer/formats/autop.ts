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

/**
 * WordPress's classic editor stores no paragraphs: an empty line ends one, and a line end is a break. This writes them
 * as the theme would; `pre` is left alone, and so is a text that has its paragraphs or comes from the block editor.
 */
export function withParagraphs(content: string): string {
  const text = content.replaceAll(/\r\n?/g, '\n');
  if (/<!-- wp:|<p[\s>]/i.test(text)) return text;
  return text
    .split(/(<pre[\s>][\s\S]*?<\/pre>)/i)
    .map((part, at) => (at % 2 === 1 ? part : paragraphs(part)))
    .join('\n');
}
