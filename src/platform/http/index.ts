export {
  CursorQuery,
  cursorPageOf,
  DateTime,
  IdParams,
  LAST_PAGE,
  Nullable,
  type Page,
  pageOf,
  PageQuery,
  toPage,
  Uuid,
} from './paging.ts';
export {
  type Again,
  type AnyRoute,
  batch,
  type IdempotencyClaim,
  read,
  type Reply,
  write,
} from './route.ts';
export { spanFaults, type TimeWindow, windowOf, windowProperties, windowQuery } from './time-window.ts';
export { cursorOfId, idOfCursor, toCursorPage } from './id-cursor.ts';
export { bytesOf, etagMatches, type Octets, octets, strongEtag } from './etag.ts';
export { commitReply } from './idempotency/commit-reply.ts';
export { clearedCookie, isSecure, sessionCookie, sessionTokenOf } from './browser-session.ts';
export { bodyCheck } from './check-body.ts';
export { unauthenticated } from './caller.ts';
export { envelope } from './errors.ts';
export { createHttpApp, type HttpApp } from './app.ts';
export { claimOf, claimReplies, findReply, purgeIdempotencyKeys } from './idempotency/idempotency.ts';
export type { Fields, PageInput, PageReply, Sent, WebPage } from './pages/page.ts';
export { wantsJson } from './pages/register-pages.ts';
export { readStaticSite, type ServedSite } from './static-site.ts';
