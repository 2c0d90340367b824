import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { checkKeyCount, checkRotation } from '../rules.ts';
import type { IssuedApiKey } from '../schemas.ts';
import { issueKey, type KeyDeps, keyThing } from './issue-key.ts';
import { countActiveKeys, findApiKey, presentKey, updateApiKey } from './store.ts';

/**
 * Replaces a key by a new one with a new secret, same account, name and scopes. The old key, and the old secret in
 * signatures, stay valid for `overlapSeconds` more; without any the old key is revoked, so that no clock that is set back has it valid again. NOT_FOUND; INVALID_STATE for a key that was replaced, revoked or
 * has expired, and when the overlap would give the account more than 20 active keys.
 */
export async function rotateApiKey(
  trx: Trx,
  input: { id: string; overlapSeconds: number },
  env: Env,
  deps: KeyDeps,
): Promise<IssuedApiKey> {
  const version = await deps.nextVersion(trx);
  const old = await findApiKey(trx, input.id);
  if (!old) throw new AppError('NOT_FOUND');
  const state = { expiresAt: old.expires_at, revokedAt: old.revoked_at, replacedBy: old.replaced_by };
  checkRotation(state, env.now, old.replaced_by === null ? undefined : await presentKey(trx, old.id));
  const { account_id: accountId, name, scopes } = old;
  const issued = await issueKey(trx, { accountId, name, scopes, version }, env, deps);
  const expiresAt = new Date(env.now.getTime() + input.overlapSeconds * 1000);
  const end = { expires_at: expiresAt, ...(input.overlapSeconds === 0 ? { revoked_at: env.now } : {}) };
  await updateApiKey(trx, old.id, { ...end, replaced_by: issued.id, changed_in: version });
  checkKeyCount(await countActiveKeys(trx, accountId, env.now));
  const after = { replacedBy: issued.id, expiresAt: expiresAt.toISOString() };
  await recordChange(trx, { action: 'api_key.rotated', thing: keyThing(old), accountId, after }, env);
  return issued;
}
