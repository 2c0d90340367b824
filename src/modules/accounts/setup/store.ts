import type { Db, Trx } from '../../../platform/db/index.ts';

/** Table of migrations/0006-operator-setup.sql. */
type SetupTables = { operator_setups: { token_hash: string; created_at: Date; expires_at: Date } };

const setupTables = (db: Db) => db.withTables<SetupTables>();

/** Keeps a token, and drops those that have expired. */
export async function insertSetup(trx: Trx, row: SetupTables['operator_setups']): Promise<void> {
  await setupTables(trx).deleteFrom('operator_setups').where('expires_at', '<=', row.created_at).execute();
  await setupTables(trx).insertInto('operator_setups').values(row).execute();
}

/** Whether this token was given out and has not expired. */
export async function setupExists(db: Db, tokenHash: string, now: Date): Promise<boolean> {
  const row = await setupTables(db)
    .selectFrom('operator_setups')
    .select('token_hash')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

/** There is an operator now: no token is worth anything any more. */
export async function deleteSetups(trx: Trx): Promise<void> {
  await setupTables(trx).deleteFrom('operator_setups').execute();
}
