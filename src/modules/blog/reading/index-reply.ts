import { Readable } from 'node:stream';
import type { Env, Reads } from '../../../platform/db/index.ts';
import type { Again, Reply } from '../../../platform/http/index.ts';
import type { Built, ReadCache } from './cache/read-cache.ts';
import { getIndex, getIndexHead, getIndexSince, type IndexHead, writeIndex } from './get-index.ts';
import { conditionalHeaders, publicReply } from './public-reply.ts';

/** A larger index is not kept: it is written anew for whoever needs its body. Posts; some 400 bytes each when kept. */
export const READY_MAX = 10_000;

const withoutPosts = (body: object): Built => ({ body, postIds: [] });

/** Stands in the cache for "give everything"; no index looks like this. */
const EVERYTHING = { full: true };
const EVERYTHING_TEXT = JSON.stringify(EVERYTHING);

export interface IndexRequest {
  /** RFC 3339; undefined: everything is asked for. */
  since: string | undefined;
  headers: Readonly<Record<string, string | undefined>>;
  env: Pick<Env, 'now'>;
}

/**
 * The whole index. Its ETag is that of its head, so a 304 costs no body, however many posts there are and whether or not
 * the body is kept.
 */
async function everything(reads: Reads, cache: ReadCache, { since, headers, env }: IndexRequest): Promise<Reply> {
  const { etag, bytes } = await cache.get('index head', async (now) =>
    withoutPosts(await reads((db) => getIndexHead(db, { now }))),
  );
  const known = conditionalHeaders(headers, etag);
  // With the tag of its head: the two are kept apart, and one may be dropped without the other.
  const key = `${since === undefined ? 'index' : 'index full'} ${etag}`;
  // With `since`, what is to be told depends on more than the head.
  const again: Again = (asked) => {
    if (since !== undefined) return null;
    const tag = cache.ready('index head')?.etag;
    if (tag === undefined) return null;
    const now = conditionalHeaders(asked, tag);
    if (now.isKnown) return { status: 304, headers: now.headers };
    const body = tag === etag ? cache.ready(key) : null;
    return body && publicReply(asked, { etag, bytes: body.bytes });
  };
  if (known.isKnown) return { status: 304, headers: known.headers, again };
  const head = JSON.parse(bytes.toString()) as IndexHead;
  const rest = since === undefined ? {} : { full: true, removed: [] };
  if (head.total > READY_MAX) {
    const body = Readable.from(writeIndex(reads, head, rest, { now: cache.notBefore(env.now) }), { highWaterMark: 1 });
    return { status: 200, body, headers: { ...known.headers, 'content-type': 'application/json; charset=utf-8' } };
  }
  const ready = await cache.get(key, async (now) =>
    withoutPosts({ ...(await reads((db) => getIndex(db, { now }))), ...rest }),
  );
  return { ...publicReply(headers, { etag, bytes: ready.bytes }), again };
}

/** The index, or what changed in it. */
export async function indexReply(reads: Reads, cache: ReadCache, request: IndexRequest): Promise<Reply> {
  if (request.since === undefined) return everything(reads, cache, request);
  const since = new Date(request.since);
  const ready = await cache.get(`index since ${since.toISOString()}`, async (now) =>
    withoutPosts((await reads((db) => getIndexSince(db, since, { now }))) ?? EVERYTHING),
  );
  // So short a text is a string.
  if (typeof ready.bytes === 'string' && ready.bytes.startsWith(EVERYTHING_TEXT))
    return everything(reads, cache, request);
  return publicReply(request.headers, ready);
}
