import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { DeliveryStatus } from '../engine/rules.ts';

/** Why a delivery was discarded, where it was not its endpoint's end: another one was made in its place. */
export const REPLAYED = 'REPLAYED';
/** Somebody wanted it so; `discard_reason` has why. */
export const BY_REQUEST = 'BY_REQUEST';
/** It was read from the endpoint's feed. */
export const PULLED = 'PULLED';

export interface Ending {
  errorClass: typeof REPLAYED | typeof BY_REQUEST | typeof PULLED;
  reason: string | null;
  now: Date;
}

/**
 * Ends these deliveries, as far as they have one of the statuses and are not being sent at this moment. Returns which were
 * ended. A delivery that is under way gets its outcome instead: nobody can call a request back.
 */
export async function discardDeliveries(
  trx: Db | Trx,
  ids: readonly string[],
  statuses: readonly DeliveryStatus[],
  { errorClass, reason, now }: Ending,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set status = 'DISCARDED', error_class = ${errorClass}, discard_reason = ${reason},
      next_attempt_at = null, lease_owner = null, lease_until = null, updated_at = ${now}
    where id = any(${[...ids]}::uuid[]) and status = any(${[...statuses]}::text[])
      and (lease_until is null or lease_until < now())
    returning id`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}
