import type { SessionCaller } from '../../../contracts/caller.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Account, SessionUser } from '../schemas.ts';
import { accountsOfUser } from '../tenants/store.ts';

/** Who the caller is, and the accounts that the user is a member of, by name. */
export async function getMe(db: Db, caller: SessionCaller): Promise<{ user: SessionUser; accounts: Account[] }> {
  const { userId: id, name, email, blogRole, operator } = caller;
  return { user: { id, name, email, blogRole, operator }, accounts: await accountsOfUser(db, id) };
}
