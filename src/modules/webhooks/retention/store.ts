import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import { type Db, databaseTime, type Trx } from '../../../platform/db/index.ts';

/** The longest that any account's deliveries are kept, where `usual` is what is usual. Days. */
export async function longestRetention(db: Db, usual: number): Promise<number> {
  const { rows } = await sql<{ longest: number | null }>`select max(days) as longest from webhook_retention`.execute(
    db,
  );
  return Math.max(usual, rows[0]?.longest ?? 0);
}

/** How long an account's deliveries are kept, in days; null: as long as is usual. */
export async function selectRetention(db: Db | Trx, accountId: string): Promise<number | null> {
  const { rows } = await sql<{
    days: number;
  }>`select days from webhook_retention where account_id = ${accountId}`.execute(db);
  return rows[0]?.days ?? null;
}

/** Sets how long an account's deliveries are kept, in days; null: as long as is usual. */
export async function saveRetention(trx: Trx, accountId: string, days: number | null, now: Date): Promise<void> {
  const statement =
    days === null
      ? sql`delete from webhook_retention where account_id = ${accountId}`
      : sql`insert into webhook_retention (account_id, days, updated_at) values (${accountId}, ${days}, ${now})
          on conflict (account_id) do update set days = excluded.days, updated_at = excluded.updated_at`;
  await statement.execute(trx);
}

const DAY_MS = 86_400_000;

/** From which id on what has ended is to be seen: of accounts with a time of their own, and of all others. */
export interface ShownFrom {
  usual: string;
  own: readonly { accountId: string; from: string }[];
}

/** See `ShownFrom`, by the database's clock; null: all from this id on is to be seen. `usualDays` 0: for ever. */
export async function shownFrom(db: Db | Trx, least: string, usualDays: number): Promise<ShownFrom | null> {
  const now = await databaseTime(db);
  const idOf = (days: number): string => leastUuidv7(days === 0 ? 0 : now - days * DAY_MS);
  const usual = idOf(usualDays);
  const { rows } = await sql<{ accountId: string; days: number }>`
    select account_id as "accountId", days from webhook_retention`.execute(db);
  const own = rows.map(({ accountId, days }) => ({ accountId, from: idOf(days) }));
  return usual > least || own.some(({ from }) => from > least) ? { usual, own } : null;
}

/** Of these accounts, those whose deliveries of this time are not kept any more, by the database's clock. `usualDays` 0: for ever. */
export async function accountsPastRetention(
  db: Db,
  accountIds: readonly string[],
  at: Date,
  usualDays: number,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select a.id from unnest(${[...accountIds]}::uuid[]) as a (id)
    where ${at}::timestamptz < now() - interval '1 day' * coalesce(
      (select r.days from webhook_retention r where r.account_id = a.id), nullif(${usualDays}::int, 0))`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** How long a delivery (`d`) is kept; null: for ever. */
const timeOf = (usualDays: number): RawBuilder<unknown> => sql`interval '1 day' * coalesce(
    (select r.days from webhook_retention r where r.account_id = d.account_id), nullif(${usualDays}::int, 0))`;

/**
 * Whether a delivery (`d`) is still to be seen: not past the retention of its account, though the part of the table that it is
 * in may be there for longer, for others. What waits, and dead letters, are seen until they are removed; what waited past its retention is seen for as long again once it has
 * ended. `usualDays` 0: for ever. By the database's clock, as parts are removed.
 */
export const isRetained = (usualDays: number): RawBuilder<boolean> => sql<boolean>`(
  d.status in ('PENDING', 'HELD', 'DEAD')
  -- Unknown where nothing is set and everything is kept.
  or (d.created_at >= now() - ${timeOf(usualDays)}) is not false
  or (d.updated_at >= now() - ${timeOf(usualDays)} and d.updated_at > d.created_at + ${timeOf(usualDays)}))`;
