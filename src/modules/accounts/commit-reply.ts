import { AppError } from '../../contracts/errors.ts';
import type { Cipher } from '../../lib/cipher.ts';
import { type Db, type Env, inTransaction, type Trx } from '../../platform/db/index.ts';
import { findReply, type IdempotencyClaim, lockKey, type Reply, storeReply } from '../../platform/http/index.ts';

/**
 * The second half of a route that computes a password hash first and must not hold a transaction for that long: runs
 * `effect` and keeps its reply under the Idempotency-Key in one transaction, as a `write` route does.
 */
export async function commitReply(
  db: Db,
  claim: IdempotencyClaim | undefined,
  options: { env: Env; cipher: Cipher },
  effect: (trx: Trx) => Promise<Reply>,
): Promise<Reply> {
  const { env, cipher } = options;
  return inTransaction(db, async (trx) => {
    if (!claim) return effect(trx);
    if (!(await lockKey(trx, claim))) {
      throw new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'retry-after': '1' } });
    }
    const earlier = await findReply(trx, claim, env.now, cipher);
    if (earlier) return earlier;
    const reply = await effect(trx);
    await storeReply(trx, claim, reply, { now: env.now, cipher, secret: true });
    return reply;
  });
}
