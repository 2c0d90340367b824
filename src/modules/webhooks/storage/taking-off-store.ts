import { type RawBuilder, sql } from 'kysely';
import { monotonicNow } from '../../../lib/clock.ts';
import { type Db, isCancelled, type Trx } from '../../../platform/db/index.ts';
import { changing, partsOf, REST, setLockTimeout, table } from './parts-store.ts';
import { GREATEST_ID, type IdRange, LEAST_ID, partOf } from './weeks.ts';

/** Where everybody waits already: only who went past `webhook_deliveries` can still be in the way, and is so for milliseconds. */
const SHORT_LOCK_TIMEOUT_MS = 20;

/** Comments of a table that was taken off: one that somebody else made or took off has none of them, and is not ours to touch. */
const TO_EMPTY = 'posthorn: what is kept of it moves to webhook_deliveries_rest, then it is removed';
export const TO_REMOVE = 'posthorn: nothing is kept of it, it is removed';
type Comment = typeof TO_EMPTY | typeof TO_REMOVE;

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

/** Taken off it is not where an attempt is under way, or so many wait in it that to look for one takes too long while everybody waits. */
export type Dropped = 'dropped' | 'under way' | 'too many wait';

/** Longest that the look for attempts under way may take. What waits has no index by its lease: it reads all that waits in the part. Milliseconds. */
const LOOK_MS = 200;
/** The same while everybody waits: it has been read a moment ago. Milliseconds. */
const LOOK_AGAIN_MS = 1000;

/**
 * Takes a part off the table, at the cost of no row of it but those that are kept, of which a portion stays in sight. Nothing happens while
 * an attempt of one of its deliveries is under way. The others follow by `emptyNext`, and cannot be seen until then; `Removal` removes it.
 */
export async function dropPart(db: Db, name: string, kept: Kept, lookMs = LOOK_MS): Promise<Dropped> {
  try {
    return await takeOff(db, name, kept, lookMs);
  } catch (error) {
    if (isCancelled(error)) return 'too many wait';
    throw error;
  }
}

const takeOff = (db: Db, name: string, kept: Kept, lookMs: number): Promise<Dropped> =>
  changing(db, async (trx) => {
    const startedAt = monotonicNow();
    if (!(await partsOf(trx)).some((p) => p.name === name) || (await isUnderWay(trx, name))) return 'under way';
    if (monotonicNow() - startedAt > lookMs) return 'too many wait';
    // Not from the disk while everybody waits.
    await sql`select max(length(attempt_log)) from (${keptOf(name, kept, 'attempt_log')}) as kept`.execute(trx);
    await sql`lock table only webhook_deliveries in access exclusive mode`.execute(trx);
    await setLockTimeout(trx, SHORT_LOCK_TIMEOUT_MS);
    await sql`lock table only ${table(name)}, only ${table(REST)} in access exclusive mode`.execute(trx);
    await sql`select set_config('statement_timeout', ${String(LOOK_AGAIN_MS)}, true)`.execute(trx);
    // Somebody may have claimed one since.
    if (await isUnderWay(trx, name)) return 'under way';
    await sql`alter table webhook_deliveries detach partition ${table(name)}`.execute(trx);
    const off = await asTakenOff(trx, name);
    await mark(trx, off, (await moveKept(trx, off, kept)) < kept.portion ? TO_REMOVE : TO_EMPTY);
    return 'dropped';
  });

/** The parts that were taken off and have this comment: `name` and `oid`. */
export const tablesTakenOff = (comment: Comment): RawBuilder<{ name: string }> => sql`
  select relname::text as name, oid from pg_class where relkind = 'r' and not relispartition
    and obj_description(oid, 'pg_class') = ${comment} and relnamespace = (
      select relnamespace from pg_class where oid = 'webhook_deliveries'::regclass)`;

async function takenOff(db: Db | Trx, comment: Comment): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`${tablesTakenOff(comment)} order by relname`.execute(db);
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

/** The ids that a part had which was taken off, as its name tells; all of them where it does not. */
function idsOf(takenOffName: string): IdRange {
  const [, year, month, day] = /^webhook_deliveries_(\d{4})(\d\d)(\d\d)(?:_|$)/.exec(takenOffName) ?? [];
  return day === undefined
    ? { from: LEAST_ID, to: GREATEST_ID }
    : partOf(Date.UTC(Number(year), Number(month) - 1, Number(day)));
}

/**
 * Whether deliveries with ids from this one on are out of sight while they are being moved into the rest. Where this is false, all that the
 * transaction reads of them in `webhook_deliveries` from here on is there: no part is taken off until it ends.
 */
export async function areSomeHidden(trx: Trx, from = LEAST_ID): Promise<boolean> {
  return (await hiddenIds(trx)).some((range) => range.to > from);
}

async function hiddenIds(trx: Trx): Promise<IdRange[]> {
  await sql`lock table only webhook_deliveries in access share mode`.execute(trx);
  return (await takenOff(trx, TO_EMPTY)).map(idsOf);
}

/** The same of the delivery with this id alone. */
export const mayBeHidden = async (trx: Trx, id: string): Promise<boolean> =>
  (await hiddenIds(trx)).some((range) => range.from <= id && id < range.to);

/** What came into the rest is removed from it one by one, at most a portion; true when there may be more. */
export async function purgeRest(db: Db, before: string, changedBefore: Date, kept: Kept): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${table(REST)} where ctid = any(array(
      select ctid from ${table(REST)} where id < ${before} and updated_at < ${changedBefore}
        and (status in ('DELIVERED', 'DISCARDED') or (status = 'DEAD' and id < ${kept.deadFrom}))
      limit ${kept.portion}))`.execute(db);
  return Number(numAffectedRows ?? 0) >= kept.portion;
}
