import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { type PostRow, toPost } from '../store.ts';
import type { ListedPost } from '../post.ts';

/** A page holds at most this many posts … */
const PAGE_POSTS = 100;
/** … and posts until their bodies have about this much; one post may be larger. Bytes. */
const PAGE_BYTES = 2_000_000;

/** A post with what else an export says of it. */
export interface PostToExport extends ListedPost {
  body: string;
  /** Its slugs besides the present one, in order. */
  oldSlugs: readonly string[];
  authorEmail: string | null;
  hasComments: boolean;
}

/** Posts in order of id, those after `after`. One statement, so each post fits itself. */
export async function pageToExport(db: Db, after: string | null): Promise<PostToExport[]> {
  const behind = after === null ? sql`true` : sql`id > ${after}::uuid`;
  // The length of a body is known without reading it, and a page's bodies are read only as far as it goes.
  const { rows } = await sql<
    PostRow & { body: string; author_email: string | null; old_slugs: string[]; has_comments: boolean }
  >`
    with page as (
      select p.id, sum(octet_length(b.body)) over (order by p.id) - octet_length(b.body) as bytes_before
      from (
        select id from posts where ${behind} order by id limit ${PAGE_POSTS}
      ) p
      join post_bodies b on b.post_id = p.id
    )
    select p.*, k.like_count, k.view_count, k.share_count, u.name as author_name, u.email as author_email, b.body,
      array(select s.slug from post_slugs s where s.post_id = p.id and s.slug is distinct from p.slug order by s.slug)
        as old_slugs,
      exists (select 1 from comments c where c.post_id = p.id) as has_comments
    from page
    join posts p on p.id = page.id
    join post_bodies b on b.post_id = p.id
    join post_counters k on k.post_id = p.id
    join users u on u.id = p.author_id
    where page.bytes_before < ${PAGE_BYTES}
    order by p.id`.execute(db);
  return rows.map((row) => ({
    ...toPost(row),
    body: row.body,
    oldSlugs: row.old_slugs,
    authorEmail: row.author_email,
    hasComments: row.has_comments,
  }));
}
