import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { hasEndpoint } from '../endpoints/store.ts';
import { discardDeliveries, REPLAYED } from './ending-store.ts';
import { type DeliveryDeps, findDelivery } from './get-delivery.ts';
import { type DeliveryRow, dueRow, insertDue } from './store.ts';

/** Of these the original is ended, as it would be sent a second time: at its next attempt, or by a resume. */
const ENDED_BY_REPLAY = ['PENDING', 'HELD'] as const;
export const isEndedByReplay = (status: string): boolean => ENDED_BY_REPLAY.some((one) => one === status);

export type Original = Pick<
  DeliveryRow,
  'id' | 'event_position' | 'event_id' | 'webhook' | 'endpoint_id' | 'account_id' | 'body'
>;

/** A new delivery of the same, due at `env.now`, with five fresh attempts. */
export const replayRow = (old: Original, env: Env): DeliveryRow =>
  dueRow(
    {
      event_position: old.event_position,
      event_id: old.event_id,
      webhook: old.webhook,
      endpoint_id: old.endpoint_id,
      account_id: old.account_id,
      body: old.body,
      replay_of: old.id,
    },
    env,
  );

/**
 * Makes a new delivery of the same event to the same endpoint, due now, with five fresh attempts. Every call makes one
 * (interface.md §6.6.4: replays are not deduplicated). It is sent even to a paused or disabled endpoint: somebody asked
 * for it. An original that waits for its next attempt, or is held, is ended (DISCARDED, REPLAYED). Throws INVALID_STATE for one that is being sent at this moment, or whose endpoint is deleted.
 */
export async function replayDelivery(
  deps: Pick<DeliveryDeps, 'visibleAccounts' | 'retentionDays'>,
  trx: Trx,
  input: { id: string; caller: Caller },
  env: Env,
): Promise<DeliveryRow> {
  const found = await findDelivery(deps, trx, input.caller, input.id);
  const ending = { errorClass: REPLAYED, reason: null, now: env.now } as const;
  if (!(await hasEndpoint(trx, found.endpoint_id))) {
    throw new AppError('INVALID_STATE', { message: 'The endpoint of this delivery is deleted.' });
  }
  const isTaken =
    isEndedByReplay(found.status) && !(await discardDeliveries(trx, [found.id], ENDED_BY_REPLAY, ending)).has(found.id);
  // In this moment it may also have got its outcome.
  if (isTaken && isEndedByReplay((await findDelivery(deps, trx, input.caller, input.id)).status)) {
    throw new AppError('INVALID_STATE', {
      message: 'The delivery is being sent at this moment; when it has its outcome, it can be replayed.',
    });
  }
  const row = replayRow(found, env);
  await insertDue(trx, row);
  return row;
}
