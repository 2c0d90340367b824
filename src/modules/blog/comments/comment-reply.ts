import { AppError } from '../../../contracts/errors.ts';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import { monotonicNow } from '../../../lib/clock.ts';
import { lookUpTogether } from '../../../lib/look-up-together.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { Db, Reads } from '../../../platform/db/index.ts';
import type { Reply } from '../../../platform/http/index.ts';
import type { ReadCache } from '../reading/cache/read-cache.ts';
import { publicReply } from '../reading/public-reply.ts';
import { listComments } from './list-comments.ts';
import { listReplies } from './list-replies.ts';
import { type Commented, commentedBySlug, commentedByThread } from './list-store.ts';
import { refuseOldSlug } from './public-post.ts';
import type { ListCommentsQuery, ListRepliesQuery } from './schemas.ts';

interface Deps {
  /** The primary: what it says of the comments is not older than the request, whoever wrote last, and where. */
  db: Db;
  reads: Reads;
  cache: ReadCache;
  now: () => Date;
}

/**
 * A page is built anew after this, whatever its mark: numbers of transactions may be given again after a failover or a restore.
 * Milliseconds.
 */
const KEPT_MS = 60_000;
/** Pages of which the last key is remembered. */
const PAGES = 10_000;

type Headers = Readonly<Record<string, string | undefined>>;

/** The replies to those who read comments. */
export interface CommentReplies {
  /** Throws NOT_FOUND, POST_MOVED. */
  comments(asked: ListCommentsQuery & { slug: string }, headers: Headers): Promise<Reply>;
  /** Throws NOT_FOUND. */
  replies(asked: ListRepliesQuery & { id: string }, headers: Headers): Promise<Reply>;
}

/**
 * Ready-made replies, under the mark that the post's row has at the time of the request: a page that was built for another mark
 * is not found any more (docs/adr/0016).
 */
export function createCommentReplies({ db, reads, cache, now }: Deps): CommentReplies {
  const bySlug = lookUpTogether((slugs: readonly string[]) => commentedBySlug(db, slugs, now()));
  /** Under which key a page was asked for last: what it was kept under before only takes memory. */
  const latest = new BoundedMap<string, string>(PAGES);
  const byThread = lookUpTogether((ids: readonly string[]) => commentedByThread(db, ids, now()));
  const reply = async (
    headers: Headers,
    { id, mark }: Commented,
    what: string,
    build: (at: Date) => Promise<object>,
  ): Promise<Reply> => {
    const built = async (at: Date) => ({ body: await build(at), postIds: [] });
    const page = `comments ${id} ${what}`;
    const key = `${page} ${mark} ${Math.floor(monotonicNow() / KEPT_MS)}`;
    const former = latest.get(page);
    if (former !== undefined && former !== key) cache.forget(former);
    latest.set(page, key);
    return publicReply(headers, await cache.get(key, built));
  };
  return {
    async comments({ slug, ...query }, headers) {
      const post = isSlug(slug) ? await bySlug(slug) : undefined;
      if (!post) throw new AppError('NOT_FOUND');
      refuseOldSlug(slug, post, query);
      const { sort = 'oldest', page, limit } = query;
      return reply(headers, post, `${sort} ${page} ${limit}`, (at) =>
        reads((on) => listComments(on, { ...query, slug }, { now: at })),
      );
    },
    async replies({ id: typed, page, limit }, headers) {
      const id = typed.toLowerCase();
      const post = await byThread(id);
      if (!post) throw new AppError('NOT_FOUND');
      return reply(headers, post, `of ${id} ${page} ${limit}`, (at) =>
        reads((on) => listReplies(on, { id, page, limit }, { now: at })),
      );
    },
  };
}
