import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { accountThing } from '../recorded.ts';
import type { Account } from '../schemas.ts';
import { insertAccount } from './store.ts';

/** Stores an account. Accounts are never removed and never change their type. */
export async function createAccount(
  trx: Trx,
  input: { name: string; type: Account['type'] },
  env: Env,
): Promise<Account> {
  const account: Account = { id: env.newId(), name: input.name.trim(), type: input.type };
  await insertAccount(trx, { ...account, created_at: env.now });
  const { id: accountId, name, type } = account;
  const change = { action: 'account.created', thing: accountThing(account), accountId, after: { name, type } } as const;
  await recordChange(trx, change, env);
  return account;
}
