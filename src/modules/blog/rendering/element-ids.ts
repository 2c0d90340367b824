import type { Token } from 'markdown-it';
import { shownIds } from './sanitize.ts';

const isHtml = ({ type }: Token): boolean => type === 'html_block' || type === 'html_inline';

/** Of any element its id, of an anchor its name. */
const MAY_HAVE_ID = /\b(?:id|name)\s*=/i;

/** The elements that a token begins or ends, without what is text: an element of HTML may begin in one and end in another. */
function elementsOf(token: Token): string {
  if (isHtml(token)) return token.content;
  if (token.nesting === 0 || token.tag === '' || token.hidden) return '';
  return token.nesting > 0 ? `<${token.tag}>` : `</${token.tag}>`;
}

/** As the library numbers footnotes, and the marks of one that has several. */
const ofFootnote = ({ type, meta }: Token): string[] => {
  if (type !== 'footnote_ref' && type !== 'footnote_open') return [];
  const { id, subId } = meta as { id: number; subId?: number };
  return [`${type === 'footnote_ref' ? 'fnref' : 'fn'}${id + 1}${subId ? `:${subId}` : ''}`];
};

/** Ids that elements of HTML in the text, as far as they are shown, its footnotes and their marks have. */
export function elementIds(tokens: readonly Token[]): string[] {
  const all = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
  const hasIds = all.some((token) => isHtml(token) && MAY_HAVE_ID.test(token.content));
  return [...all.flatMap(ofFootnote), ...(hasIds ? shownIds(all.map(elementsOf).join('')) : [])];
}
