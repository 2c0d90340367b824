import { AppError } from '../../../contracts/errors.ts';
import { afterCommit, type Env, type Trx } from '../../../platform/db/index.ts';
import { recordChange } from '../../changes/index.ts';
import { type KeyDeps, keyThing } from './issue-key.ts';
import { findApiKey, updateApiKey, validKeys } from './store.ts';

const REST = 'calls with its keys are refused and what is for its endpoints is held, until it has one';
const LAST = `an account has no valid key any more: ${REST}`;
const LAST_TO_STAY = `an account has no key any more that stays valid: after \`until\`, ${REST}`;

/** Ends a key and its signing secret now; nothing happens to one that was revoked before. The log tells of an account's last one. NOT_FOUND. */
export async function revokeApiKey(trx: Trx, input: { id: string }, env: Env, deps: KeyDeps): Promise<void> {
  const version = await deps.nextVersion(trx);
  const key = await findApiKey(trx, input.id);
  if (!key) throw new AppError('NOT_FOUND');
  if (key.revoked_at) return;
  await updateApiKey(trx, key.id, { revoked_at: env.now, changed_in: version });
  const change = { action: 'api_key.revoked', thing: keyThing(key), accountId: key.account_id } as const;
  await recordChange(trx, change, env);
  const wasValid = key.expires_at === null || key.expires_at > env.now;
  const { staying, until } = await validKeys(trx, key.account_id, env.now);
  if (!wasValid || staying > 0) return;
  const told = { accountId: key.account_id, keyId: key.id, requestId: env.requestId };
  afterCommit(trx, () =>
    deps.log.warn(until === null ? told : { ...told, until }, until === null ? LAST : LAST_TO_STAY),
  );
}
