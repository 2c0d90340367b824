import { noSuchAccount } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { recordDifference } from '../../changes/index.ts';
import type { Retention, RetentionDeps } from './get-delivery-retention.ts';
import { saveRetention, selectRetention } from './store.ts';

/**
 * Sets how long the account's deliveries are kept. A shorter time hides them at once; a longer one brings back what was hidden,
 * but not what was removed. Throws NOT_FOUND when there is no such account.
 */
export async function setDeliveryRetention(
  { lockAccount, usualDays }: Pick<RetentionDeps, 'lockAccount' | 'usualDays'>,
  trx: Trx,
  { accountId, days }: Pick<Retention, 'accountId' | 'days'>,
  env: Env,
): Promise<Retention> {
  const account = await lockAccount(trx, accountId);
  if (!account) throw noSuchAccount();
  const thing = { kind: 'ACCOUNT', id: accountId, name: account.name } as const;
  const values = { before: { days: await selectRetention(trx, accountId) }, after: { days } };
  await saveRetention(trx, accountId, days, env.now);
  await recordDifference(trx, { action: 'delivery_retention.changed', thing, accountId, ...values }, env);
  return { accountId, days, usualDays };
}
