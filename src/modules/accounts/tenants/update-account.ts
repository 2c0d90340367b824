import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordDifference } from '../../changes/index.ts';
import { accountThing } from '../recorded.ts';
import type { Account } from '../schemas.ts';
import { lockAccount, renameAccount } from './store.ts';

/** Renames an account, whose type stays. NOT_FOUND. */
export async function updateAccount(trx: Trx, input: { id: string; name: string }, env: Env): Promise<Account> {
  const before = await lockAccount(trx, input.id);
  if (!before) throw noSuchAccount();
  const after = { ...before, name: input.name.trim() };
  await renameAccount(trx, after);
  const change = { action: 'account.renamed', thing: accountThing(after), accountId: after.id } as const;
  await recordDifference(trx, { ...change, before: { name: before.name }, after: { name: after.name } }, env);
  return after;
}
