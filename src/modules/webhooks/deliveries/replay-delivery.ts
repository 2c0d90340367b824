import type { Caller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { hasEndpoint } from '../endpoints/store.ts';
import { discardDeliveries, REPLAYED } from './ending-store.ts';
import { type DeliveryDeps, findDelivery } from './get-delivery.ts';
import { type DeliveryRow, dueRow, insertDue } from './store.ts';

/** What can be replayed: all that is not under way. */
export const REPLAYABLE = ['DEAD', 'DELIVERED', 'HELD', 'DISCARDED'] as const;
const isReplayable = ({ status }: Pick<DeliveryRow, 'status'>): boolean =>
  REPLAYABLE.some((replayable) => replayable === status);

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
 * for it. A held original is ended (DISCARDED, REPLAYED): else a resume would send it a second time. Throws INVALID_STATE for one that is still under way, or whose endpoint is deleted.
 */
export async function replayDelivery(
  deps: Pick<DeliveryDeps, 'visibleAccounts' | 'retentionDays'>,
  trx: Trx,
  input: { id: string; caller: Caller },
  env: Env,
): Promise<DeliveryRow> {
  const found = await findDelivery(deps, trx, input.caller, input.id);
  const ending = { errorClass: REPLAYED, reason: null, now: env.now } as const;
  // If it was resumed in this moment, it is under way by now.
  const isTaken =
    found.status === 'HELD' && !(await discardDeliveries(trx, [found.id], ['HELD'], ending)).has(found.id);
  const old = isTaken ? await findDelivery(deps, trx, input.caller, input.id) : found;
  if (!isReplayable(old)) {
    throw new AppError('INVALID_STATE', {
      message: `A delivery that is ${old.status} cannot be replayed; ${REPLAYABLE.join(', ')} can.`,
    });
  }
  if (!(await hasEndpoint(trx, old.endpoint_id))) {
    throw new AppError('INVALID_STATE', { message: 'The endpoint of this delivery is deleted.' });
  }
  const row = replayRow(old, env);
  await insertDue(trx, row);
  return row;
}
