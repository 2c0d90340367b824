import { sql } from 'kysely';
import { monotonicNow } from '../../../lib/clock.ts';
import { timeOfUuidv7 } from '../../../lib/ids.ts';
import { type Db, inTransaction, isLockTimeout, type Trx } from '../../../platform/db/index.ts';
import { type IdRange, LEAST_ID } from './weeks.ts';

/** Any constant does, as long as every version of the code uses the same: one node at a time changes the parts. */
const LOCK = 4_772_019_129;
/**
 * Longest wait for a statement that reads a part, for each table that is locked. Whatever comes after this one waits behind it, so it gives up early
 * and is tried again later. Milliseconds.
 */
const LOCK_TIMEOUT_MS = 100;
/** The part that takes what no other does. */
export const REST = 'webhook_deliveries_rest';

export interface Part extends IdRange {
  name: string;
}

export const table = (name: string) => sql.table(name);

/** The parts of `webhook_deliveries`, oldest first, without the one that takes the rest. */
export async function partsOf(db: Db | Trx): Promise<Part[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'webhook_deliveries'::regclass`.execute(
    db,
  );
  return rows
    .flatMap(({ name, bound }) => {
      const found = /^FOR VALUES FROM \((?:MINVALUE|'([0-9a-f-]{36})')\) TO \('([0-9a-f-]{36})'\)$/.exec(bound);
      return found ? [{ name, from: found[1] ?? LEAST_ID, to: found[2] as string }] : [];
    })
    .toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

/** When the oldest delivery that is stored was made, by its id; null: there is none. Milliseconds since the epoch. */
export async function oldestDelivery(db: Db): Promise<number | null> {
  const { rows } = await sql<{ id: string }>`select id from webhook_deliveries order by id limit 1`.execute(db);
  return rows[0] ? timeOfUuidv7(rows[0].id) : null;
}

/** So long may another node have changed the parts before this one hears of it. Milliseconds. */
const KNOWN_MS = 10_000;
const known = new WeakMap<Db, { parts: Promise<readonly Part[]>; at: number }>();

/**
 * As `partsOf`, as it was at most ten seconds ago: for those who look every half second for what waits. They bear that a part is
 * gone, and that what another node has moved out of the rest is found so much later.
 */
export function knownParts(db: Db): Promise<readonly Part[]> {
  const before = known.get(db);
  if (before && monotonicNow() - before.at < KNOWN_MS) return before.parts;
  const parts = partsOf(db);
  // Before it is there: what is forgotten meanwhile must not be known again.
  known.set(db, { at: monotonicNow(), parts });
  parts.catch(() => forgetParts(db));
  return parts;
}

/** What is known of the parts is no longer right. */
export function forgetParts(db: Db): void {
  known.delete(db);
}

export const setLockTimeout = (trx: Trx, ms: number): Promise<unknown> =>
  sql`select set_config('lock_timeout', ${String(ms)}, true)`.execute(trx);

/** In a transaction of its own, one node at a time, without waiting long for those who read. Throws (`isBusy`) while another node does. */
export const changing = <T>(db: Db, change: (trx: Trx) => Promise<T>): Promise<T> =>
  inTransaction(db, async (trx) => {
    const { rows } = await sql<{
      mine: boolean;
    }>`select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as mine`.execute(trx);
    if (!rows[0]?.mine) throw new AnotherChanges();
    // What is kept is found by indexes even where a planner takes a limit for a reason to read the table: everybody waits meanwhile.
    await sql`select set_config('enable_seqscan', 'off', true)`.execute(trx);
    await setLockTimeout(trx, LOCK_TIMEOUT_MS);
    return change(trx);
  }).finally(() => forgetParts(db));

class AnotherChanges extends Error {
  constructor() {
    super('another node changes the parts of webhook_deliveries');
  }
}

/** Another node changes the parts at this moment. */
export const isOfAnother = (error: unknown): boolean => error instanceof AnotherChanges;

/** A lock that was not to be had in time, or another node changes the parts. */
export const isBusy = (error: unknown): boolean => isOfAnother(error) || isLockTimeout(error);

/** A table that is not there any more (SQLSTATE undefined_table). */
export const isGone = (error: unknown): boolean => (error as { code?: unknown }).code === '42P01';
