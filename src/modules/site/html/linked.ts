import { LinkifyIt } from 'linkify-it';
import { markup, type Part } from '../../../lib/markup.ts';

/** Whole addresses of the web alone: a name like `readme.md` is none, and no mail address is handed to those who collect them. */
const finder = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false });
for (const schema of ['ftp:', 'mailto:', '//']) finder.add(schema, null);

/** A text that anybody may have written, with the addresses in it as links, which lend nobody the page's rank. */
export function linked(text: string): Part {
  const parts: Part[] = [];
  let from = 0;
  for (const { index, lastIndex } of finder.match(text) ?? []) {
    const address = text.slice(index, lastIndex);
    if (!URL.canParse(address)) continue;
    parts.push(text.slice(from, index), markup`<a href="${address}" rel="nofollow ugc noopener">${address}</a>`);
    from = lastIndex;
  }
  return [...parts, text.slice(from)];
}
