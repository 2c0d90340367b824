import { type Again, etagMatches, type Reply } from '../../../platform/http/index.ts';
import type { Ready } from './cache/page-template.ts';
import type { ReadCache } from './cache/read-cache.ts';

/** The headers of a public read with this ETag, and whether the caller has that content already. */
export function conditionalHeaders(headers: Readonly<Record<string, string | undefined>>, etag: string) {
  return {
    isKnown: etagMatches(headers['if-none-match'], etag, true),
    headers: { etag, 'cache-control': 'private, no-cache', vary: 'Authorization' },
  };
}

/**
 * The reply of a public read: strong ETag of its content, 304 when the caller has it already (contract: "Conditional
 * requests"). `private`, because it was asked for with a credential: a browser may keep it and asks before using it
 * again; a shared cache must not hand one caller's reply (`likedByMe`) to another.
 */
export function publicReply(headers: Readonly<Record<string, string | undefined>>, { etag, bytes }: Ready): Reply {
  const known = conditionalHeaders(headers, etag);
  return known.isKnown ? { status: 304, headers: known.headers } : { status: 200, bytes, headers: known.headers };
}

/** The same of a reply that the cache holds under `key`; while it is right, it is given again without asking. */
export function cachedReply(
  headers: Readonly<Record<string, string | undefined>>,
  ready: Ready,
  cache: Pick<ReadCache, 'ready'>,
  key: string,
): Reply {
  const again: Again = (asked) => {
    const kept = cache.ready(key);
    return kept && publicReply(asked, kept);
  };
  return { ...publicReply(headers, ready), again };
}
