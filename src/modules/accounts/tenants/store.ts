import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { Account } from '../schemas.ts';
import { type AccountTables, accountTables } from '../tables.ts';
import { patternOf, type UserRow } from '../users/store.ts';

export async function insertAccount(trx: Trx, row: AccountTables['accounts']): Promise<void> {
  await accountTables(trx).insertInto('accounts').values(row).execute();
}

interface Slice {
  limit: number;
  offset: number;
}

/** Accounts by id, oldest first. `q` is part of the name, in any case. */
export async function pageOfAccounts(
  db: Db,
  filter: { type?: Account['type']; q?: string },
  page: Slice,
): Promise<{ total: number; rows: Account[] }> {
  let query = accountTables(db).selectFrom('accounts');
  if (filter.q !== undefined) query = query.where('name', 'ilike', patternOf(filter.q));
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  const { total } = await query.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await query.select(['id', 'name', 'type']).orderBy('id').limit(page.limit).offset(page.offset).execute();
  return { total, rows };
}

/** Those of the ids that are accounts, with their type. */
export async function findAccountTypes(db: Db, ids: readonly string[]): Promise<Map<string, Account['type']>> {
  const { rows } = await sql<Pick<Account, 'id' | 'type'>>`
    select id, type from accounts where id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map((r) => [r.id, r.type]));
}

/** Whether there is no account and nobody but operators: nothing was done with this installation yet. */
export async function isFresh(db: Db): Promise<boolean> {
  const { rows } = await sql<{ fresh: boolean }>`
    select not exists (select from accounts) and not exists (select from users where not operator) as fresh`.execute(
    db,
  );
  return rows[0]?.fresh === true;
}

export const accountExists = async (db: Db, id: string): Promise<boolean> =>
  (await findAccountTypes(db, [id])).size > 0;

export const accountsOfUser = (db: Db, userId: string): Promise<Account[]> =>
  accountTables(db)
    .selectFrom('account_members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'a.type'])
    .where('m.user_id', '=', userId)
    .orderBy('a.name')
    .orderBy('a.id')
    .execute();

export const findAccount = (db: Db, id: string): Promise<Account | undefined> =>
  accountTables(db).selectFrom('accounts').select(['id', 'name', 'type']).where('id', '=', id).executeTakeFirst();

/** Until the transaction ends, nobody else changes the account or what is set for it. */
export const lockAccount = (trx: Trx, id: string): Promise<Account | undefined> =>
  accountTables(trx)
    .selectFrom('accounts')
    .select(['id', 'name', 'type'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

export async function renameAccount(trx: Trx, { id, name }: Pick<Account, 'id' | 'name'>): Promise<void> {
  await accountTables(trx).updateTable('accounts').set({ name }).where('id', '=', id).execute();
}

/** False for who is a member already. */
export async function insertMember(trx: Trx, accountId: string, userId: string, now: Date): Promise<boolean> {
  const row = await accountTables(trx)
    .insertInto('account_members')
    .values({ account_id: accountId, user_id: userId, created_at: now })
    .onConflict((c) => c.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** False for who is no member. */
export async function deleteMember(trx: Trx, accountId: string, userId: string): Promise<boolean> {
  const row = await accountTables(trx)
    .deleteFrom('account_members')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Members by id. */
export async function pageOfMembers(
  db: Db,
  accountId: string,
  page: Slice,
): Promise<{ total: number; rows: UserRow[] }> {
  const query = accountTables(db)
    .selectFrom('account_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.account_id', '=', accountId);
  const { total } = await query.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await query.selectAll('u').orderBy('u.id').limit(page.limit).offset(page.offset).execute();
  return { total, rows };
}

/** Ids of the enabled users who are members of the account or operators. */
export async function membersAndOperators(trx: Trx, accountId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users u where disabled_at is null
      and (operator or exists (select from account_members where account_id = ${accountId} and user_id = u.id))
    order by id`.execute(trx);
  return rows.map((r) => r.id);
}

/** The type of an account; null for one that does not exist. */
export async function accountTypeOf(db: Db | Trx, id: string): Promise<Account['type'] | null> {
  const row = await accountTables(db).selectFrom('accounts').select('type').where('id', '=', id).executeTakeFirst();
  return row?.type ?? null;
}
