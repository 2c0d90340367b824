import type { SessionCaller } from '../../../contracts/caller.ts';
import { AppError, noSuchAccount } from '../../../contracts/errors.ts';
import type { Db, Env, Trx } from '../../../platform/db/index.ts';
import type { Page } from '../../../platform/http/index.ts';
import { actingAccount, checkMemberScopes, type MemberScope } from '../rules.ts';
import type { ApiKey, IssuedApiKey } from '../schemas.ts';
import { accountExists } from '../tenants/store.ts';
import { createApiKey } from './create-api-key.ts';
import type { KeyDeps } from './issue-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { rotateApiKey } from './rotate-api-key.ts';
import { type ApiKeyRow, findApiKey } from './store.ts';

/** Which key of which account. */
export interface AccountKey {
  id: string;
  keyId: string;
}

/** The key, if it is one of this account and the caller may act for it; else NOT_FOUND. */
async function findAccountKey(trx: Trx, caller: SessionCaller, { id, keyId }: AccountKey): Promise<ApiKeyRow> {
  const key = await findApiKey(trx, keyId);
  if (key?.account_id !== actingAccount(caller, id)) throw new AppError('NOT_FOUND');
  return key;
}

/** A page of an account's keys, as `listApiKeys`. NOT_FOUND for who is neither a member nor an operator, and without the account. */
export async function listAccountApiKeys(
  db: Db,
  caller: SessionCaller,
  { id, ...query }: { id: string; page: number; limit: number },
): Promise<Page<ApiKey>> {
  const accountId = actingAccount(caller, id);
  if (!(await accountExists(db, accountId))) throw noSuchAccount();
  return listApiKeys(db, { ...query, accountId });
}

/** As `createApiKey`, by a member of the account (else NOT_FOUND, as without it), with no scope that reaches beyond it. */
export async function createAccountApiKey(
  trx: Trx,
  { caller, id, ...input }: { caller: SessionCaller; id: string; name: string; scopes: readonly MemberScope[] },
  env: Env,
  deps: KeyDeps,
): Promise<IssuedApiKey> {
  const accountId = actingAccount(caller, id);
  if (!(await accountExists(trx, accountId))) throw noSuchAccount();
  return createApiKey(trx, { ...input, accountId }, env, deps);
}

/** As `rotateApiKey`, by a member of the account (else NOT_FOUND); who could not have made the key is FORBIDDEN to get it anew. */
export async function rotateAccountApiKey(
  trx: Trx,
  input: AccountKey & { caller: SessionCaller; overlapSeconds: number },
  env: Env,
  deps: KeyDeps,
): Promise<IssuedApiKey> {
  const key = await findAccountKey(trx, input.caller, input);
  checkMemberScopes(key.scopes);
  return rotateApiKey(trx, { id: key.id, overlapSeconds: input.overlapSeconds }, env, deps);
}

/** As `revokeApiKey`, by a member of the account (else NOT_FOUND): any key of it, so that one that leaked is ended at once. */
export async function revokeAccountApiKey(
  trx: Trx,
  input: AccountKey & { caller: SessionCaller },
  env: Env,
  deps: KeyDeps,
): Promise<void> {
  const key = await findAccountKey(trx, input.caller, input);
  await revokeApiKey(trx, { id: key.id }, env, deps);
}
