import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { Address } from '../addresses/store.ts';
import { isPublic, isScheduled } from '../reading/store.ts';

/** A public post as a link. */
export interface PostLink {
  slug: string;
  title: string;
}

/** The public posts next to one by date: the one before it, and the one after it. */
export async function findNeighbours(
  db: Db,
  { id, publishedAt }: { id: string; publishedAt: Date },
  now: Date,
): Promise<{ previous: PostLink | null; next: PostLink | null }> {
  const { rows } = await sql<PostLink & { isNext: boolean }>`
    (select false as "isNext", p.slug, p.title from posts p
     where ${isPublic(now)} and (p.published_at, p.id) < (${publishedAt}, ${id}::uuid)
     order by p.published_at desc, p.id desc limit 1)
    union all
    (select true, p.slug, p.title from posts p
     where ${isPublic(now)} and (p.published_at, p.id) > (${publishedAt}, ${id}::uuid)
     order by p.published_at, p.id limit 1)`.execute(db);
  const link = (isNext: boolean): PostLink | null => {
    const row = rows.find((r) => r.isNext === isNext);
    return row ? { slug: row.slug, title: row.title } : null;
  };
  return { previous: link(false), next: link(true) };
}

/** How many posts are of a month. */
export interface MonthCount {
  /** `YYYY-MM`, in UTC. */
  month: string;
  count: number;
}

/** Months with public posts, newest first; from the kept counts, less what is scheduled for later. */
export async function countMonths(db: Db, now: Date): Promise<MonthCount[]> {
  const { rows } = await sql<MonthCount>`
    with later as (
      select to_char(p.published_at at time zone 'UTC', 'YYYY-MM') as month, count(*)::integer as count
      from posts p where ${isScheduled(now)} group by 1
    )
    select c.key as month, c.count - coalesce(later.count, 0) as count
    from post_counts c left join later on later.month = c.key
    where c.kind = 'month' and c.count > coalesce(later.count, 0) order by c.key desc`.execute(db);
  return rows;
}

export interface DatedLink extends PostLink {
  publishedAt: Date;
}

/** Public posts of a time, newest first. */
export async function postsBetween(
  db: Db,
  { from, until, limit, offset }: { from: Date; until: Date; limit: number; offset: number },
  now: Date,
): Promise<DatedLink[]> {
  const { rows } = await sql<DatedLink>`
    select p.slug, p.title, p.published_at as "publishedAt" from posts p
    where ${isPublic(now)} and p.published_at >= ${from} and p.published_at < ${until}
    order by p.published_at desc, p.id desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/**
 * Whether readers knew a post at this address, which leads to none now and will not by itself: it is archived or a draft
 * again, or it was deleted, which is known for as long as the index tells it (addresses/forget-changes.ts).
 */
export async function isGone(db: Db, slug: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ gone: boolean }>`
    select exists (
      select from post_slugs s join posts p on p.id = s.post_id
      where s.slug = ${slug} and p.first_public_at <= ${now} and (p.archived_at is not null or p.published_at is null)
    ) or exists (
      select from post_index_changes c where c.slug = ${slug} and c.removed_at is not null
        and not exists (select from post_slugs s where s.slug = c.slug)
    ) as gone`.execute(db);
  return rows[0]?.gone === true;
}

/** The public post at this place, counted from the oldest; null behind the last. Read off the index alone. */
export async function addressAt(db: Db, place: number, now: Date): Promise<Pick<Address, 'id' | 'publishedAt'> | null> {
  const { rows } = await sql<Pick<Address, 'id' | 'publishedAt'>>`
    select p.id, p.published_at as "publishedAt" from posts p where ${isPublic(now)}
    order by p.published_at, p.id limit 1 offset ${place}`.execute(db);
  return rows[0] ?? null;
}

/** Addresses of public posts from one on (`isWith`: itself included), oldest first. */
export async function addressesFrom(
  db: Db,
  { publishedAt, id }: Pick<Address, 'id' | 'publishedAt'>,
  { isWith, limit, now }: { isWith: boolean; limit: number; now: Date },
): Promise<Address[]> {
  const key = sql`(${publishedAt}, ${id}::uuid)`;
  const { rows } = await sql<Address>`
    select p.id, p.slug, p.published_at as "publishedAt", p.updated_at as "updatedAt" from posts p
    where ${isPublic(now)} and (p.published_at, p.id) ${isWith ? sql`>=` : sql`>`} ${key}
    order by p.published_at, p.id limit ${limit}`.execute(db);
  return rows;
}

/** The beginnings of the bodies of those of the posts that are public. */
export async function bodiesOf(
  db: Db,
  ids: readonly string[],
  { length, now }: { length: number; now: Date },
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; body: string }>`
    select p.id, left(b.body, ${length}) as body from posts p join post_bodies b on b.post_id = p.id
    where p.id = any(${ids}::uuid[]) and ${isPublic(now)}`.execute(db);
  return new Map(rows.map((row) => [row.id, row.body]));
}
