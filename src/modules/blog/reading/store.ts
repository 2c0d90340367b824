import { type RawBuilder, sql } from 'kysely';
import { foldCase } from '../../../lib/fold-case.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Address } from '../addresses/store.ts';
import { MARK } from '../search/document.ts';
import { publicMarks } from '../search/marks.ts';
import { allOf, anyOf } from '../search/query.ts';
import { hasAll } from '../search/store.ts';
import { blogTables } from '../tables.ts';
import type { Counters } from './cache/page-template.ts';

/** All conditions must hold; undefined (or no tag) does not ask. */
export interface PublicFilter {
  categoryKey: string | undefined;
  tagKeys: readonly string[];
  featured: boolean | undefined;
  authorIds: readonly string[] | undefined;
  /** The matches of a search. */
  ids?: readonly string[] | undefined;
  /** Fewer posts are of these authors than have any of the tags. */
  byAuthor?: boolean;
}

/** Whether a filter is answered from `post_tags`: it asks for tags, and nothing else says better where to look. */
export const isTagged = ({ tagKeys, ids, byAuthor }: PublicFilter): boolean =>
  tagKeys.length > 0 && ids === undefined && byAuthor !== true;

/** Whether a filter lets all public posts through. */
export const asksForNothing = ({ categoryKey, tagKeys, featured, authorIds, ids }: PublicFilter): boolean =>
  tagKeys.length === 0 && [categoryKey, featured, authorIds, ids].every((condition) => condition === undefined);

/** Whether a filter asks for one tag and nothing else. */
export const isOneTag = (filter: PublicFilter): boolean =>
  filter.tagKeys.length === 1 && asksForNothing({ ...filter, tagKeys: [] });

/**
 * `post_search s` with the public posts that have all tags of a filter and what else it asks for, and their times, by the index of
 * search documents: it compares the posts of all tags at once, and only of those that have them all a row is read.
 */
export function fromMarks(filter: PublicFilter, now: Date): RawBuilder<unknown> {
  const [first = '', ...more] = publicMarks(filter);
  const index = [allOf([first], [anyOf([MARK.draft, MARK.archived])]), ...more];
  return sql`post_search s where ${hasAll({ index })} and s.at <= ${now}`;
}

/** The same filter with the rarest tag first, by how many posts have each of its tags: the first is gone through, the others are asked. */
export function rarestFirst(filter: PublicFilter, ofTags: readonly number[]): PublicFilter {
  const byCount = filter.tagKeys.map((key, i) => ({ key, count: ofTags[i] ?? 0 }));
  return { ...filter, tagKeys: byCount.toSorted((a, b) => a.count - b.count).map(({ key }) => key) };
}

/** Columns of a summary, of `postsOf`; never the body. */
export const SUMMARY = sql`
  p.id, p.slug, p.title, coalesce(nullif(p.excerpt, ''), p.excerpt_auto) as "excerpt",
  p.cover_image_url as "coverImageUrl", p.cover_image_alt as "coverImageAlt", p.category, p.tags,
  p.published_at as "publishedAt", p.featured, p.reading_minutes as "readingMinutes", k.like_count as "likeCount",
  p.comment_count as "commentCount", k.view_count as "viewCount", k.share_count as "shareCount",
  u.name as "authorName"`;

/**
 * The posts of these ids (a column), each with what SUMMARY needs. Each row is read by its key: as plain joins they take the
 * planner twice as long, which is longer than it takes to run them (measured at a million posts).
 */
