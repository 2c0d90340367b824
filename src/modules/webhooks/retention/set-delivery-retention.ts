import type { Env, Trx } from '../../../platform/db/index.ts';
import { getDeliveryRetention, type Retention, type RetentionDeps } from './get-delivery-retention.ts';
import { saveRetention } from './store.ts';

/**
 * Sets how long the account's deliveries are kept. A shorter time hides them at once; a longer one brings back what was hidden,
 * but not what was removed. Throws NOT_FOUND when there is no such account.
 */
export async function setDeliveryRetention(
  deps: RetentionDeps,
  trx: Trx,
  { accountId, days }: Pick<Retention, 'accountId' | 'days'>,
  env: Env,
): Promise<Retention> {
  const before = await getDeliveryRetention(deps, trx, accountId);
  await saveRetention(trx, accountId, days, env.now);
  return { ...before, days };
}
