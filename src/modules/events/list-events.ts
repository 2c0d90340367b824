import type { Caller } from '../../contracts/caller.ts';
import { AppError, invalidAll } from '../../contracts/errors.ts';
import { eventFault } from '../../contracts/events/index.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import { spanFaults } from '../../platform/http/index.ts';
import { type LogFilter, rangeOf } from './filter-store.ts';
import { decodePosition, encodePosition } from './position-cursor.ts';
import type { EventQuery } from './schemas.ts';
import { selectById, selectPage } from './store.ts';
import type { LoggedEvent } from './types.ts';

export interface ListEventsQuery extends EventQuery {
  cursor?: string;
  limit: number;
}

export interface AuditDeps {
  visibleAccounts(caller: Caller): LogFilter['accounts'];
  /** The account that was asked for, if the caller may act for it; throws FORBIDDEN or NOT_FOUND. */
  actingAccount(caller: Caller, requested: string): string;
}

/** The accounts among whose events is looked: the one that was asked for, or all that the caller may see. */
export const accountsOf = (deps: AuditDeps, caller: Caller, { accountId }: EventQuery): LogFilter['accounts'] =>
  accountId === undefined ? deps.visibleAccounts(caller) : [deps.actingAccount(caller, accountId)];

/** The filter of a query, over these accounts. Throws VALIDATION_ERROR when no event can ever pass it. */
export function filterOf(query: EventQuery, accounts: LogFilter['accounts']): LogFilter {
  const { event, tradeSessionId, subjectId, causedBy, requestId, since, until } = query;
  const fault = event === undefined ? null : eventFault(event);
  const faults = fault === null ? [] : [{ path: 'query.event', message: fault }];
  faults.push(...spanFaults(query, 'query'));
  if (faults.length > 0) throw invalidAll(faults);
  return {
    accounts,
    ...(event === undefined ? {} : { event }),
    ...(tradeSessionId === undefined ? {} : { tradeSessionId }),
    ...(subjectId === undefined ? {} : { subjectId }),
    ...(causedBy === undefined ? {} : { causedBy }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
  };
}

/** The audit trail, newest first, of these accounts. Pages neither repeat nor skip while it grows. */
export async function listEvents(
  db: Db,
  query: ListEventsQuery,
  accounts: LogFilter['accounts'],
): Promise<{ data: LoggedEvent[]; nextCursor: string | null }> {
  const { cursor, limit } = query;
  const before = cursor === undefined ? null : decodePosition(cursor);
  const filter = filterOf(query, accounts);
  const { above, below } = await rangeOf(db, filter);
  const range = { above, below: Math.min(below, before ?? below) };
  const rows = await selectPage(db, filter, { range, limit: limit + 1 });
  const data = rows.slice(0, limit);
  return { data, nextCursor: rows.length > limit ? encodePosition((data.at(-1) as LoggedEvent).position) : null };
}

/** An event of whose audience is one of the accounts; null: there is none. */
export async function findEvent(
  db: Db | Trx,
  id: string,
  accounts: 'all' | readonly string[],
): Promise<LoggedEvent | null> {
  const event = await selectById(db, id);
  return event && (accounts === 'all' || event.accountIds.some((a) => accounts.includes(a))) ? event : null;
}

/** One event; NOT_FOUND also for one that the caller may not know of. */
export async function getEvent(db: Db | Trx, id: string, accounts: 'all' | readonly string[]): Promise<LoggedEvent> {
  const event = await findEvent(db, id, accounts);
  if (!event)
    // The event may be named in a body: then there is something under the address.
    throw new AppError('NOT_FOUND', { message: 'There is no such event, or its audience does not have this account.' });
  return event;
}
