import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { BY_REQUEST, discardDeliveries } from './ending-store.ts';
import { type DeliveryDeps, findDelivery } from './get-delivery.ts';
import type { DeliveryRow } from './store.ts';

/** What can be discarded: all that did not arrive. */
export const DISCARDABLE = ['DEAD', 'HELD', 'PENDING'] as const;

/**
 * Ends a delivery that is not wanted any more, for a reason that is kept with it. Throws NOT_FOUND, and INVALID_STATE for
 * one that has arrived, was discarded, or is being sent at this moment.
 */
export async function discardDelivery(
  deps: Pick<DeliveryDeps, 'visibleAccounts' | 'retentionDays'>,
  trx: Trx,
  { id, caller, reason }: { id: string; caller: Caller; reason: string },
  env: Env,
): Promise<DeliveryRow> {
  const { status } = await findDelivery(deps, trx, caller, id);
  const ended = await discardDeliveries(trx, [id], DISCARDABLE, { errorClass: BY_REQUEST, reason, now: env.now });
  if (!ended.has(id)) {
    const message =
      status === 'PENDING'
        ? 'The delivery is being sent at this moment.'
        : `A delivery that is ${status} cannot be discarded; ${DISCARDABLE.join(', ')} can.`;
    throw new AppError('INVALID_STATE', { message });
  }
  return findDelivery(deps, trx, caller, id);
}
