import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Trx } from '../../../platform/db/index.ts';
import { accountExists, deleteMember } from './store.ts';

/** Ends the membership, from the next request on; nothing happens when there is none. NOT_FOUND without the account. */
export async function removeMember(trx: Trx, input: { id: string; userId: string }): Promise<void> {
  if (!(await accountExists(trx, input.id))) throw noSuchAccount();
  await deleteMember(trx, input.id, input.userId);
}
