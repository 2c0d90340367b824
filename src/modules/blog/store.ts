import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { foldCase } from '../../lib/fold-case.ts';
import { excerptOf, readingMinutes } from '../../lib/markdown-text.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import type { CountChanges } from './counts/counts.ts';
import { contentOf, type ListedPost, type NewPost, type Post, type Save } from './post.ts';
import { bodyColumns } from './rendering/rendered-body.ts';
import { keepRevision } from './revisions/keep-revision.ts';
import { nextSave } from './revisions/rules.ts';
import { indexPost } from './search/index-post.ts';
import { type BlogTables, blogTables } from './tables.ts';

export type PostRow = Omit<{ [K in keyof BlogTables['posts']]: BlogTables['posts'][K] }, 'comment_count'> &
  Record<(typeof COUNTERS)[number] | 'comment_count', number> & { author_name: string };

/** Columns of post_counters that go with a post. */
export const COUNTERS = ['like_count', 'view_count', 'share_count'] as const;

/** A row of posts, with its author's name and its counters, as the modules sees it; lists read no body. */
export const toPost = (row: PostRow): ListedPost => ({
  id: row.id,
  authorId: row.author_id,
  authorName: row.author_name,
  slug: row.slug,
  title: row.title,
  excerpt: row.excerpt,
  category: row.category,
  tags: row.tags,
  coverImageUrl: row.cover_image_url,
  coverImageAlt: row.cover_image_alt,
  seoTitle: row.seo_title,
  seoDescription: row.seo_description,
  featured: row.featured,
  readingMinutes: row.reading_minutes,
  publishedAt: row.published_at,
  archivedAt: row.archived_at,
  firstPublicAt: row.first_public_at,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  changedAt: row.changed_at,
  likeCount: row.like_count,
  commentCount: row.comment_count,
  viewCount: row.view_count,
  shareCount: row.share_count,
});

/** Columns of a post, with those that are derived from its content at write time. */
const columnsOf = (post: NewPost) => ({
  author_id: post.authorId,
  slug: post.slug,
  title: post.title,
  title_key: post.title === null ? null : foldCase(post.title),
  excerpt: post.excerpt,
  excerpt_auto: post.excerpt === '' ? excerptOf(post.body) : '',
  category: post.category,
  category_key: post.category === null ? null : foldCase(post.category),
  tags: [...post.tags],
  tag_keys: post.tags.map(foldCase),
  cover_image_url: post.coverImageUrl,
  cover_image_alt: post.coverImageAlt,
  seo_title: post.seoTitle,
  seo_description: post.seoDescription,
  featured: post.featured,
  reading_minutes: readingMinutes(post.body),
  published_at: post.publishedAt,
  archived_at: post.archivedAt,
  first_public_at: post.firstPublicAt,
  version: post.version,
  created_at: post.createdAt,
  updated_at: post.updatedAt,
  changed_at: post.changedAt,
});

/** Columns of post_bodies besides the body. */
const saveColumns = (save: Save) => ({
  saved_by: save.by,
  saved_at: save.at,
  saved_version: save.version,
  autosaved: save.auto,
  public_from: save.publicFrom,
});

/** The post in whatever state, or null. */
export async function findPost(db: Db, id: string): Promise<Post | null> {
  const row = await blogTables(db)
    .selectFrom('posts as p')
    .innerJoin('users as u', 'u.id', 'p.author_id')
    .innerJoin('post_bodies as b', 'b.post_id', 'p.id')
    .innerJoin('post_counters as k', 'k.post_id', 'p.id')
    .selectAll('p')
    .select(COUNTERS)
    .select(['u.name as author_name', 'b.body'])
    .select(['b.saved_by', 'b.saved_at', 'b.saved_version', 'b.autosaved', 'b.public_from'])
    .where('p.id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const saved = {
    by: row.saved_by ?? row.author_id,
    at: row.saved_at ?? row.updated_at,
    version: row.saved_version ?? row.version,
    auto: row.autosaved,
    publicFrom: row.public_from,
  };
  return { ...toPost(row), body: row.body, saved };
}

