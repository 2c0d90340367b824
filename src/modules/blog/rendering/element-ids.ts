import type { Token } from 'markdown-it';

/** Of any element its id, of an anchor its name. */
const IN_HTML = /\sid\s*=\s*["']?([^\s"'>]+)|<a(?=\s)[^<>]*?\sname\s*=\s*["']?([^\s"'>]+)/gi;

const inHtml = (html: string): string[] => Array.from(html.matchAll(IN_HTML), ([, id, name]) => id ?? name ?? '');

/** As the library numbers footnotes, and the marks of one that has several. */
const ofFootnote = ({ type, meta }: Token): string[] => {
  const { id, subId } = meta as { id: number; subId?: number };
  return [`${type === 'footnote_ref' ? 'fnref' : 'fn'}${id + 1}${subId ? `:${subId}` : ''}`];
};

function idsOf(token: Token): string[] {
  if (token.type === 'html_block' || token.type === 'html_inline') return inHtml(token.content);
  return token.type === 'footnote_ref' || token.type === 'footnote_open' ? ofFootnote(token) : [];
}

/** Ids that elements of HTML in the text, its footnotes and their marks have. */
export const elementIds = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token) => [token, ...(token.children ?? [])]).flatMap(idsOf);
