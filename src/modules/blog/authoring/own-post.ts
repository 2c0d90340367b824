import { AppError } from '../../../contracts/errors.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { Post } from '../post.ts';
import { mayManage, requireVersion, type Writer } from '../rules.ts';
import { findPost, lockPost } from '../store.ts';

/** What every operation on one managed post is given. */
export interface OnPost {
  writer: Writer;
  id: string;
  /** The `If-Match` header, where there is one. */
  ifMatch?: string | undefined;
}

function allowed(post: Post | null, writer: Writer): Post {
  // The same answer for a post that is not there and one that is another author's (contract: "Blog").
  if (!post || !mayManage(writer, post)) throw new AppError('NOT_FOUND');
  return post;
}

/** The post that this writer may manage. Throws NOT_FOUND. */
export const findOwnPost = async (db: Db, { writer, id }: OnPost): Promise<Post> =>
  allowed(await findPost(db, id), writer);

/** The same, locked for a change: two edits at once go one after the other. Throws also PRECONDITION_FAILED. */
export async function lockOwnPost(trx: Trx, { writer, id, ifMatch }: OnPost): Promise<Post> {
  const post = allowed(await lockPost(trx, id), writer);
  requireVersion(post, ifMatch);
  return post;
}

/** The post as it is stored now; for replies after a change in the same transaction. */
export async function reread(trx: Trx, id: string): Promise<Post> {
  const post = await findPost(trx, id);
  if (!post) throw new AppError('INTERNAL_ERROR', { cause: new Error(`post ${id} is gone inside its transaction`) });
  return post;
}
