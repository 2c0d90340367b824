import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { blogTables } from '../tables.ts';

/** Keeps the rendering of a body, unless the body is another by now. One statement, atomic in itself. */
export async function saveRendering(
  db: Db,
  rendering: { postId: string; body: string; html: string; version: number },
): Promise<void> {
  const { postId, body, html, version } = rendering;
  await sql`
    update post_bodies set html = ${html}, html_version = ${version}
    where post_id = ${postId} and body = ${body} and html_version <= ${version}`.execute(db);
}

/** The body of a post and the version of its rendering, or null. */
export async function bodyOf(db: Db, postId: string): Promise<{ body: string; version: number } | null> {
  const row = await blogTables(db)
    .selectFrom('post_bodies')
    .select(['body', 'html_version as version'])
    .where('post_id', '=', postId)
    .executeTakeFirst();
  return row ?? null;
}
