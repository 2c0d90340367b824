import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { hasEndpoint } from '../endpoints/store.ts';
import { type DeliveryDeps, findDelivery } from './get-delivery.ts';
import { type DeliveryRow, discardHeld, insertDue, REPLAYED } from './store.ts';

const REPLAYABLE = ['DEAD', 'DELIVERED', 'HELD'];

/** It was held when it was replayed before: every call makes a new one, whatever became of the last. */
const wasReplayed = (row: Pick<DeliveryRow, 'status' | 'error_class'>): boolean =>
  row.status === 'DISCARDED' && row.error_class === REPLAYED;

/**
 * Makes a new delivery of the same event to the same endpoint, due now, with five fresh attempts. Every call makes one
 * (interface.md §6.6.4: replays are not deduplicated). It is sent even to a paused or disabled endpoint: somebody asked
 * for it. A held original is ended (DISCARDED, REPLAYED): else a resume would send it a second time. Throws INVALID_STATE for one that is still under way, was discarded, or whose endpoint is deleted.
 */
export async function replayDelivery(
  deps: Pick<DeliveryDeps, 'visibleAccounts' | 'retentionDays'>,
  trx: Trx,
  input: { id: string; caller: Caller },
  env: Env,
): Promise<DeliveryRow> {
  const found = await findDelivery(deps, trx, input.caller, input.id);
  // If it was resumed in this moment, it is under way by now.
  const isTaken = found.status === 'HELD' && !(await discardHeld(trx, found.id, env.now));
  const old = isTaken ? await findDelivery(deps, trx, input.caller, input.id) : found;
  if (!REPLAYABLE.includes(old.status) && !wasReplayed(old)) {
    throw new AppError('INVALID_STATE', {
      message: `A delivery that is ${old.status} cannot be replayed; ${REPLAYABLE.join(', ')} can.`,
    });
  }
  if (!(await hasEndpoint(trx, old.endpoint_id))) {
    throw new AppError('INVALID_STATE', { message: 'The endpoint of this delivery is deleted.' });
  }
  const row: DeliveryRow = {
    id: env.newId(),
    event_position: old.event_position,
    event_id: old.event_id,
    webhook: old.webhook,
    endpoint_id: old.endpoint_id,
    account_id: old.account_id,
    status: 'PENDING',
    attempts: 0,
    next_attempt_at: env.now,
    replay_of: old.id,
    request_id: env.requestId,
    error_class: null,
    body: old.body,
    created_at: env.now,
    updated_at: env.now,
  };
  await insertDue(trx, row);
  return row;
}
