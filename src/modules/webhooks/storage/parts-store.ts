import { type RawBuilder, sql } from 'kysely';
import { monotonicNow } from '../../../lib/clock.ts';
import { type Db, inTransaction, isCancelled, isLockTimeout, type Trx } from '../../../platform/db/index.ts';
import { type IdRange, LEAST_ID } from './weeks.ts';

/** Any constant does, as long as every version of the code uses the same: one node at a time changes the parts. */
const LOCK = 4_772_019_129;
/**
 * Longest wait for a statement that reads a part, for each table that is locked. Whatever comes after this one waits behind it, so it gives up early
 * and is tried again later. Milliseconds.
 */
const LOCK_TIMEOUT_MS = 100;
/** Where everybody waits already: only who went past `webhook_deliveries` can still be in the way, and is so for milliseconds. */
const SHORT_LOCK_TIMEOUT_MS = 20;
/** The part that takes what no other does. */
export const REST = 'webhook_deliveries_rest';

/** Comments of a table that was taken off: one that somebody else made or took off has none of them, and is not ours to touch. */
const TO_EMPTY = 'posthorn: what is kept of it moves to webhook_deliveries_rest, then it is removed';
const TO_REMOVE = 'posthorn: nothing is kept of it, it is removed';
type Comment = typeof TO_EMPTY | typeof TO_REMOVE;

export interface Part extends IdRange {
  name: string;
}

const table = (name: string) => sql.table(name);

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

const setLockTimeout = (trx: Trx, ms: number): Promise<unknown> =>
  sql`select set_config('lock_timeout', ${String(ms)}, true)`.execute(trx);

/** In a transaction of its own, one node at a time, without waiting long for those who read. Throws (`isBusy`) while another node does. */
const changing = <T>(db: Db, change: (trx: Trx) => Promise<T>): Promise<T> =>
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

/** Rows of a week that came before its part: more stay in the rest for good, since all who write or read deliveries wait while they are moved. */
const MOST_TAKEN_ALONG = 2000;
/** Longest that a statement of a new part may keep them waiting. Milliseconds. */
const ADDING_TIMEOUT_MS = 2000;

/** `too many`: rows stay in the rest, where they are found and removed as well, and the week does without a part. */
export type Added = 'added' | 'there already' | 'too many';

/**
 * Adds a part, unless there is one that takes any of its ids; what had come for it before moves into it. Whoever writes into
 * other parts does not wait. Throws (`isBusy`) when a reader of the rest holds it up for a tenth of a second.
 *
 * Where nothing has come, the rest is told first that nothing of the week may come, and read for it while others use it (`validate constraint`): else `attach` reads all of
 * it while they wait, 0.05 to 1.2 s for 300,000 rows (measured). A row of the week that comes in between is refused, and written again by who keeps it in
 * memory; so only where the week is still to come (`isAhead`), and only clocks that go wrong write into it.
 */
