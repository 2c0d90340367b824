import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { PublicPost } from './public-post.ts';
import { isPublic, SUMMARY } from './store.ts';

export interface PublicPostDetail extends PublicPost {
  body: string;
  /** Null: not rendered yet. */
  html: string | null;
  seoTitle: string | null;
  seoDescription: string | null;
  updatedAt: Date;
}

/** What a draft may lack. */
type Lacking = 'slug' | 'title' | 'category' | 'publishedAt';
export type UnpublishedDetail = Omit<PublicPostDetail, Lacking> & { [K in Lacking]: PublicPostDetail[K] | null };

/** A post, and up to four others that are near to it. */
export interface WithRelated<T> {
  post: T;
  related: PublicPost[];
}

/** How many related posts a detail has at most (contract: "Blog"). */
const RELATED = 4;
/** Of each kind, only the latest posts are weighed: it bounds the cost where a tag or category is on everything. */
const CANDIDATES = 100;

/** The public post that has this slug, or had it before. */
const bySlug = (slug: string, now: Date): RawBuilder<unknown> => sql`
  select p.id, p.category_key, p.tag_keys from post_slugs s join posts p on p.id = s.post_id
  where s.slug = ${slug} and ${isPublic(now)}`;

/** A post in whatever state. */
export const byId = (id: string): RawBuilder<unknown> => sql`
  select p.id, p.category_key, p.tag_keys from posts p where p.id = ${id}`;

/**
 * The post that is `asked` for, and behind it the public posts near to it: most shared tags first, then same category, then
 * the latest; when nothing is shared, the latest of all. Nearly all of it is read off indexes: a post that stands in the
 * lists of the latest of some tags has these tags and no other, unless it is older than what is in a list that was cut; only
 * then its row is looked at. Limits are literals, since a plan that is kept must not guess them.
 */
export const withRelated = (asked: RawBuilder<unknown>, now: Date): RawBuilder<unknown> => sql`
  with asked as materialized (${asked}),
  tagged as materialized (
    select k.key, t.post_id as id, t.published_at as at, t.category_key is not distinct from a.category_key as same
    from asked a cross join lateral unnest(a.tag_keys) as k (key) cross join lateral (
      select t.post_id, t.published_at, t.category_key from post_tags t
      where t.tag_key = k.key and t.published_at <= ${now}
      order by t.published_at desc, t.post_id desc limit ${sql.lit(CANDIDATES)}
    ) t
  ),
  cut as materialized (
    select max(c.at) as at from (
      select min(at) as at from tagged group by key having count(*) >= ${sql.lit(CANDIDATES)}
    ) c
  ),
  near as materialized (
    select c.id, c.at, count(c.key) as shared, bool_or(c.same) as same from (
      select key, id, at, same from tagged
      union all
      select null, p.id, p.published_at, true from asked a cross join lateral (
        select p.id, p.published_at from posts p where ${isPublic(now)} and p.category_key = any(array[a.category_key])
        order by p.category_key, p.published_at desc, p.id desc limit ${sql.lit(CANDIDATES)}
      ) p
      union all
      (select null, p.id, p.published_at, false from posts p where ${isPublic(now)}
       order by p.published_at desc, p.id desc limit ${sql.lit(RELATED + 1)})
    ) c
    group by c.id, c.at
  ),
  weighed as (
    select n.id, n.at, n.same, case when n.at <= (select at from cut) then (
        select count(*) from posts p cross join lateral unnest(p.tag_keys) as t (key)
        where p.id = n.id and t.key = any((select tag_keys from asked)::text[])
      ) else n.shared end as shared
    from near n where n.id <> (select id from asked)
  ),
  shown as materialized (
    select id, 0 as place, null::bigint as shared, null::boolean as same, null::timestamptz as at from asked
    union all
    (select id, 1, shared, same, at from weighed order by shared desc, same desc, at desc, id desc
     limit ${sql.lit(RELATED)})
  )
  select d.* from shown n cross join lateral (
    select ${SUMMARY}, b.body, b.html, p.seo_title as "seoTitle", p.seo_description as "seoDescription",
      p.updated_at as "updatedAt"
    from posts p
    cross join lateral (select u.name from users u where u.id = p.author_id offset 0) u
    cross join lateral (select k.* from post_counters k where k.post_id = p.id offset 0) k
    left join post_bodies b on b.post_id = p.id and n.place = 0
    where p.id = n.id offset 0
  ) d
  order by n.place, n.shared desc, n.same desc, n.at desc, n.id desc`;

const of = <T>([post, ...related]: readonly unknown[]): WithRelated<T> | null =>
  post === undefined ? null : { post: post as T, related: related as PublicPost[] };

/** The public post that has this slug, or had it before (then its `slug` is another), with those near to it, or null. */
export async function findPublicBySlug(db: Db, slug: string, now: Date): Promise<WithRelated<PublicPostDetail> | null> {
  // Named: it reads by keys and along indexes up to a limit, and to plan it takes longer than to run it.
  const { rows } = await sql`/*named:public-post*/ ${withRelated(bySlug(slug, now), now)}`.execute(db);
  return of<PublicPostDetail>(rows);
}

/** The post in whatever state, with the columns of the public detail, and the public posts near to it, or null. */
export async function findDetail(db: Db, id: string, now: Date): Promise<WithRelated<UnpublishedDetail> | null> {
  const { rows } = await withRelated(byId(id), now).execute(db);
  return of<UnpublishedDetail>(rows);
}
