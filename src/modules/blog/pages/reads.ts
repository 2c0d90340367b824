import type { Cipher } from '../../../lib/cipher.ts';
import { AppError } from '../../../contracts/errors.ts';
import { excerptOf } from '../../../lib/markdown-text.ts';
import { isSlug } from '../../../lib/slug.ts';
import type { Db, Reads } from '../../../platform/db/index.ts';
import { bytesOf, type Page } from '../../../platform/http/index.ts';
import type { Address } from '../addresses/store.ts';
import { listComments } from '../comments/list-comments.ts';
import { listReplies } from '../comments/list-replies.ts';
import type { Comment } from '../comments/schemas.ts';
import { getPreview } from '../preview/get-preview.ts';
import type { Built } from '../reading/cache/read-cache.ts';
import { countPublic } from '../reading/count-public.ts';
import { getPost, personalOf } from '../reading/get-post.ts';
import { getTaxonomy } from '../reading/get-taxonomy.ts';
import { builtList, listPosts } from '../reading/list-posts.ts';
import type { ListPostsQuery, PostDetail, PostSummary, Sort, Taxonomy } from '../schemas.ts';
import { Highlighter, type Piece } from './highlight.ts';
import type { PageCache } from './watch-reads.ts';
import {
  addressAt,
  addressesFrom,
  bodiesOf,
  countMonths,
  type DatedLink,
  findNeighbours,
  isGone,
  type MonthCount,
  type PostLink,
  postsBetween,
} from './store.ts';

/** What there is at the address of a post. `gone`: readers knew one here. */
export type FoundPost = { is: 'post'; post: PostDetail } | { is: 'moved'; slug: string } | { is: 'gone' | 'missing' };

/** A post of a search, with what was searched for in its title and in a piece of its text. */
export interface Finding {
  title: Piece[];
  text: Piece[];
}

/** Of a body, so much is looked through for a hit; and so much is shown. UTF-16 units. */
const SEARCHED = 200_000;
const SHOWN = 260;
/** Addresses read at a time. */
const PORTION = 1000;
const COMMENTS_PER_PAGE = 20;
const REPLIES_PER_PAGE = 50;

/** What the pages of a site read: what the API gives, from the same ready-made replies, and some lists of their own. */
export interface PageReads {
  /** `userId`: whose likes and comments are in the counts at once, from whichever process; null: nobody's. */
  list(query: ListPostsQuery, userId?: string | null): Promise<Page<PostSummary> & { sort: Sort }>;
  taxonomy(): Promise<Taxonomy>;
  /** `userId`: whose `likedByMe`; null: nobody's. */
  post(slug: string, userId: string | null): Promise<FoundPost>;
  /** What a preview link shows; null for one that is none, expired or ended, or whose post is gone. */
  preview(token: string): Promise<PostDetail | null>;
  neighbours(post: PostDetail): Promise<{ previous: PostLink | null; next: PostLink | null }>;
  /** Also by a slug that the post had before: whoever has its page open may have that one. Throws NOT_FOUND. */
  comments(slug: string, page: number): Promise<Page<Comment>>;
  /** The replies of a thread, not nested; null for what is not the top comment of one that readers see. */
  replies(id: string, page: number): Promise<Page<Comment> | null>;
  /** One for each post. */
  findings(q: string, posts: readonly PostSummary[]): Promise<Finding[]>;
  months(): Promise<MonthCount[]>;
  between(time: { from: Date; until: Date; page: number; limit: number }): Promise<DatedLink[]>;
  countPosts(): Promise<number>;
  /** At most `limit` addresses from the place on that is counted from the oldest, in portions. */
  addresses(place: number, limit: number): AsyncGenerator<Address[]>;
}

interface Deps {
  db: Db;
  reads: Reads;
  cache: PageCache;
  cipher: Cipher;
  now: () => Date;
  publicUrl: string | undefined;
}

const NO_FILTER = { categoryKey: undefined, tagKeys: [], featured: undefined, authorIds: undefined };
/** What the redirections of the API lead to. */
const MOVED = /^\/v1\/blog\/posts\/([^/]+)(?:\/comments)?(?:\?|$)/;

const slugMovedTo = (error: unknown): string | undefined =>
  error instanceof AppError && error.code === 'POST_MOVED'
    ? MOVED.exec(error.headers['location'] ?? '')?.[1]
    : undefined;

const isMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

/** What is read, or null where it is not there. */
const orNull = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return null;
  });

async function findPost(
  { db, reads, cache, now, publicUrl }: Deps,
  slug: string,
  userId: string | null,
): Promise<FoundPost> {
  if (!isSlug(slug)) return { is: 'missing' };
  const build = async (at: Date): Promise<Built> => {
    const body = await getPost(db, { slug, userId: null, publicUrl }, { now: at }, reads);
    return { body, postIds: [body.id, ...body.related.map((post) => post.id)] };
  };
  const reader = userId === null ? undefined : { personal: (id: string) => personalOf(db, id, userId) };
  try {
    return { is: 'post', post: await read<PostDetail>(cache, `post ${slug}`, build, reader) };
  } catch (error) {
    const moved = slugMovedTo(error);
    if (moved !== undefined) return { is: 'moved', slug: moved };
    if (!isMissing(error)) throw error;
    return { is: (await reads((on) => isGone(on, slug, now()))) ? 'gone' : 'missing' };
  }
}

