import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { Post, PostContent } from '../post.ts';
import { blogTables } from '../tables.ts';

/** A former content, as lists read it. */
export interface RevisionRow {
  number: number;
  version: number;
  title: string | null;
  words: number;
  savedAt: Date;
  savedById: string;
  savedByName: string;
  autosaved: boolean;
  wasPublic: boolean;
}

export type Revision = RevisionRow & PostContent;

/** Copies the present content inside the database: a body of a megabyte does not travel. */
export async function insertPresent(
  trx: Trx,
  post: Post,
  { words, wasPublic }: { words: number; wasPublic: boolean },
): Promise<void> {
  const { saved } = post;
  await sql`
    insert into post_revisions (post_id, number, version, title, slug, excerpt, body, category, tags, cover_image_url,
      cover_image_alt, seo_title, seo_description, featured, words, saved_by, saved_at, autosaved, was_public)
    select p.id, ${saved.version}::integer, p.version, p.title, p.slug, p.excerpt, b.body, p.category, p.tags,
      p.cover_image_url, p.cover_image_alt, p.seo_title, p.seo_description, p.featured, ${words}::integer,
      ${saved.by}::uuid, ${saved.at}::timestamptz, ${saved.auto}::boolean, ${wasPublic}::boolean
    from posts p join post_bodies b on b.post_id = p.id
    where p.id = ${post.id}`.execute(trx);
}

/** Drops all but the latest `kept` revisions of the post. */
export async function dropOldest(trx: Trx, postId: string, kept: number): Promise<void> {
  await sql`
    delete from post_revisions where post_id = ${postId} and number <= (
      select number from post_revisions where post_id = ${postId} order by number desc offset ${kept} limit 1)`.execute(
    trx,
  );
}

/** When the latest revision was saved, or null when there is none. */
export async function lastKeptAt(trx: Trx, postId: string): Promise<Date | null> {
  const row = await blogTables(trx)
    .selectFrom('post_revisions')
    .select('saved_at')
    .where('post_id', '=', postId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.saved_at ?? null;
}

const ROW = [
  'r.number',
  'r.version',
  'r.title',
  'r.words',
  'r.saved_at as savedAt',
  'r.saved_by as savedById',
  'u.name as savedByName',
  'r.autosaved',
  'r.was_public as wasPublic',
] as const;

const revisions = (db: Db, postId: string) =>
  blogTables(db)
    .selectFrom('post_revisions as r')
    .innerJoin('users as u', 'u.id', 'r.saved_by')
    .where('r.post_id', '=', postId);

export async function countRevisions(db: Db, postId: string): Promise<number> {
  const row = await revisions(db, postId).select(sql<number>`count(*)::integer`.as('count')).executeTakeFirstOrThrow();
  return row.count;
}

/** A page, latest first; without bodies. */
export const pageOfRevisions = (
  db: Db,
  postId: string,
  { page, limit }: { page: number; limit: number },
): Promise<RevisionRow[]> =>
  revisions(db, postId)
    .select(ROW)
    .orderBy('r.number', 'desc')
    .offset((page - 1) * limit)
    .limit(limit)
    .execute();

/** Name of a user. */
export async function nameOf(db: Db, userId: string): Promise<string> {
  const row = await blogTables(db)
    .selectFrom('users')
    .select('name')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return row.name;
}

/** The revision whose content the post had at that version, or null. */
export async function findRevision(db: Db, postId: string, version: number): Promise<Revision | null> {
  const row = await revisions(db, postId)
    .select(ROW)
    .select(['r.slug', 'r.excerpt', 'r.body', 'r.category', 'r.tags', 'r.featured'])
    .select(['r.cover_image_url as coverImageUrl', 'r.cover_image_alt as coverImageAlt'])
    .select(['r.seo_title as seoTitle', 'r.seo_description as seoDescription'])
    .where('r.number', '<=', version)
    .orderBy('r.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && row.version >= version ? row : null;
}
