import { type Static, Type } from 'typebox';
import type { Db } from '../../../platform/db/index.ts';
import { DateTime, Nullable, Uuid } from '../../../platform/http/index.ts';
import { headOf } from '../post.ts';
import { managedContent } from '../schemas.ts';
import { exportComments, type ExportedComments } from './export-comments.ts';
import { pageToExport, type PostToExport } from './store.ts';

/** Everything of a post that is not counted or derived; the import takes each field by the same name. */
export const ExportedPost = Type.Object({
  id: Uuid,
  ...managedContent,
  oldSlugs: Type.Array(Type.String()),
  publishedAt: Nullable(DateTime),
  archivedAt: Nullable(DateTime),
  firstPublicAt: Nullable(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
  author: Type.String(),
  authorEmail: Nullable(Type.String()),
  body: Type.String(),
});
export type ExportedPost = Static<typeof ExportedPost>;

const time = (at: Date | null): string | null => at?.toISOString() ?? null;

const exported = (post: PostToExport): ExportedPost => ({
  id: post.id,
  ...headOf(post),
  tags: [...post.tags],
  oldSlugs: [...post.oldSlugs],
  publishedAt: time(post.publishedAt),
  archivedAt: time(post.archivedAt),
  firstPublicAt: time(post.firstPublicAt),
  createdAt: post.createdAt.toISOString(),
  updatedAt: post.updatedAt.toISOString(),
  author: post.authorName,
  authorEmail: post.authorEmail,
  body: post.body,
});

async function* postsOf(db: Db, after: string | null): AsyncGenerator<PostToExport> {
  for (let last = after; ; ) {
    const page = await pageToExport(db, last);
    yield* page;
    const end = page.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

/**
 * Every post in order of id, or those after `after`. Read page by page, a few megabytes at a time and only as fast as
 * the caller takes them, and no connection is held between pages. Ids never change, so a post that exists from the
 * beginning to the end comes exactly once; each post is whole as of the moment at which its page was read.
 */
export async function* exportPosts(db: Db, after: string | null = null): AsyncGenerator<ExportedPost> {
  for await (const post of postsOf(db, after)) yield exported(post);
}

/** A line of an export. */
export type ExportedRecord = ExportedPost | ExportedComments;

/** As `exportPosts`, and behind each post its comments. */
export async function* exportRecords(db: Db, after: string | null = null): AsyncGenerator<ExportedRecord> {
  for await (const post of postsOf(db, after)) {
    yield exported(post);
    if (post.hasComments) yield* exportComments(db, post.id);
  }
}
