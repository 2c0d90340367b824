import { sql } from 'kysely';
import type { Db } from '../../../platform/db/index.ts';
import { marketplaceId } from '../../accounts/index.ts';
import { BlogFixture } from '../fixtures.ts';
import { createComment, type CreateCommentInput } from './create-comment.ts';
import { deleteComment } from './delete-comment.ts';
import { listComments } from './list-comments.ts';
import { reportComment } from './report-comment.ts';
import type { Comment, ListCommentsQuery } from './schemas.ts';
import { moderateComment } from '../moderation/moderate-comment.ts';
import type { Writer } from '../rules.ts';

export type Reader = CreateCommentInput['author'];

/** What tests of comments need: readers who write, and a look at what is stored. */
export class CommentFixture extends BlogFixture {
  #texts = 0;
  /** There is no cache of replies here that would have to know. */
  onCounted = (): void => undefined;

  async reader(name: string): Promise<Reader> {
    const { id } = await this.writer(name, 'AUTHOR');
    return { id, name, blogRole: null };
  }

  /** A comment with a text of its own, unless one is given. */
  comment = (author: Reader, slug: string, parentId?: string, body = `Text ${++this.#texts}`): Promise<Comment> =>
    this.run((trx) =>
      createComment(trx, { slug, author, body, parentId }, this.env(), {
        publish: this.publish,
        marketplaceId,
        counted: this.onCounted,
      }),
    );

  remove = (author: { id: string }, id: string): Promise<void> =>
    this.run((trx) => deleteComment(trx, { id, userId: author.id }, this.onCounted));

  report = (author: { id: string }, id: string, reason = 'Rude.'): Promise<void> =>
    this.run((trx) =>
      reportComment(trx, { id, userId: author.id, reason }, this.env(), { publish: this.publish, marketplaceId }),
    );

  moderate = (writer: Writer, id: string, status: 'VISIBLE' | 'HIDDEN', reason?: string) =>
    this.run((trx) =>
      moderateComment(trx, { writer, id, status, ...(reason ? { reason } : {}) }, this.env(), this.onCounted),
    );

  list = (slug: string, query: Partial<ListCommentsQuery> = {}) =>
    listComments(this.db, { slug, page: 1, limit: 20, ...query }, this.env());

  /** The events that were published, oldest first. */
  async flagged(): Promise<Record<string, unknown>[]> {
    const { rows } = await sql<{ data: Record<string, unknown> }>`
      select data from events where event = 'moderation.flagged' order by position`.execute(this.db);
    return rows.map((row) => row.data);
  }

  /** As `commentDrift`. */
  drift = (): Promise<unknown[]> => commentDrift(this.db);
}

/** Posts and threads whose kept counts are not those of the rows: none, if all is well. */
export async function commentDrift(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    with visible as (
      select post_id, root_id, count(*)::integer as n from comments where status = 'VISIBLE' group by post_id, root_id)
    select 'post' as what, p.id from posts p
    left join (select post_id, sum(n)::integer as n, count(*)::integer as threads from visible group by post_id) v
      on v.post_id = p.id
    where p.comment_count <> coalesce(v.n, 0) or p.comment_threads <> coalesce(v.threads, 0)
    union all
    select 'thread', c.id from comments c left join visible v on v.root_id = c.id
    where c.parent_id is null and c.thread_visible <> coalesce(v.n, 0)`.execute(db);
  return rows;
}

/** A tree in short: bodies with their replies; a placeholder is `-`. */
export const outline = (comments: readonly Comment[]): unknown[] =>
  comments.map((c) => [c.deleted ? '-' : c.body, ...outline(c.replies)]);
