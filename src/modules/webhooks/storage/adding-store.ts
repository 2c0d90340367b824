import { sql } from 'kysely';
import { type Db, isCancelled, type Trx } from '../../../platform/db/index.ts';
import { changing, isOfAnother, type Part, partsOf, REST, table } from './parts-store.ts';
import type { IdRange } from './weeks.ts';

/** Rows of a week that came before its part: more stay in the rest for good, since all who write or read deliveries wait while they are moved. */
const MOST_TAKEN_ALONG = 2000;
/** Longest that a statement of a new part may keep them waiting. Milliseconds. */
const ADDING_TIMEOUT_MS = 2000;

/**
 * `too many`: rows stay in the rest, where they are found and removed as well, and the week does without a part. So it does where the rest has grown so
 * large that it cannot be read in the time that a statement may take.
 */
export type Added = 'added' | 'there already' | 'too many';

/**
 * Adds a part, unless there is one that takes any of its ids; what had come for it before moves into it. Whoever writes into
 * other parts does not wait. Throws (`isBusy`) when a reader of the rest holds it up for a tenth of a second, or another node changes the parts.
 *
 * Where nothing has come, the rest is told first that nothing of the week may come, and read for it while others use it (`validate constraint`): else `attach` reads all of
 * it while they wait, 0.05 to 1.2 s for 300,000 rows (measured). A row of the week that comes in between is refused, and written again by who keeps it in
 * memory; so only where the week is still to come (`isAhead`), and only clocks that go wrong write into it.
 */
export async function addPart(db: Db, part: Part, { isAhead = false } = {}): Promise<Added> {
  const { name, from, to } = part;
  try {
    if (isAhead) await withoutIt(db, part);
    return await changing(db, async (trx): Promise<Added> => {
      if (await isThere(trx, part)) return 'there already';
      await sql`select set_config('statement_timeout', ${String(ADDING_TIMEOUT_MS)}, true)`.execute(trx);
      // What waits for this lock to come into the rest is refused once this is over, and its transaction repeated (`isRetryable`).
      await sql`lock table ${table(REST)} in access exclusive mode`.execute(trx);
      if (!(await isEmptyOf(trx, part)) && (await hasMoreThan(trx, part, MOST_TAKEN_ALONG))) return 'too many';
      await sql`create table ${table(name)} (like webhook_deliveries including defaults including constraints)
        with (autovacuum_vacuum_insert_scale_factor = 0.05)`.execute(trx);
      await sql`with moved as (delete from ${table(REST)} where id >= ${from} and id < ${to} returning *)
        insert into ${table(name)} select * from moved`.execute(trx);
      // Not `create table … partition of`, for which all writers would have to wait.
      await sql`alter table webhook_deliveries attach partition ${table(name)}
        for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(trx);
      await allow(trx, name);
      return 'added';
    });
  } catch (error) {
    // Not where another node may be about to add it.
    if (!isOfAnother(error)) await changing(db, (trx) => allow(trx, name)).catch(() => undefined);
    // Most of that time is what has to be read: it would take as long the next time.
    if (isCancelled(error)) return 'too many';
    throw error;
  }
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
const constraintOf = (name: string): string => `${NOT_IN_REST}${name}`;

const allow = (trx: Trx, name: string): Promise<unknown> =>
  sql`alter table ${table(REST)} drop constraint if exists ${sql.ref(constraintOf(name))}`.execute(trx);

/** Parts of which the rest is told that nothing may come, and whether it has been read for it. */
async function refused(db: Db | Trx): Promise<{ name: string; isRead: boolean }[]> {
  const { rows } = await sql<{ name: string; isRead: boolean }>`
    select substr(conname::text, ${NOT_IN_REST.length + 1}::int) as name, convalidated as "isRead" from pg_constraint
    where conrelid = ${REST}::regclass and contype = 'c' and starts_with(conname::text, ${NOT_IN_REST})`.execute(db);
  return rows;
}

/** Whether the rest is known to have nothing of a part, nor to get anything: also where another node has told it so. */
const isEmptyOf = async (trx: Trx, { name }: Part): Promise<boolean> =>
  (await refused(trx)).some((r) => r.name === name && r.isRead);

/**
 * Lets rows into the rest again where that was told for a part and still is, though nobody adds the part any more: somebody was killed over it. Returns
 * for which it is told now. `before`: what this returned some seconds ago, longer than a node takes from one of its steps to the next.
 */
export async function allowAgain(db: Db, before: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const names = (await refused(db)).map(({ name }) => name);
  // One whose step takes longer holds what `changing` asks for.
  for (const name of names) if (before.has(name)) await changing(db, (trx) => allow(trx, name));
  return new Set(names);
}

/** Tells the rest that nothing of a part that is to be added may come, and reads it for that; not where something has come. */
async function withoutIt(db: Db, part: Part): Promise<void> {
  const isTold = await changing(db, async (trx) => {
    if (await isThere(trx, part)) return false;
    // By another node in this moment, or one that was killed over it.
    if ((await refused(trx)).some((r) => r.name === part.name)) return true;
    await sql`lock table ${table(REST)} in access exclusive mode`.execute(trx);
    if (await hasMoreThan(trx, part, 0)) return false;
    // Word for word what `attach` asks for.
    await sql`alter table ${table(REST)} add constraint ${sql.ref(constraintOf(part.name))} check (
      not (id is not null and id >= ${sql.lit(part.from)} and id < ${sql.lit(part.to)})) not valid`.execute(trx);
    return true;
  });
  if (!isTold) return;
  await changing(db, async (trx) => {
    // Another node may have added the part since.
    if (!(await refused(trx)).some((r) => r.name === part.name)) return;
    await sql`alter table ${table(REST)} validate constraint ${sql.ref(constraintOf(part.name))}`.execute(trx);
  });
}
