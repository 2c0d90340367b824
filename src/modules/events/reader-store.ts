import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../platform/db/index.ts';
import { slotOf } from './parts.ts';

/** A reader that has not renewed its lease for this long is taken over. Milliseconds, by the database's clock. */
export const READER_LEASE_MS = 5000;

/** When a lease ends that is taken or renewed now. */
export const LEASE_END = sql`now() + ${READER_LEASE_MS} * interval '1 millisecond'`;

/**
 * Makes `owner` the one active reader under this name, across nodes, and returns its cursor; null while another one's
 * lease runs, or while it is writing. Leases are by the database's clock, so a node whose clock jumps neither loses nor steals one.
 */
export async function acquireReader(db: Db, name: string, owner: string, now: Date): Promise<number | null> {
  // Looked at first: many nodes ask for what one of them has, and an insert waits for whoever is writing to the row.
  const found = await sql<{ isFree: boolean }>`/*named:reader-is-free*/
    select not divided and (lease_owner is null or lease_owner = ${owner} or lease_until < now()) as "isFree"
    from event_readers where name = ${name}`.execute(db);
  if (found.rows[0]?.isFree === false) return null;
  if (found.rows.length === 0)
    await sql`insert into event_readers (name, position, updated_at) values (${name}, 0, ${now})
      on conflict (name) do nothing`.execute(db);
  const { rows } = await sql<{ position: number }>`
    update event_readers set lease_owner = ${owner}, lease_until = ${LEASE_END}, updated_at = ${now}
    where name = (select name from event_readers where name = ${name} for update skip locked)
      and not divided and (lease_owner is null or lease_owner = ${owner} or lease_until < now())
    returning position`.execute(db);
  return rows[0]?.position ?? null;
}

/**
 * Moves the cursor and renews the lease, as a part of the statement of the effect: the row lock makes the two one. A row
 * when it moved; none when another node has taken over, and then the statement must change nothing.
 */
export const advanceSql = (
  name: string,
  owner: string,
  position: number,
  now: Date,
): RawBuilder<{ name: string }> => sql<{ name: string }>`
    update event_readers set position = greatest(position, ${position}), lease_until = ${LEASE_END}, updated_at = ${now}
    where name = ${name} and lease_owner = ${owner} returning name`;

/**
 * A row while `owner` is the one active reader, none when another node has taken over. Whoever takes over has to wait for the
 * end of the statement or transaction that this is a part of; the owner's own moving of the cursor does not.
 */
export const holderSql = (name: string, owner: string): RawBuilder<{ name: string }> => sql<{ name: string }>`
    select name from event_readers where name = ${name} and lease_owner = ${owner} for key share`;

/** Gives leases up, so that another node need not wait for their end. */
export async function releaseReaders(db: Db, names: readonly string[], owner: string): Promise<void> {
  await sql`update event_readers set lease_owner = null, lease_until = null
    where name = any(${[...names]}::text[]) and lease_owner = ${owner}`.execute(db);
}

/** Gives one lease up. */
export const releaseReader = (db: Db, name: string, owner: string): Promise<void> => releaseReaders(db, [name], owner);

/** Rows of readers that read: a divided one does so by its parts. */
export const READS = sql<boolean>`not divided`;
const READER_OF = sql<string>`coalesce(part_of, name)`;

/**
 * How far the reader of this name has come, with the last of its parts, or with the one that has this account; 0 before its
 * first run.
 */
export async function readerPosition(db: Db | Trx, name: string, accountId?: string): Promise<number> {
  const ofAccount = accountId === undefined ? sql`true` : sql`${slotOf(accountId)}::int & (parts - 1) = part`;
  const { rows } = await sql<{ position: number }>`
    select coalesce(min(position), 0) as position from event_readers
    where (name = ${name} or part_of = ${name}) and ${READS} and ${ofAccount}`.execute(db);
  return rows[0]?.position ?? 0;
}

/** How many positions the last of these readers is behind the log; one that never ran is behind all of it. */
export async function greatestLag(db: Db, names: readonly string[]): Promise<number> {
  const { rows } = await sql<{ lag: number }>`
    select greatest(0, p.last_value - min(coalesce(r.position, 0))) as lag
    from (select case when is_called then last_value else 0 end as last_value from event_positions) as p,
      unnest(${[...names]}::text[]) as n (name)
      left join (select ${READER_OF} as name, position from event_readers where ${READS}) as r on r.name = n.name
    group by p.last_value`.execute(db);
  return rows[0]?.lag ?? 0;
}
