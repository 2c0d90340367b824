import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Account } from '../schemas.ts';
import { findAccount } from './store.ts';

/** An account. NOT_FOUND. */
export async function getAccount(db: Db, id: string): Promise<Account> {
  const account = await findAccount(db, id);
  if (!account) throw noSuchAccount();
  return account;
}
