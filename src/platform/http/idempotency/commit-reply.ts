import { AppError } from '../../../contracts/errors.ts';
import type { Cipher } from '../../../lib/cipher.ts';
import { inTransaction } from '../../db/index.ts';
import type { Db, Env, Trx } from '../../db/types.ts';
import type { IdempotencyClaim, Reply } from '../route.ts';
import { findReply, lockKey, storeReply } from './idempotency.ts';

/**
 * The second half of a route that does something before its transaction, as computing a password hash, or outlasting it:
 * runs `effect` and keeps its reply under the Idempotency-Key in one transaction, as a `write` route does. `secret`: it is
 * stored encrypted. `isKept`: which replies are stored at all; default: every one. Throws IDEMPOTENCY_IN_PROGRESS while another
 * request with the key is running, IDEMPOTENCY_KEY_REUSED for another request than the one stored.
 */
export async function commitReply(
  db: Db,
  claim: IdempotencyClaim | undefined,
  options: { env: Env; cipher: Cipher; secret: boolean; isKept?: (reply: Reply) => boolean },
  effect: (trx: Trx) => Promise<Reply>,
): Promise<Reply> {
  const { env, cipher, secret, isKept = () => true } = options;
  return inTransaction(db, async (trx) => {
    if (!claim) return effect(trx);
    if (!(await lockKey(trx, claim))) {
      throw new AppError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'retry-after': '1' } });
    }
    const earlier = await findReply(trx, claim, env.now, cipher);
    if (earlier) return earlier;
    const reply = await effect(trx);
    if (isKept(reply)) await storeReply(trx, claim, reply, { now: env.now, cipher, secret });
    return reply;
  });
}