export const postsOf = (id: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  cross join lateral (select p.* from posts p where p.id = ${id} offset 0) p
  cross join lateral (select u.name from users u where u.id = p.author_id offset 0) u
  cross join lateral (select k.* from post_counters k where k.post_id = p.id offset 0) k`;

/** Public at a time: the same decision as `stateOf` in rules.ts, in the words of the partial indexes. */
export const isPublic = (now: Date): RawBuilder<unknown> => sql`p.archived_at is null and p.published_at <= ${now}`;
export const isScheduled = (now: Date): RawBuilder<unknown> => sql`p.archived_at is null and p.published_at > ${now}`;

/** One author by equality: of `any` PostgreSQL does not know that an index by author has the order of the next column. */
const isBy = (column: RawBuilder<unknown>, authorIds: readonly string[]): RawBuilder<unknown> =>
  authorIds.length === 1 ? sql`${column} = ${authorIds[0]}::uuid` : sql`${column} = any(${authorIds}::uuid[])`;

/** The conditions of a filter on `posts p`; none, where it asks for nothing. */
export const matches = ({ categoryKey, tagKeys, featured, authorIds, ids }: PublicFilter): RawBuilder<unknown>[] => [
  ...(categoryKey === undefined ? [] : [sql`p.category_key = ${categoryKey}`]),
  ...(tagKeys.length === 0 ? [] : [sql`p.tag_keys @> ${tagKeys}::text[]`]),
  ...(featured === undefined ? [] : [featured ? sql`p.featured` : sql`not p.featured`]),
  ...(authorIds === undefined ? [] : [isBy(sql`p.author_id`, authorIds)]),
  ...(ids === undefined ? [] : [sql`p.id = any(${ids}::uuid[])`]),
];

/**
 * What a filter that asks for tags is answered from: `post_tags t`, which has all that it takes (none is looked for in
 * `posts`), joined with the other tags, each of which is held in the same order.
 */
export function fromTagged({ tagKeys: [, ...others] }: PublicFilter): RawBuilder<unknown> {
  const joined = others.map((key, i) => {
    const o = sql.ref(`t${i}`);
    return sql`join post_tags as ${o}
      on ${o}.tag_key = ${key} and ${o}.published_at = t.published_at and ${o}.post_id = t.post_id`;
  });
  return sql.join([sql`post_tags t`, ...joined], sql` `);
}

/** The conditions on `fromTagged`. */
export function matchesTagged(filter: PublicFilter): RawBuilder<unknown> {
  const { tagKeys, categoryKey, featured, authorIds } = filter;
  const conditions = [
    sql`t.tag_key = ${tagKeys[0]}`,
    ...(categoryKey === undefined ? [] : [sql`t.category_key = ${categoryKey}`]),
    ...(featured === undefined ? [] : [featured ? sql`t.featured` : sql`not t.featured`]),
    ...(authorIds === undefined ? [] : [isBy(sql`t.author_id`, authorIds)]),
  ];
  return sql.join(conditions, sql` and `);
}

/** These conditions, and those of a filter. */
export const both = (first: RawBuilder<unknown>, filter: PublicFilter): RawBuilder<unknown> =>
  sql.join([first, ...matches(filter)], sql` and `);

/** Counts the rows of a filter, public or scheduled for later. */
export const countMatching = (filter: PublicFilter, which: 'public' | 'scheduled', now: Date): RawBuilder<number> =>
  !isTagged(filter)
    ? sql<number>`(select count(*)::integer from posts p
        where ${both(which === 'public' ? isPublic(now) : isScheduled(now), filter)})`
    : sql<number>`(select count(*)::integer from ${fromTagged(filter)}
        where t.published_at ${which === 'public' ? sql`<=` : sql`>`} ${now} and ${matchesTagged(filter)})`;

/**
 * Ids of the authors of this name, as `foldCase` compares. Only users that have published are looked at. Of names of ASCII
 * alone the database knows which they are; of others it would tell by its locale: in a database of locale C, nobody
 * called José was found.
 */
export async function authorsNamed(db: Db, name: string): Promise<string[]> {
  const key = foldCase(name);
  const { rows } = await sql<{ id: string; name: string }>`
    select u.id, u.name from post_counts c join users u on u.id = c.key::uuid
    where c.kind = 'author' and c.count > 0
      and (lower(u.name collate "C") = ${key} or octet_length(u.name) <> length(u.name))`.execute(db);
  return rows.flatMap((row) => (foldCase(row.name) === key ? row.id : []));
}

/** Whether a user likes a post, and its counters of the same moment; null: the post is gone. */
export async function likedWithCounters(
  db: Db,
  postId: string,
  userId: string,
): Promise<(Counters & { liked: boolean }) | null> {
  const { rows } = await sql<Counters & { liked: boolean }>`
    select exists (select from post_likes l where l.post_id = p.id and l.user_id = ${userId}) as liked,
      k.like_count as "likeCount", p.comment_count as "commentCount", k.view_count as "viewCount",
      k.share_count as "shareCount"
    from posts p join post_counters k on k.post_id = p.id where p.id = ${postId}`.execute(db);
  return rows[0] ?? null;
}

export async function hasLiked(db: Db, postId: string, userId: string): Promise<boolean> {
  const row = await blogTables(db)
    .selectFrom('post_likes')
    .select('post_id')
    .where('post_id', '=', postId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Addresses of the public posts behind `after` (null: from the beginning), newest first. */
export async function addressesOfPublic(
  db: Db,
  now: Date,
  { after, limit }: { after: Pick<Address, 'id' | 'publishedAt'> | null; limit: number },
): Promise<Address[]> {
  const behind = after === null ? sql`true` : sql`(p.published_at, p.id) < (${after.publishedAt}, ${after.id}::uuid)`;
  const { rows } = await sql<Address>`
    select p.id, p.slug, p.published_at as "publishedAt", p.updated_at as "updatedAt"
    from posts p where ${isPublic(now)} and ${behind} order by p.published_at desc, p.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

interface PublicFacet {
  kind: 'category' | 'tag';
  name: string;
  count: number;
}

/**
 * The kept counts of categories and tags, less what is scheduled for later, each in the spelling that most public posts
 * use: a spelling that only others use would show what only they say. Of equals the one that was there first. No public post is read.
 */
export const facets = (now: Date): RawBuilder<PublicFacet> => sql<PublicFacet>`
  with later as (
    select 'category_as' as kind, p.category as spelling from posts p where ${isScheduled(now)}
    union all
    select 'tag_as', unnest(p.tags) from posts p where ${isScheduled(now)}
  ),
  less as (select kind, spelling, count(*)::integer as count from later group by kind, spelling),
  spelt as (
    select replace(c.kind, '_as', '') as kind, c.name as key, c.key as spelling, c.count - coalesce(less.count, 0) as count
    from post_counts c left join less on less.kind = c.kind and less.spelling = c.key
    where c.kind in ('category_as', 'tag_as') and c.count > coalesce(less.count, 0)
  )
  select distinct on (s.kind, s.key) s.kind, s.spelling as name,
    (sum(s.count) over (partition by s.kind, s.key))::integer as count
  from spelt s left join post_counts first on first.kind = s.kind and first.key = s.key
  order by s.kind, s.key, s.count desc, first.name = s.spelling desc, s.spelling`;

export async function publicFacets(db: Db, now: Date): Promise<PublicFacet[]> {
  return (await facets(now).execute(db)).rows;
}

/** When the next scheduled post becomes public. */
export async function nextPublication(db: Db, now: Date): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(p.published_at) as at from posts p where ${isScheduled(now)}`.execute(db);
  return rows[0]?.at ?? null;
}

/** The counters of these posts; those that are gone are left out. */
export async function countersOf(db: Db, ids: readonly string[]): Promise<(Counters & { id: string })[]> {
  const { rows } = await sql<Counters & { id: string }>`
    select p.id, k.like_count as "likeCount", p.comment_count as "commentCount", k.view_count as "viewCount",
      k.share_count as "shareCount"
    from posts p join post_counters k on k.post_id = p.id where p.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}
