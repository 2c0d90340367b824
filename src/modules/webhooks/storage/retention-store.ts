import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';

export interface AccountRetention {
  accountId: string;
  days: number;
}

/** The longest that any account's deliveries are kept, where `usual` is what is usual. Days. */
export async function longestRetention(db: Db, usual: number): Promise<number> {
  const { rows } = await sql<{ longest: number | null }>`select max(days) as longest from webhook_retention`.execute(db);
  return Math.max(usual, rows[0]?.longest ?? 0);
}

/** What was set for these accounts, in the order of their ids; those without are not there. */
export async function selectRetention(db: Db | Trx, accounts: 'all' | readonly string[]): Promise<AccountRetention[]> {
  const { rows } = await sql<AccountRetention>`
    select account_id as "accountId", days from webhook_retention
    where ${accounts === 'all' ? sql`true` : sql`account_id = any(${[...accounts]}::uuid[])`} order by account_id`.execute(db);
  return rows;
}

/** Sets how long an account's deliveries are kept; null: as long as is usual. */
export async function saveRetention(trx: Trx, accountId: string, days: number | null, now: Date): Promise<void> {
  await (days === null
    ? sql`delete from webhook_retention where account_id = ${accountId}`
    : sql`insert into webhook_retention (account_id, days, updated_at) values (${accountId}, ${days}, ${now})
        on conflict (account_id) do update set days = excluded.days, updated_at = excluded.updated_at`
  ).execute(trx);
}
