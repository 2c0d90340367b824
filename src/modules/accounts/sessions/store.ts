import { sql } from 'kysely';
import type { BlogRole } from '../../../contracts/caller.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { type AccountTables, accountTables } from '../tables.ts';

export type SessionRow = AccountTables['sessions'];

export interface SessionOwner {
  sessionId: string;
  userId: string;
  name: string;
  email: string | null;
  blogRole: BlogRole | null;
  operator: boolean;
  accountIds: string[];
}

/** With the outside identity provider that the user comes from; null: none. */
export type FoundOwner = SessionOwner & { tokenHash: string; issuer: string | null };

/** Who holds each of the tokens, of those whose session and user are valid now: one indexed join. */
export async function findSessionOwners(db: Db, tokenHashes: readonly string[], now: Date): Promise<FoundOwner[]> {
  const { rows } = await sql<FoundOwner>`
    select s.token_hash as "tokenHash", s.id as "sessionId", u.id as "userId", u.name, u.email,
      u.blog_role as "blogRole", u.operator, u.external_issuer as issuer,
      array(select m.account_id::text from account_members m where m.user_id = u.id order by m.account_id) as "accountIds"
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = any(${[...tokenHashes]}::text[]) and s.revoked_at is null and s.expires_at > ${now}
      and u.disabled_at is null`.execute(db);
  return rows;
}

/** Whether a session with this token was ever opened, valid or not. */
export async function sessionKnown(db: Db, tokenHash: string): Promise<boolean> {
  const row = await accountTables(db)
    .selectFrom('sessions')
    .select('id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Nothing happens when another request has stored the same token. */
export async function insertSession(trx: Trx, session: SessionRow): Promise<void> {
  await accountTables(trx)
    .insertInto('sessions')
    .values(session)
    .onConflict((c) => c.column('token_hash').doNothing())
    .execute();
}

/**
 * Keeps the user from being changed until the end of the transaction, and says whether it is still enabled and (when
 * given) still has the password hash that was verified: else a session could be opened just after all were ended.
 */
export async function lockEnabledUser(trx: Trx, userId: string, passwordHash?: string): Promise<boolean> {
  let query = accountTables(trx)
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('disabled_at', 'is', null);
  if (passwordHash !== undefined) query = query.where('password_hash', '=', passwordHash);
  return (await query.forShare().executeTakeFirst()) !== undefined;
}

export async function revokeSession(trx: Trx, id: string, now: Date): Promise<void> {
  await accountTables(trx)
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends all sessions of the user, or all but one. */
export async function revokeSessions(trx: Trx, userId: string, now: Date, except?: string): Promise<void> {
  let query = accountTables(trx)
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null);
  if (except !== undefined) query = query.where('id', '!=', except);
  await query.execute();
}

/** Removes at most `limit` expired sessions; returns how many. */
export async function deleteExpiredSessions(db: Db, now: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sessions where id in (select id from sessions where expires_at <= ${now} limit ${limit})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