/** Locks these posts until the transaction ends, in one order for all, and gives the ids that exist. */
export async function lockPosts(trx: Trx, ids: readonly string[]): Promise<string[]> {
  const rows = await blogTables(trx)
    .selectFrom('posts')
    .select('id')
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}

/**
 * The post, locked, or null. In two statements: one that waited for the lock would see the post of now with the body
 * of before.
 */
export async function lockPost(trx: Trx, id: string): Promise<Post | null> {
  const [found] = await lockPosts(trx, [id]);
  return found === undefined ? null : findPost(trx, id);
}

/** Stores a new post with its rendering and what is searched of it. Its slug must have been claimed. */
export async function insertPost(trx: Trx, post: NewPost, counts: CountChanges): Promise<void> {
  const tables = blogTables(trx);
  await tables
    .insertInto('posts')
    .values({ id: post.id, ...columnsOf(post) })
    .execute();
  await tables
    .insertInto('post_bodies')
    .values({ post_id: post.id, ...(await bodyColumns(trx, post.body)), ...saveColumns(nextSave(null, post)) })
    .execute();
  await indexPost(trx, post);
  counts.move(null, post);
}

/**
 * Stores a changed post, which must be locked; whoever changes its content, the former content stays as a revision. A new
 * slug must have been claimed.
 */
export async function updatePost(trx: Trx, before: Post, after: NewPost, counts: CountChanges): Promise<void> {
  const tables = blogTables(trx);
  const isNew = !isDeepStrictEqual(contentOf(before), contentOf(after));
  if (isNew) await keepRevision(trx, before, after);
  await tables.updateTable('posts').set(columnsOf(after)).where('id', '=', before.id).execute();
  const body = after.body === before.body ? {} : await bodyColumns(trx, after.body);
  await tables
    .updateTable('post_bodies')
    .set({ ...body, ...saveColumns(nextSave(isNew ? null : before, after)) })
    .where('post_id', '=', before.id)
    .execute();
  await indexPost(trx, after);
  counts.move(before, after);
}

/** Removes a post with its body, slugs and likes; what was imported of it is remembered as deleted. */
export async function removePost(trx: Trx, post: Post, counts: CountChanges): Promise<void> {
  await blogTables(trx).deleteFrom('posts').where('id', '=', post.id).execute();
  counts.move(post, null);
}

/** Those of the slugs that belong to another post, now or from its past. */
export async function slugsOfOthers(db: Db, slugs: readonly string[], postId: string | null): Promise<Set<string>> {
  const rows = await blogTables(db)
    .selectFrom('post_slugs')
    .select('slug')
    .where('slug', '=', sql<string>`any(${slugs}::text[])`)
    .$if(postId !== null, (query) => query.where('post_id', '!=', postId as string))
    .execute();
  return new Set(rows.map((row) => row.slug));
}

/**
 * Takes the slug for the post; false when it is another's. A transaction that is taking the same slug at this moment is
 * waited for, so exactly one of them gets it.
 */
export async function takeSlug(trx: Trx, slug: string, postId: string): Promise<boolean> {
  for (;;) {
    const { rows } = await sql`
      insert into post_slugs (slug, post_id) values (${slug}, ${postId})
      on conflict (slug) do nothing returning slug`.execute(trx);
    if (rows.length > 0) return true;
    const owner = await blogTables(trx)
      .selectFrom('post_slugs')
      .select('post_id')
      .where('slug', '=', slug)
      .executeTakeFirst();
    // Without one, whoever had it gave it back between the two statements.
    if (owner) return owner.post_id === postId;
  }
}

/** Whether a post has the slug now, and not only in its past. */
export async function isPresentSlug(db: Db, slug: string): Promise<boolean> {
  const row = await blogTables(db).selectFrom('posts').select('id').where('slug', '=', slug).executeTakeFirst();
  return row !== undefined;
}

/** Gives a slug of the post back: anyone may take it. */
export async function dropSlug(trx: Trx, slug: string, postId: string): Promise<void> {
  await blogTables(trx).deleteFrom('post_slugs').where('slug', '=', slug).where('post_id', '=', postId).execute();
}
