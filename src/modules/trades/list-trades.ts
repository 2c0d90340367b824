import { invalidAll } from '../../contracts/errors.ts';
import type { Db } from '../../platform/db/index.ts';
import { spanFaults } from '../../platform/http/index.ts';
import { decodePosition, encodePosition } from '../events/index.ts';
import type { StoredTrade } from './lifecycle/trade-store.ts';
import { selectTrades } from './list-store.ts';
import type { TradesQuery } from './schemas.ts';
import type { Seeing } from './trade-view.ts';

/** Trades that concern these accounts, newest first. Throws VALIDATION_ERROR when none can ever fit. */
export async function listTrades(
  db: Db,
  { cursor, limit, status, offerId, since, until }: Omit<TradesQuery, 'accountId'>,
  accounts: Seeing,
): Promise<{ data: StoredTrade[]; nextCursor: string | null }> {
  const faults = spanFaults({ ...(since && { since }), ...(until && { until }) }, 'query');
  if (faults.length > 0) throw invalidAll(faults);
  const filter = {
    accounts,
    ...(status === undefined ? {} : { status }),
    ...(offerId === undefined ? {} : { offerId }),
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(until === undefined ? {} : { until: new Date(until) }),
  };
  const before = cursor === undefined ? null : decodePosition(cursor);
  const rows = await selectTrades(db, filter, { before, limit: limit + 1 });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last ? encodePosition(last.number) : null };
}
