import { AppError } from '../../contracts/errors.ts';
import { isInternalEvent } from '../../contracts/events/index.ts';
import type { Db } from '../../platform/db/index.ts';
import { decodePosition, encodePosition } from './position-cursor.ts';
import { selectById, selectPage } from './store.ts';
import type { LoggedEvent } from './types.ts';

export interface ListEventsQuery {
  event?: string;
  tradeSessionId?: string;
  cursor?: string;
  limit: number;
}

/** The audit trail, newest first, of the accounts that the caller may see. Pages neither repeat nor skip while it grows. */
export async function listEvents(
  db: Db,
  query: ListEventsQuery,
  accounts: 'all' | readonly string[],
): Promise<{ data: LoggedEvent[]; nextCursor: string | null }> {
  const { cursor, limit, ...filter } = query;
  // There is none, and to find that out would take reading all of the log.
  if (filter.event !== undefined && !isInternalEvent(filter.event)) return { data: [], nextCursor: null };
  const rows = await selectPage(db, {
    ...filter,
    accounts,
    before: cursor === undefined ? null : decodePosition(cursor),
    limit: limit + 1,
  });
  const data = rows.slice(0, limit);
  return { data, nextCursor: rows.length > limit ? encodePosition((data.at(-1) as LoggedEvent).position) : null };
}

/** One event; NOT_FOUND also for one that the caller may not know of. */
export async function getEvent(db: Db, id: string, accounts: 'all' | readonly string[]): Promise<LoggedEvent> {
  const event = await selectById(db, id);
  if (!event || (accounts !== 'all' && !event.accountIds.some((a) => accounts.includes(a))))
    throw new AppError('NOT_FOUND');
  return event;
}
