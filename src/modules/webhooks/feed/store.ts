import { sql } from 'kysely';
import type { Db, Trx } from '../../../platform/db/index.ts';
import { PULLED } from '../deliveries/ending-store.ts';
import { wasPulled } from '../engine/pulled-store.ts';

/** What was read up to this position needs no push any more. Never goes back. */
export async function savePulled(trx: Trx, endpointId: string, position: number): Promise<void> {
  await sql`update webhook_endpoints set pulled_position = greatest(pulled_position, ${position}::bigint)
    where id = ${endpointId} and pulled_position < ${position}::bigint`.execute(trx);
}

/** Held deliveries that are looked at for each that may be ended: those of webhooks that are not subscribed to any more stay among the oldest. */
const LOOK = 10;

/**
 * Ends held deliveries that were read from the feed, of one endpoint or of all; of each, what is among its `limit` ×
 * `LOOK` oldest: others are held, too, that no feed had. What is sent at this moment, or locked by somebody else, is left alone. Returns how many.
 */
export async function discardPulled(
  db: Db | Trx,
  { endpointId, limit, now }: { endpointId?: string; limit: number; now: Date },
): Promise<number> {
  const { numAffectedRows } = await sql`
    with candidates as materialized (
      select c.id from webhook_endpoints e, lateral (
        select id, event_id, event_position, webhook from webhook_deliveries d
        where d.endpoint_id = e.id and d.status = 'HELD' order by d.id limit ${LOOK * limit}
      ) c
      where e.pulled_position > 0 and e.deleted_at is null and ${wasPulled('c')}
        and ${endpointId === undefined ? sql`true` : sql`e.id = ${endpointId}::uuid`}
      limit ${limit}
    ), portion as materialized (
      select d.id from webhook_deliveries d join candidates c on c.id = d.id
      where d.status = 'HELD' and (d.lease_until is null or d.lease_until < now()) for update of d skip locked
    )
    update webhook_deliveries d set status = 'DISCARDED', error_class = ${PULLED}, next_attempt_at = null,
      lease_owner = null, lease_until = null, updated_at = ${now}
    from portion p where d.id = p.id`.execute(db);
  return Number(numAffectedRows ?? 0);
}
