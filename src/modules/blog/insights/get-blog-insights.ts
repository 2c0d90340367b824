import type { Static } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { TimeWindow } from '../../../platform/http/index.ts';
import type { BlogInsightsSchema } from './schemas.ts';
import { type Count, countBlog, type Counted, type Engagement, findAuthorOf, findTopPosts } from './store.ts';

type BlogInsights = Static<typeof BlogInsightsSchema>;

/**
 * Whose posts a caller may be told about: an author's are own ones, an editor's, an operator's and a key's with scope
 * `admin` are all. Throws FORBIDDEN for everybody else.
 */
export function visiblePosts(caller: Caller): Pick<Counted, 'authorId'> {
  const [operates, role] =
    caller.kind === 'key' ? [caller.scopes.includes('admin'), null] : [caller.operator, caller.blogRole];
  if (operates || role === 'EDITOR') return {};
  if (caller.kind === 'session' && role === 'AUTHOR') return { authorId: caller.userId };
  throw new AppError('FORBIDDEN', {
    message: 'This is for writers of the blog, operators and keys with the scope admin.',
  });
}

const sumsOf = (counts: readonly Count[]) => {
  const sums = { views: 0, likes: 0, comments: 0, shares: 0, published: 0 };
  for (const { what, count } of counts) sums[what] += count;
  return sums;
};

export interface BlogInsightsInput {
  visible: Pick<Counted, 'authorId'>;
  postId: string | undefined;
  window: TimeWindow;
  top: { by: Engagement; limit: number };
}

/**
 * What readers did with posts, and what was published, over whole days; each bucket is there, also an empty one. Throws
 * NOT_FOUND for a post that the caller may not know of.
 */
export async function getBlogInsights(
  db: Db,
  { visible, postId, window, top }: BlogInsightsInput,
  now: Date,
): Promise<BlogInsights> {
  if (postId !== undefined) {
    const author = await findAuthorOf(db, postId);
    if (author === null || (visible.authorId ?? author) !== author) throw new AppError('NOT_FOUND');
  }
  const counted = postId === undefined ? visible : { postId };
  const counts = await countBlog(db, counted, window, now);
  const posts = await findTopPosts(db, counted, window, top);
  const byBucket = Map.groupBy(counts, ({ bucket }) => bucket);
  return {
    since: window.since.toISOString(),
    until: window.until.toISOString(),
    bucket: window.bucket,
    ...sumsOf(counts),
    topPosts: posts.map(({ publishedAt, ...post }) => ({ ...post, publishedAt: publishedAt?.toISOString() ?? null })),
    data: window.starts.map((start, i) => ({
      start: new Date(start).toISOString(),
      ...sumsOf(byBucket.get(i + 1) ?? []),
    })),
  };
}
