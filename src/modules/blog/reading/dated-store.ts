import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { PublicPost } from './public-post.ts';
import { AUTHOR_AND_COUNTERS, both, isPublic, type PublicFilter, SUMMARY } from './store.ts';
import type { PlaceOfPage } from './way-to.ts';

export interface DatePage extends PlaceOfPage {
  sort: 'newest' | 'oldest';
  /** `walk` goes along the order until the page is full, `gather` sorts all that match: see `wayTo`. */
  way: 'walk' | 'gather';
}

const byDate = (first: 'newest' | 'oldest'): RawBuilder<unknown> =>
  first === 'newest' ? sql`p.published_at desc, p.id desc` : sql`p.published_at, p.id`;

/** The statement that finds the ids of a page, in one of two ways. */
export function foundByDate(filter: PublicFilter, now: Date, datePage: DatePage): RawBuilder<unknown> {
  const { sort, way, fromEnd, offset, limit } = datePage;
  const order = byDate((sort === 'newest') === fromEnd ? 'oldest' : 'newest');
  const page = sql`order by ${order} limit ${limit} offset ${offset}`;
  if (way === 'walk') return sql`select p.id from posts p where ${both(isPublic(now), filter)} ${page}`;
  return sql`
    with p as materialized (select p.id, p.published_at from posts p where ${both(isPublic(now), filter)})
    select p.id from p ${page}`;
}

/** A page; the rows are found in an index first and read afterwards, so a far page reads few rows too. */
export async function pageOfPublic(db: Db, filter: PublicFilter, now: Date, page: DatePage): Promise<PublicPost[]> {
  const { rows } = await sql<PublicPost>`
    select ${SUMMARY}
    from (${foundByDate(filter, now, page)}) as found
    join posts p on p.id = found.id
    ${AUTHOR_AND_COUNTERS}
    order by ${byDate(page.sort)}`.execute(db);
  return rows;
}

/**
 * Whether an index holds what a filter lets through in the order of dates. The others may have to go past all posts to
 * find one.
 */
export const isInOrderOfDates = ({ categoryKey, tagKeys, featured, authorIds, ids }: PublicFilter): boolean =>
  ids === undefined &&
  tagKeys.length === 0 &&
  (authorIds?.length ?? 1) === 1 &&
  [categoryKey, featured, authorIds].filter((condition) => condition !== undefined).length <= 1;
