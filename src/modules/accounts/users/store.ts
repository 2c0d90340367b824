import { sql } from 'kysely';
import type { BlogRole } from '../../../contracts/caller.ts';
import { spellingsOf } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { type AccountTables, accountTables } from '../tables.ts';

export type UserRow = AccountTables['users'];

/** Any constant does; held while it is found out whether an operator exists. */
const FIRST_OPERATOR_LOCK = 4_772_019_131;

export const findUser = (db: Db, id: string): Promise<UserRow | undefined> =>
  accountTables(db).selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();

export const findUserByEmail = (db: Db, email: string): Promise<UserRow | undefined> =>
  accountTables(db).selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

/** The user whom the identity provider knows by this subject, or by another way of writing it. */
export const findExternalUser = (db: Db, issuer: string, ...subjects: string[]): Promise<UserRow | undefined> =>
  accountTables(db)
    .selectFrom('users')
    .selectAll()
    .where('external_issuer', '=', issuer)
    .where('external_subject', 'in', subjects)
    .executeTakeFirst();

/**
 * The ids by which events may name a user: ours and that of the outside identity provider, each in small letters and in capitals where it is a
 * UUID, since both are the same and an event is kept as it came.
 */
export async function marketplaceIds(db: Db, id: string): Promise<string[]> {
  const user = await findUser(db, id);
  return [id, id.toUpperCase(), ...(user?.external_subject ? spellingsOf(user.external_subject) : [])];
}

/** Inserts the user unless it collides with another one by e-mail, external identity or imported name. */
export async function insertUser(db: Db, user: UserRow): Promise<boolean> {
  const row = await accountTables(db)
    .insertInto('users')
    .values(user)
    .onConflict((c) => c.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks the user until the end of the transaction, against another change or a sign-in at the same time. */
export const lockUser = (trx: Trx, id: string): Promise<UserRow | undefined> =>
  accountTables(trx).selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export async function updateUserRow(
  trx: Trx,
  id: string,
  change: Partial<Omit<UserRow, 'id' | 'created_at'>>,
): Promise<void> {
  await accountTables(trx).updateTable('users').set(change).where('id', '=', id).execute();
}

/**
 * Takes this e-mail address from another user of the same identity provider, which has given it to somebody else since: mails for the one
 * would reach the other. One with a password keeps it, as it signs in by that here. Gives whose it was, without it.
 */
export const releaseEmail = (
  trx: Trx,
  issuer: string,
  subject: string,
  email: string,
  now: Date,
): Promise<UserRow | undefined> =>
  accountTables(trx)
    .updateTable('users')
    .set({ email: null, updated_at: now })
    .where('email', '=', email)
    .where('external_issuer', '=', issuer)
    .where('external_subject', '<>', subject)
    .where('password_hash', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** Gives the user this e-mail address; false when another one has it. */
export async function takeEmail(trx: Trx, id: string, email: string, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`update users set email = ${email}, updated_at = ${now}
    where id = ${id} and not exists (select from users as other where other.email = ${email})`.execute(trx);
  return Number(numAffectedRows ?? 0) > 0;
}

/**
 * Ids of the enabled operators who can sign in, locked in order of id: two operators who take each other's flag at the
 * same time wait for each other, and the second sees what the first did.
 */
export async function lockOperators(trx: Trx): Promise<string[]> {
  const rows = await accountTables(trx)
    .selectFrom('users')
    .select('id')
    .where('operator', '=', true)
    .where('disabled_at', 'is', null)
    .where((e) => e.or([e('password_hash', 'is not', null), e('external_subject', 'is not', null)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows.map((r) => r.id);
}

export async function operatorExists(db: Db): Promise<boolean> {
  const row = await accountTables(db)
    .selectFrom('users')
    .select('id')
    .where('operator', '=', true)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** One node at a time creates the first operator. */
export async function lockFirstOperator(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(FIRST_OPERATOR_LOCK)})`.execute(trx);
}

/** An author brought in by an import, by exact name. */
export const findImportedAuthor = (db: Db, name: string): Promise<{ id: string; name: string } | undefined> =>
  accountTables(db)
    .selectFrom('users')
    .select(['id', 'name'])
    .where('name', '=', name)
    .where('email', 'is', null)
    .where('external_subject', 'is', null)
    .executeTakeFirst();

/** For `ilike`: whatever contains the text. */
export const patternOf = (part: string): string => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;

export interface UserFilter {
  q?: string;
  blogRole?: BlogRole;
  operator?: boolean;
}

/** Users by id, oldest first. `q` is part of the name or e-mail address, in any case. */
export async function pageOfUsers(
  db: Db,
  filter: UserFilter,
  page: { limit: number; offset: number },
): Promise<{ total: number; rows: UserRow[] }> {
  let query = accountTables(db).selectFrom('users');
  if (filter.q !== undefined) {
    const part = patternOf(filter.q);
    query = query.where((e) => e.or([e('name', 'ilike', part), e('email', 'ilike', part)]));
  }
  if (filter.blogRole !== undefined) query = query.where('blog_role', '=', filter.blogRole);
  if (filter.operator !== undefined) query = query.where('operator', '=', filter.operator);
  const { total } = await query.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute();
  return { total, rows };
}
