import { type Markup, markup, type Part } from '../../../lib/markup.ts';
import type { Hit, Hits } from './search.ts';

const marked = ({ snippet }: Hit): Part =>
  snippet.map(({ text, isHit }) => (isHit ? markup`<mark>${text}</mark>` : text));

const result = (
  hit: Hit,
): Markup => markup`<li><a href="${hit.address}">${hit.heading === '' ? hit.page : hit.heading}</a>
${hit.heading !== '' && markup`<p class="of">${hit.page}</p>`}
<p>${marked(hit)}</p></li>`;

function said(query: string, { hits, isCut, isPart }: Hits): Markup {
  if (query === '') return markup`Words, names of settings, events, error codes, commands or operations.`;
  if (hits.length === 0) return markup`Nothing has “${query}”. All pages are in the list beside this.`;
  const places = isCut ? `The ${hits.length} best places` : `${hits.length} places`;
  const found = hits.length === 1 ? 'One place' : places;
  return isPart
    ? markup`No place has all of “${query}”. ${found} with a part of it:`
    : markup`${found} for “${query}”.`;
}

/** What a search has found, as the content of a page. */
export const resultsOf = (query: string, found: Hits): Markup => markup`<h1>Search</h1>
<p role="status">${said(query, found)}</p>
${found.hits.length > 0 && markup`<ol class="results" role="list">${found.hits.map(result)}</ol>`}`;
