import { AppError } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Account, User } from '../schemas.ts';
import { accountsOfUser } from '../tenants/store.ts';
import { toUser } from './new-user.ts';
import { findUser } from './store.ts';

/** A user with the accounts of which it is a member, by name. NOT_FOUND. */
export async function getUser(db: Db, id: string): Promise<User & { accounts: Account[] }> {
  const user = await findUser(db, id);
  if (!user) throw new AppError('NOT_FOUND');
  return { ...toUser(user), accounts: await accountsOfUser(db, id) };
}
