export {
  CursorQuery,
  cursorPageOf,
  DateTime,
  IdParams,
  Nullable,
  type Page,
  pageOf,
  PageQuery,
  toPage,
  Uuid,
} from './paging.ts';
export {
  type Access,
  type AnyRoute,
  batch,
  type CallerOf,
  type IdempotencyClaim,
  read,
  type Reply,
  type RouteInput,
  write,
} from './route.ts';
export { etagMatches, strongEtag } from './etag.ts';
export { createHttpApp, type HttpApp, type HttpOptions } from './app.ts';
export type { Authenticate } from './caller.ts';
export { claimReplies, findReply, lockKey, purgeIdempotencyKeys, storeReply } from './idempotency.ts';
