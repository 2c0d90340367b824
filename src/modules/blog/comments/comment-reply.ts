import type { Env, Reads } from '../../../platform/db/index.ts';
import type { Caller } from '../../../contracts/caller.ts';
import type { Reply } from '../../../platform/http/index.ts';
import { PageTemplate } from '../reading/cache/page-template.ts';
import type { ReadCache } from '../reading/cache/read-cache.ts';
import { cachedReply, publicReply } from '../reading/public-reply.ts';

export interface CommentReads {
  cache: ReadCache;
  reads: Reads;
}

export interface CommentRequest {
  /** Of the cache: says all that the body depends on. */
  key: string;
  caller: Caller;
  headers: Readonly<Record<string, string | undefined>>;
  env: Pick<Env, 'now'>;
}

/**
 * The reply to a reading of comments: with an API key a ready-made one, right for what this process knows and less than a
 * second old for what others did; with a session built for this request, as its reader may have just written a comment on
 * another node (contract: "A reader sees their own write at once").
 */
export async function commentReply(
  { cache }: Pick<CommentReads, 'cache'>,
  { key, caller, headers, env }: CommentRequest,
  build: (now: Date) => Promise<object>,
): Promise<Reply> {
  if (caller.kind !== 'key') return publicReply(headers, new PageTemplate(await build(env.now)).render([], false));
  const built = async (now: Date) => ({ body: await build(now), postIds: [], restsOn: 'comments' }) as const;
  return cachedReply(headers, await cache.get(key, built), cache, key);
}