export async function addPart(db: Db, part: Part, { isAhead = false } = {}): Promise<Added> {
  const { name, from, to } = part;
  const isReady = isAhead && (await withoutIt(db, part));
  const adding = changing(db, async (trx): Promise<Added> => {
    if (await isThere(trx, part)) return 'there already';
    await sql`select set_config('statement_timeout', ${String(ADDING_TIMEOUT_MS)}, true)`.execute(trx);
    // What would come into the rest from here on is routed anew once this is over.
    await sql`lock table ${table(REST)} in access exclusive mode`.execute(trx);
    if (!isReady && (await hasMoreThan(trx, part, MOST_TAKEN_ALONG))) return 'too many';
    await sql`create table ${table(name)} (like webhook_deliveries including defaults including constraints)
      with (autovacuum_vacuum_insert_scale_factor = 0.05)`.execute(trx);
    await sql`with moved as (delete from ${table(REST)} where id >= ${from} and id < ${to} returning *)
      insert into ${table(name)} select * from moved`.execute(trx);
    // Not `create table … partition of`, for which all writers would have to wait.
    await sql`alter table webhook_deliveries attach partition ${table(name)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(trx);
    await allow(trx, part);
    return 'added';
  });
  // Most of that time is what `attach` reads: it would take as long the next time, while everybody waits.
  return adding.catch((error: unknown) => {
    if (isCancelled(error)) return 'too many';
    throw error;
  });
}

const isThere = async (trx: Trx, { from, to }: IdRange): Promise<boolean> =>
  (await partsOf(trx)).some((p) => p.from < to && from < p.to);

async function hasMoreThan(trx: Trx, { from, to }: IdRange, most: number): Promise<boolean> {
  const { rows } =
    await sql`select from ${table(REST)} where id >= ${from} and id < ${to} offset ${most} limit 1`.execute(trx);
  return rows.length > 0;
}

/** Of the rest, while the part of this name is being added. */
const NOT_IN_REST = 'without_';
const constraintOf = ({ name }: Pick<Part, 'name'>): string => `${NOT_IN_REST}${name}`;

const allow = (trx: Trx, part: Pick<Part, 'name'>): Promise<unknown> =>
  sql`alter table ${table(REST)} drop constraint if exists ${sql.ref(constraintOf(part))}`.execute(trx);

/** Names of the parts of which the rest is told that nothing may come. */
async function refused(db: Db | Trx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select substr(conname::text, ${NOT_IN_REST.length + 1}::int) as name from pg_constraint
    where conrelid = ${REST}::regclass and contype = 'c' and starts_with(conname::text, ${NOT_IN_REST})`.execute(db);
  return rows.map(({ name }) => name);
}

/** Rows of weeks up to this part come into the rest where they have no part: somebody may have been killed before theirs was added. */
export async function allowUpTo(db: Db, last: Pick<Part, 'name'>): Promise<void> {
  for (const name of await refused(db)) if (name <= last.name) await changing(db, (trx) => allow(trx, { name }));
}

/** Whether the rest is known to have nothing of a part that is to be added, nor to get anything. */
async function withoutIt(db: Db, part: Part): Promise<boolean> {
  const isTold = await changing(db, async (trx) => {
    if (await isThere(trx, part)) return false;
    // By another node in this moment, or one that was killed over it.
    if ((await refused(trx)).includes(part.name)) return true;
    await sql`lock table ${table(REST)} in access exclusive mode`.execute(trx);
    if (await hasMoreThan(trx, part, 0)) return false;
    // Word for word what `attach` asks for.
    await sql`alter table ${table(REST)} add constraint ${sql.ref(constraintOf(part))} check (
      not (id is not null and id >= ${sql.lit(part.from)} and id < ${sql.lit(part.to)})) not valid`.execute(trx);
    return true;
  });
  if (!isTold) return false;
  try {
    return await changing(db, async (trx) => {
      // Another node may have added the part since.
      if (!(await refused(trx)).includes(part.name)) return false;
      await sql`alter table ${table(REST)} validate constraint ${sql.ref(constraintOf(part))}`.execute(trx);
      return true;
    });
  } catch (error) {
    await changing(db, (trx) => allow(trx, part)).catch(() => undefined);
    if (isCancelled(error)) return false;
    throw error;
  }
}

/** What outlives its part. */
export interface Kept {
  /** Dead letters from this id on; what waits is kept whatever its age. */
  deadFrom: string;
  /** Rows per statement. */
  portion: number;
}

/**
 * A portion of them. Each status by the index that has no other rows: what was delivered at a second attempt, or discarded, may be a thousand times as many.
 */
export function keptOf(name: string, { deadFrom, portion }: Kept, column: 'ctid' | 'attempt_log'): RawBuilder<unknown> {
  const some = (condition: RawBuilder<boolean>): RawBuilder<unknown> =>
    sql`(select ${sql.raw(column)} from ${table(name)} where ${condition} limit ${portion})`;
  return sql`select * from (${some(sql`status = 'PENDING'`)} union all ${some(sql`status = 'HELD'`)}
    union all ${some(sql`status = 'DEAD' and id >= ${deadFrom}`)}) as kept limit ${portion}`;
}

/** Moves a portion of what is kept out of a part that was taken off, into the rest. Returns how many rows that were; less than a portion: nothing is left. */
async function moveKept(trx: Trx, name: string, kept: Kept): Promise<number> {
  // Those that are in the rest already count as well: less than a portion would otherwise not be the end.
  const { rows } = await sql<{ moved: number }>`
    with moved as (
      delete from ${table(name)} where ctid = any(array(${keptOf(name, kept, 'ctid')}))
      returning *
    ), written as (
      insert into webhook_deliveries select * from moved on conflict (id) do nothing
    ) select count(*)::int as moved from moved`.execute(trx);
  return rows[0]?.moved ?? 0;
}

async function isUnderWay(trx: Trx, name: string): Promise<boolean> {
  const { rows } =
    await sql`select from ${table(name)} where status = 'PENDING' and lease_until > now() limit 1`.execute(trx);
  return rows.length > 0;
}

const mark = (trx: Trx, name: string, comment: Comment): Promise<unknown> =>
  sql`comment on table ${table(name)} is ${sql.lit(comment)}`.execute(trx);

/**
 * What was a part, under a name that no part has: its week is the name of one to come, should a clock have gone wrong. A vacuum, which would be due once most rows are
 * moved, must not keep it from being marked and removed. Returns the name.
 */
async function asTakenOff(trx: Trx, name: string): Promise<string> {
  const { rows } = await sql<{ oid: string }>`select ${name}::regclass::oid::text as oid`.execute(trx);
  const off = `${name}_off_${rows[0]?.oid}`;
  await sql`alter table ${table(name)} rename to ${table(off)}`.execute(trx);
  await sql`alter table ${table(off)} set (autovacuum_enabled = off, toast.autovacuum_enabled = off)`.execute(trx);
  return off;
}

/**
 * Takes a part off the table, at the cost of no row of it but those that are kept, of which a portion stays in sight. Nothing happens while
 * an attempt of one of its deliveries is under way (false). The others follow by `emptyNext`, and cannot be seen until then; `removeEmpty` removes it.
 */
export const dropPart = (db: Db, name: string, kept: Kept): Promise<boolean> =>
  changing(db, async (trx) => {
    if (!(await partsOf(trx)).some((p) => p.name === name) || (await isUnderWay(trx, name))) return false;
    // Not from the disk while everybody waits.
    await sql`select max(length(attempt_log)) from (${keptOf(name, kept, 'attempt_log')}) as kept`.execute(trx);
    await sql`lock table only webhook_deliveries in access exclusive mode`.execute(trx);
    await setLockTimeout(trx, SHORT_LOCK_TIMEOUT_MS);
    await sql`lock table only ${table(name)}, only ${table(REST)} in access exclusive mode`.execute(trx);
    // Somebody may have claimed one since.
    if (await isUnderWay(trx, name)) return false;
    await sql`alter table webhook_deliveries detach partition ${table(name)}`.execute(trx);
    const off = await asTakenOff(trx, name);
    await mark(trx, off, (await moveKept(trx, off, kept)) < kept.portion ? TO_REMOVE : TO_EMPTY);
    return true;
  });

/** The parts that were taken off and have this comment. */
async function takenOff(db: Db | Trx, comment: Comment): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and not relispartition
      and obj_description(oid, 'pg_class') = ${comment} and relnamespace = (
        select relnamespace from pg_class where oid = 'webhook_deliveries'::regclass)
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Goes on with a part that was taken off and of which something may be left; false: there is none. One that fails keeps no other from it. */
export async function emptyNext(db: Db, kept: Kept): Promise<boolean> {
  const errors: unknown[] = [];
  for (const name of await takenOff(db, TO_EMPTY)) {
    try {
      await changing(db, async (trx) => {
        // Another node may have done it. What was moved is so even where the comment has to wait.
        if (!(await takenOff(trx, TO_EMPTY)).includes(name)) return;
        if ((await moveKept(trx, name, kept)) === 0) await mark(trx, name, TO_REMOVE);
      });
      return true;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return false;
}

/** Removes the parts of which nothing is left. Returns those that somebody reads, maybe for hours (a dump): they stay. */
export async function removeEmpty(db: Db): Promise<string[]> {
  const read: string[] = [];
  for (const name of await takenOff(db, TO_REMOVE)) {
    await changing(db, async (trx) => {
      // Another node may have removed it.
      if ((await takenOff(trx, TO_REMOVE)).includes(name)) await sql`drop table ${table(name)}`.execute(trx);
    }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      read.push(name);
    });
  }
  return read;
}

/**
 * Whether deliveries are out of sight while they are being moved into the rest. Where this is false, all that the transaction reads
 * of `webhook_deliveries` from here on is there: no part is taken off until it ends.
 */
export async function areSomeHidden(trx: Trx): Promise<boolean> {
  await sql`lock table only webhook_deliveries in access share mode`.execute(trx);
  return (await takenOff(trx, TO_EMPTY)).length > 0;
}

/** The same of a delivery of this id: whose week has its part is there, or nowhere. */
export const mayBeHidden = async (trx: Trx, id: string): Promise<boolean> =>
  (await areSomeHidden(trx)) && !(await partsOf(trx)).some((p) => p.from <= id && id < p.to);

/** What came into the rest is removed from it one by one, at most a portion; true when there may be more. */
export async function purgeRest(db: Db, before: string, changedBefore: Date, kept: Kept): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${table(REST)} where ctid = any(array(
      select ctid from ${table(REST)} where id < ${before} and updated_at < ${changedBefore}
        and (status in ('DELIVERED', 'DISCARDED') or (status = 'DEAD' and id < ${kept.deadFrom}))
      limit ${kept.portion}))`.execute(db);
  return Number(numAffectedRows ?? 0) >= kept.portion;
}

class AnotherChanges extends Error {
  constructor() {
    super('another node changes the parts of webhook_deliveries');
  }
}

/** A lock that was not to be had in time, or another node changes the parts. */
export const isBusy = (error: unknown): boolean => error instanceof AnotherChanges || isLockTimeout(error);

/** A table that is not there any more (SQLSTATE undefined_table). */
export const isGone = (error: unknown): boolean => (error as { code?: unknown }).code === '42P01';
