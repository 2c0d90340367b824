import { sql } from 'kysely';
import type { AccountType, Scope } from '../../../contracts/caller.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { type AccountTables, accountTables } from '../tables.ts';

export type ApiKeyRow = AccountTables['api_keys'];

export async function insertApiKey(trx: Trx, row: ApiKeyRow): Promise<void> {
  await accountTables(trx).insertInto('api_keys').values(row).execute();
}

export const findApiKey = (trx: Trx, id: string): Promise<ApiKeyRow | undefined> =>
  accountTables(trx).selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();

/** The last key of the line that a rotated one began, or goes on with. */
export async function presentKey(trx: Trx, id: string): Promise<{ id: string; revokedAt: Date | null } | undefined> {
  const { rows } = await sql<{ id: string; revokedAt: Date | null }>`
    with recursive line as (
      select id, replaced_by, revoked_at from api_keys where id = ${id}
      union select k.id, k.replaced_by, k.revoked_at from api_keys k join line on k.id = line.replaced_by
    )
    select id, revoked_at as "revokedAt" from line where replaced_by is null`.execute(trx);
  return rows[0];
}

export async function updateApiKey(
  trx: Trx,
  id: string,
  change: Pick<ApiKeyRow, 'changed_in'> & Partial<Pick<ApiKeyRow, 'expires_at' | 'revoked_at' | 'replaced_by'>>,
): Promise<void> {
  await accountTables(trx).updateTable('api_keys').set(change).where('id', '=', id).execute();
}

/** Keys of the account that are neither revoked nor expired. */
export async function countActiveKeys(trx: Trx, accountId: string, now: Date): Promise<number> {
  const { total } = await accountTables(trx)
    .selectFrom('api_keys')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return total;
}

/** How many keys of the account stay, and until when those are valid that do not; null: there are none. */
export async function validKeys(
  trx: Trx,
  accountId: string,
  now: Date,
): Promise<{ staying: number; until: Date | null }> {
  const { staying, until } = await accountTables(trx)
    .selectFrom('api_keys')
    .select((e) => e.fn.countAll<number>().filterWhere('expires_at', 'is', null).as('staying'))
    .select((e) => e.fn.max<Date | null>('expires_at').as('until'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return { staying, until };
}

export type ListedApiKey = Omit<ApiKeyRow, 'key_hash' | 'secret_sealed'> & { account_name: string };

/** Keys newest first, with the names of their accounts. */
export async function pageOfApiKeys(
  db: Db,
  filter: { accountId?: string },
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: ListedApiKey[] }> {
  let query = accountTables(db).selectFrom('api_keys as k');
  if (filter.accountId !== undefined) query = query.where('k.account_id', '=', filter.accountId);
  const { total } = await query.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await query
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .select(['k.id', 'k.account_id', 'a.name as account_name', 'k.name', 'k.key_hint', 'k.scopes'])
    .select(['k.created_at', 'k.expires_at', 'k.revoked_at', 'k.replaced_by', 'k.changed_in'])
    .orderBy('k.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { total, rows };
}

export interface KeyOwner {
  keyId: string;
  accountId: string;
  accountType: AccountType;
  scopes: Scope[];
  expiresAt: Date | null;
}

/** The key with this hash, unless it was revoked. */
export const findKeyOwner = (db: Db, keyHash: string): Promise<KeyOwner | undefined> =>
  accountTables(db)
    .selectFrom('api_keys as k')
    .innerJoin('accounts as a', 'a.id', 'k.account_id')
    .select(['k.id as keyId', 'k.account_id as accountId', 'a.type as accountType', 'k.scopes'])
    .select('k.expires_at as expiresAt')
    .where('k.key_hash', '=', keyHash)
    .where('k.revoked_at', 'is', null)
    .executeTakeFirst();

export interface SealedSecret {
  keyId: string;
  accountId: string;
  sealed: string;
  expiresAt: Date | null;
}

/** Secrets of the keys that are not revoked and had not expired at this time, newest first. */
export async function findSecrets(db: Db, accountIds: readonly string[], at: Date): Promise<SealedSecret[]> {
  const { rows } = await sql<SealedSecret>`
    select id as "keyId", account_id as "accountId", secret_sealed as sealed, expires_at as "expiresAt" from api_keys
    where account_id = any(${[...accountIds]}::uuid[]) and revoked_at is null
      and (expires_at is null or expires_at > ${at})
    order by created_at desc, id desc`.execute(db);
  return rows;
}

/** The last sealed secrets of keys that are not revoked. */
export async function lastSecrets(db: Db, most: number): Promise<Pick<SealedSecret, 'keyId' | 'sealed'>[]> {
  const { rows } = await sql<Pick<SealedSecret, 'keyId' | 'sealed'>>`
    select id as "keyId", secret_sealed as sealed from api_keys where revoked_at is null
    order by created_at desc, id desc limit ${most}`.execute(db);
  return rows;
}

/** Which cache entries changed after this version of the topic. */
export const findChangedKeys = (db: Db, after: number): Promise<{ account_id: string; key_hash: string }[]> =>
  accountTables(db).selectFrom('api_keys').select(['account_id', 'key_hash']).where('changed_in', '>', after).execute();
