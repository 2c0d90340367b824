import type { Db, Env } from '../../../platform/db/index.ts';
import { type Page, toPage } from '../../../platform/http/index.ts';
import { countThreads, findComments, firstReplies, type ListedThread, pageOfThreads } from './list-store.ts';
import { missingAncestors, nest } from './nest.ts';
import { publicPostOf, refuseOldSlug } from './public-post.ts';
import { REPLIES_PER_PAGE, sharedCap } from './rules.ts';
import type { Comment, ListCommentsQuery } from './schemas.ts';
import { findPublicPost } from './store.ts';

const repliesIn = (thread: ListedThread): number => thread.threadVisible - (thread.status === 'VISIBLE' ? 1 : 0);

/**
 * A page of the threads of a public post, each with its replies; `total` counts the threads. Together the threads of a
 * page show up to 1 000 replies (`sharedCap`), the oldest of each; `moreReplies` says how many are left out. Throws
 * NOT_FOUND, POST_MOVED.
 */
export async function listComments(
  db: Db,
  { slug, ...query }: ListCommentsQuery & { slug: string },
  { now }: Pick<Env, 'now'>,
): Promise<Page<Comment> & { sort: 'oldest' | 'newest' }> {
  const post = await publicPostOf(slug, (slug) => findPublicPost(db, slug, now));
  refuseOldSlug(slug, post, query);
  const sort = query.sort ?? 'oldest';
  const threads = await pageOfThreads(db, post.id, { ...query, sort });
  const cap = sharedCap(threads.map(repliesIn), REPLIES_PER_PAGE);
  const answered = threads.filter((thread) => repliesIn(thread) > 0).map(({ id }) => id);
  const shown = answered.length === 0 ? [] : await firstReplies(db, answered, cap);
  const above = await findComments(db, missingAncestors([...threads, ...shown]));
  const left = new Map(threads.map((thread) => [thread.id, repliesIn(thread)]));
  for (const reply of [...shown, ...above]) {
    const top = reply.path[0];
    if (reply.status === 'VISIBLE' && top !== undefined) left.set(top, (left.get(top) ?? 0) - 1);
  }
  const data = nest(threads, [...shown, ...above]).map((comment) => {
    const moreReplies = left.get(comment.id) ?? 0;
    return moreReplies > 0 ? { ...comment, moreReplies } : comment;
  });
  return { sort, ...toPage(query, await countThreads(db, post.id), data) };
}