/** The ready-made reply of this key, read. */
async function read<T>(cache: PageCache, key: string, ...rest: ParametersBehindKey): Promise<T> {
  const { bytes } = await cache.get(key, ...rest);
  return JSON.parse(bytesOf(bytes).toString()) as T;
}
type ParametersBehindKey = Parameters<PageCache['get']> extends [string, ...infer Rest] ? Rest : never;

/** What the list was made of may be a moment old: of a post that is not public any more its excerpt is shown, as the list does. */
async function findingsOf({ reads, now }: Deps, q: string, posts: readonly PostSummary[]): Promise<Finding[]> {
  const highlighter = new Highlighter(q);
  const marked = posts.map((post) => ({ title: highlighter.mark(post.title), text: highlighter.mark(post.excerpt) }));
  const unmarked = posts.filter((_, i) => !marked[i]?.text.isHit).map((post) => post.id);
  const bodies =
    unmarked.length === 0
      ? new Map<string, string>()
      : await reads((db) => bodiesOf(db, unmarked, { length: SEARCHED, now: now() }));
  const findings: Finding[] = [];
  for (const [i, { title, text }] of marked.entries()) {
    const body = bodies.get(posts[i]?.id ?? '');
    const piece = body === undefined ? null : highlighter.around(excerptOf(body, SEARCHED), SHOWN);
    findings.push({ title: title.pieces, text: piece ?? text.pieces });
    // A long body takes some 20 ms: others are answered between two of them.
    if (body !== undefined) await new Promise(setImmediate);
  }
  return findings;
}

async function commentsOf({ reads, now }: Deps, slug: string, page: number): Promise<Page<Comment>> {
  const read = (of: string) =>
    reads((db) => listComments(db, { slug: of, page, limit: COMMENTS_PER_PAGE }, { now: now() }));
  try {
    return await read(slug);
  } catch (error) {
    const moved = slugMovedTo(error);
    if (moved === undefined) throw error;
    return read(moved);
  }
}

async function* addressesOf({ reads, now }: Deps, place: number, limit: number): AsyncGenerator<Address[]> {
  const at = now();
  let from = await reads((db) => addressAt(db, place, at));
  for (let left = limit, isWith = true; from !== null && left > 0; isWith = false) {
    const size = Math.min(PORTION, left);
    const [first, options] = [from, { isWith, limit: size, now: at }];
    const rows: Address[] = await reads((db) => addressesFrom(db, first, options));
    if (rows.length > 0) yield rows;
    left -= size;
    from = rows.length < size ? null : (rows.at(-1) ?? null);
  }
}

/** Reads of what the pages of a site show; see `PageReads`. */
export function createPageReads(deps: Deps): PageReads {
  const { db, reads, cache, cipher, now, publicUrl } = deps;
  return {
    list: (query, userId = null) =>
      read(
        cache,
        `list ${JSON.stringify(query)}`,
        async (now) => builtList(await reads((db) => listPosts(db, query, { now }))),
        userId === null ? undefined : {},
      ),
    taxonomy: () =>
      read(cache, 'taxonomy', async (at) => ({
        body: await reads((db) => getTaxonomy(db, { now: at })),
        postIds: [],
      })),
    post: (slug, userId) => findPost(deps, slug, userId),
    preview: (token) => orNull(getPreview(db, { token }, { now: now(), cipher, publicUrl })),
    neighbours: ({ id, publishedAt }) =>
      read(cache, `page near ${id}`, async (at) => ({
        body: await reads((db) => findNeighbours(db, { id, publishedAt: new Date(publishedAt) }, at)),
        postIds: [],
      })),
    comments: (slug, page) => commentsOf(deps, slug, page),
    replies: (id, page) =>
      orNull(reads((db) => listReplies(db, { id, page, limit: REPLIES_PER_PAGE }, { now: now() }))),
    findings: (q, posts) => findingsOf(deps, q, posts),
    async months() {
      const { data } = await read<{ data: MonthCount[] }>(cache, 'page months', async (at) => ({
        body: { data: await reads((db) => countMonths(db, at)) },
        postIds: [],
      }));
      return data;
    },
    between: ({ page, limit, ...time }) =>
      reads((db) => postsBetween(db, { ...time, limit, offset: (page - 1) * limit }, now())),
    countPosts: async () => (await reads((db) => countPublic(db, NO_FILTER, now()))).matching,
    addresses: (place, limit) => addressesOf(deps, place, limit),
  };
}
