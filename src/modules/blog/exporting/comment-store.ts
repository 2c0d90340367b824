import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import type { StoredStatus } from '../comments/rules.ts';

/** Comments of a page: with their texts at most about 3 MB. */
const PAGE_COMMENTS = 200;

/** A comment with what an export says of it. */
export interface CommentToExport {
  id: string;
  parentId: string | null;
  /** How deep it is nested; 0 at the top. */
  level: number;
  body: string;
  status: StoredStatus;
  createdAt: Date;
  authorName: string | null;
  /** Of who has a blog role: an import knows writers by it. Readers' addresses are not the editors' to have. */
  authorEmail: string | null;
}

/**
 * A page of the comments of the post behind `after`, level by level and oldest first: so a parent comes before its
 * replies. On the deepest level, where replies stand beside what they answer, it is the older one, also of those that were imported.
 */
export async function commentsToExport(
  db: Db,
  postId: string,
  after: CommentToExport | null,
): Promise<CommentToExport[]> {
  const behind =
    after === null
      ? sql`true`
      : sql`(cardinality(c.path), c.created_at, c.id) > (${after.level}::integer, ${after.createdAt}::timestamptz, ${after.id}::uuid)`;
  const { rows } = await sql<CommentToExport>`
    select c.id, c.parent_id as "parentId", cardinality(c.path) as level, c.body, c.status, c.created_at as "createdAt",
      u.name as "authorName", case when u.blog_role is not null then u.email end as "authorEmail"
    from comments c left join users u on u.id = c.author_id
    where c.post_id = ${postId} and ${behind}
    order by cardinality(c.path), c.created_at, c.id limit ${PAGE_COMMENTS}`.execute(db);
  return rows;
}
