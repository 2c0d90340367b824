import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { KeyDeps } from './issue-key.ts';
import { findApiKey, updateApiKey } from './store.ts';

/** Ends a key and its signing secret now; nothing happens to one that was revoked before. NOT_FOUND. */
export async function revokeApiKey(trx: Trx, input: { id: string }, env: Env, deps: KeyDeps): Promise<void> {
  const version = await deps.nextVersion(trx);
  const key = await findApiKey(trx, input.id);
  if (!key) throw new AppError('NOT_FOUND');
  if (key.revoked_at) return;
  await updateApiKey(trx, key.id, { revoked_at: env.now, changed_in: version });
}
