import type { Scope } from '../../../contracts/caller.ts';
import { invalid } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { checkKeyCount } from '../rules.ts';
import type { IssuedApiKey } from '../schemas.ts';
import { accountExists } from '../tenants/store.ts';
import { issueKey, type KeyDeps, keyThing } from './issue-key.ts';
import { countActiveKeys } from './store.ts';

export interface CreateApiKeyInput {
  accountId: string;
  name: string;
  scopes: readonly Scope[];
}

/** Gives an account a key and a signing secret. VALIDATION_ERROR without the account, INVALID_STATE past 20 keys. */
export async function createApiKey(trx: Trx, input: CreateApiKeyInput, env: Env, deps: KeyDeps): Promise<IssuedApiKey> {
  const { accountId } = input;
  if (!(await accountExists(trx, accountId))) throw invalid({ path: 'body.accountId', message: 'is not an account' });
  const version = await deps.nextVersion(trx);
  checkKeyCount((await countActiveKeys(trx, accountId, env.now)) + 1);
  const issued = await issueKey(trx, { ...input, version }, env, deps);
  const after = { scopes: issued.scopes };
  await recordChange(trx, { action: 'api_key.created', thing: keyThing(issued), accountId, after }, env);
  return issued;
}
