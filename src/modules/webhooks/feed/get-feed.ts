import type { Static } from 'typebox';
import type { Caller } from '../../../contracts/caller.ts';
import { AppError, invalid } from '../../../contracts/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { AccountLog } from '../../events/index.ts';
import { findManaged } from '../endpoints/deps.ts';
import { type EndpointKind, subscribedTo } from '../endpoints/schemas.ts';
import type { EndpointRow } from '../endpoints/store.ts';
import { headersOfRead } from '../engine/attempt.ts';
import type { SigningKeys } from '../engine/types.ts';
import { type Place, placeOf } from './feed-cursor.ts';
import { cursorAt, type FeedPage, type Listener, readFeed } from './read-feed.ts';
import type { FeedSchema } from './schemas.ts';
import type { Seats } from './seats.ts';

export interface FeedDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  log: AccountLog;
  seats: Seats;
  /** The secrets that sign for an account now; none: it has no valid key. */
  secretsOf(accountId: string): Promise<readonly SigningKeys[]>;
  userAgent: string;
  clock: Clock;
}

export interface FeedQuery {
  id: string;
  kind: EndpointKind;
  caller: Caller;
  cursor?: string;
  from?: 'start' | 'now';
  limit: number;
  /** Seconds, and whether the one who waits has hung up. */
  wait: number;
  hasLeft: () => boolean;
}

const START: Place = { eventId: null, position: 0, webhooks: 0 };

async function firstPlace(deps: FeedDeps, db: Db, query: FeedQuery, endpoint: EndpointRow): Promise<Place> {
  const { cursor, from } = query;
  const { account_id: accountId, after_position: after } = endpoint;
  if (cursor !== undefined) {
    if (from !== undefined) throw invalid({ path: 'query.from', message: 'is only for a feed without cursor' });
    return placeOf(db, cursor, accountId, 'query.cursor');
  }
  if (from !== 'now') return START;
  const head = await deps.log.lastHead(accountId, await deps.log.settled());
  return head && head.position > after ? { eventId: head.id, position: head.position, webhooks: 0 } : START;
}

/**
 * The webhooks of an endpoint in the order of the log, as text that is signed now, from behind the cursor: what a receiver
 * reads that cannot be reached, or was down. It goes by the endpoint's subscription as it is now and by its creation, and
 * knows nothing of deliveries, so it is the same for an active, a paused and a disabled endpoint. Nothing is skipped or
 * repeated. Waits up to `wait` seconds for the first. Throws NOT_FOUND, VALIDATION_ERROR for a cursor, INVALID_STATE when
 * there is no secret to sign with, UNAVAILABLE when too many wait.
 */
export async function getFeed(deps: FeedDeps, db: Db, query: FeedQuery): Promise<Static<typeof FeedSchema>> {
  const endpoint = await findManaged(deps, db, query.caller, query.id, query.kind);
  const { account_id: accountId, after_position: afterPosition } = endpoint;
  const listener: Listener = { accountId, events: new Set(subscribedTo(endpoint)), afterPosition };
  let place = await firstPlace(deps, db, query, endpoint);
  const look = async (): Promise<{ value: FeedPage; isNews: boolean }> => {
    const value = await readFeed(deps.log, listener, place, query.limit);
    place = value.place;
    return { value, isNews: value.items.length > 0 || !value.isEnd };
  };
  const page = await deps.seats.watch({ accountId, ms: query.wait * 1000, hasLeft: query.hasLeft }, look);
  const keys = page.items.length === 0 ? [] : await deps.secretsOf(accountId);
  if (page.items.length > 0 && keys.length === 0) {
    throw new AppError('INVALID_STATE', { message: 'The account has no API key, so there is no secret to sign with.' });
  }
  return view(deps, page, keys);
}

/** Names in lower case, as most servers give them to whoever verifies. */
function headersOf(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < flat.length; i += 2) headers[(flat[i] as string).toLowerCase()] = flat[i + 1] as string;
  return headers;
}

function view(deps: FeedDeps, page: FeedPage, keys: readonly SigningKeys[]): Static<typeof FeedSchema> {
  const timestamp = Math.floor(deps.clock.now() / 1000);
  return {
    data: page.items.map(({ cursor, eventId, event, occurredAt, body }) => ({
      cursor,
      eventId,
      event,
      occurredAt: occurredAt.toISOString(),
      headers: headersOf(headersOfRead({ webhook: event, eventId, body }, keys, timestamp, deps.userAgent)),
      body,
    })),
    nextCursor: cursorAt(page.place),
    hasMore: !page.isEnd,
  };
}
