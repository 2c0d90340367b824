import { type Fields, LAST_PAGE } from '../../../platform/http/index.ts';
import type { Sort } from '../../blog/index.ts';

/** Orders that readers choose from, with their names. */
export const SORTS = [
  ['newest', 'Newest'],
  ['trending', 'Trending'],
  ['most_viewed', 'Most read'],
  ['most_liked', 'Most liked'],
  ['most_commented', 'Most discussed'],
  ['oldest', 'Oldest'],
] as const satisfies readonly (readonly [Sort, string])[];

/** Of a search. */
export const SEARCH_SORTS = [['relevance', 'Best match'], ...SORTS] as const;

/** Posts on a page of a list. */
export const PER_PAGE = 12;
/** Characters of a search that are looked at (contract: "Blog", limits). */
const Q_MAX = 200;

export interface ListQuery {
  page: number;
  /** Undefined: the usual one. */
  sort: Sort | undefined;
  /** Undefined: nothing is searched for. */
  q: string | undefined;
}

/** A number of a page; whatever is none is the first. */
export function pageOf(text: string | undefined): number {
  const page = /^[1-9]\d{0,4}$/.test(text ?? '') ? Number(text) : 1;
  return Math.min(page, LAST_PAGE);
}

/** What an address asks for. What it does not know (`utm_source`) does not matter. */
export function listQueryOf({ page, sort, q }: Fields): ListQuery {
  const words = Array.from(q ?? '')
    .slice(0, Q_MAX)
    .join('')
    .trim();
  const search = words === '' ? undefined : words;
  const [usual] = search === undefined ? SORTS[0] : SEARCH_SORTS[0];
  const known = (search === undefined ? SORTS : SEARCH_SORTS).find(([name]) => name === sort)?.[0];
  return { page: pageOf(page), sort: known === usual ? undefined : known, q: search };
}
