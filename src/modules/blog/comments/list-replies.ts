import { AppError } from '../../../contracts/errors.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import { findListedThread, pageOfReplies } from './list-store.ts';
import { view } from './nest.ts';
import type { Comment, ListRepliesQuery } from './schemas.ts';

/**
 * A page of the visible replies of one thread, at any depth, oldest first and not nested: for threads that are longer
 * than a page of comments shows. Throws NOT_FOUND for what is not the top of a listed thread of a public post.
 */
export async function listReplies(
  db: Db,
  { id, ...query }: ListRepliesQuery & { id: string },
  { now }: Pick<Env, 'now'>,
): Promise<Page<Comment>> {
  const thread = await findListedThread(db, id, now);
  if (!thread) throw new AppError('NOT_FOUND');
  const total = thread.threadVisible - (thread.status === 'VISIBLE' ? 1 : 0);
  return toPage(query, total, (await pageOfReplies(db, id, query)).map(view));
}
