import type { Caller } from '../../../contracts/caller.ts';
import { invalidAll, noSuch } from '../../../contracts/errors.ts';
import { spellingsOf } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import { idOfCursor, spanFaults, toCursorPage } from '../../../platform/http/index.ts';
import { type InboundRow, selectReport, selectReports } from './report-store.ts';
import type { InboundQuery } from './schemas.ts';

export interface InboundDeps {
  visibleAccounts(caller: Caller): 'all' | readonly string[];
  /** The account that was asked for, if the caller may act for it; else throws NOT_FOUND. */
  actingAccount(caller: Caller, requested?: string): string;
}

/** Reports of the accounts that the caller may see, newest first. Throws VALIDATION_ERROR when none can ever fit. */
export async function listReports(
  deps: InboundDeps,
  db: Db,
  { accountId, cursor, limit, tradeSessionId, since, until, ...filter }: InboundQuery,
  caller: Caller,
): Promise<{ data: InboundRow[]; nextCursor: string | null }> {
  const accounts = accountId === undefined ? deps.visibleAccounts(caller) : [deps.actingAccount(caller, accountId)];
  const faults = spanFaults({ ...(since && { since }), ...(until && { until }) }, 'query');
  if (faults.length > 0) throw invalidAll(faults);
  const before = idOfCursor(cursor);
  // By each way to write it, without looking for the trade: what is found must not tell that one of others exists.
  const tradeSessionIds = tradeSessionId === undefined ? undefined : spellingsOf(tradeSessionId);
  const span = {
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
  };
  const rows = await selectReports(db, { accounts, tradeSessionIds, ...filter, ...span }, { before, limit: limit + 1 });
  return toCursorPage(rows, limit);
}

/** One report; NOT_FOUND also for one that the caller may not know of. */
export async function getReport(deps: InboundDeps, db: Db, id: string, caller: Caller): Promise<InboundRow> {
  const report = await selectReport(db, id);
  const accounts = deps.visibleAccounts(caller);
  if (!report || (accounts !== 'all' && !accounts.includes(report.accountId))) throw noSuch('report', id);
  return report;
}
