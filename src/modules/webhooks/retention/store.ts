import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';

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

/**
 * Whether a delivery (`d`) is still to be seen: not past the retention of its account, though the part of the table that it is
 * in may be there for longer, for others. What waits, and dead letters, are seen until they are removed. `usualDays` 0: for
 * ever. By the database's clock, as parts are removed.
 */
export const isRetained = (usualDays: number): RawBuilder<boolean> => sql<boolean>`(
  d.status in ('PENDING', 'HELD', 'DEAD')
  -- Unknown where nothing is set and everything is kept.
  or (d.created_at >= now() - interval '1 day' * coalesce(
    (select r.days from webhook_retention r where r.account_id = d.account_id), nullif(${usualDays}::int, 0))) is not false)`;
