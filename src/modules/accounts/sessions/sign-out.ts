import type { SessionCaller } from '../../../contracts/caller.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { revokeSession } from './store.ts';

/** Ends the caller's session; the next request with its token, on whatever node, is UNAUTHENTICATED. */
export async function signOut(trx: Trx, caller: SessionCaller, env: Env): Promise<void> {
  await revokeSession(trx, caller.sessionId, env.now);
}
