import { sql } from 'kysely';
import { asWeWrite } from '../../lib/ids.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import type { LoggedEvent } from '../events/index.ts';
import type { Change } from './reputation-rules.ts';

/** Changes that only operators may see. */
const HIDDEN = 'fraud_signal.detected';

export interface ChangeRow {
  eventId: string;
  event: string;
  position: number;
  delta: number;
  reason: string;
  occurredAt: Date;
}

/** Stores changes and adds them to the users' sums; an event that changed a score before changes nothing. */
export async function addChanges(trx: Trx, changes: readonly (Change & { event: LoggedEvent })[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ event: { id: eventId, event, position, occurredAt }, userId, delta, reason }) => ({
    userId,
    eventId,
    event,
    position,
    delta,
    reason,
    occurredAt,
  }));
  await sql`
    with added as (
      insert into reputation_changes (user_id, event_id, event, position, delta, reason, occurred_at)
      select "userId", "eventId", event, position, delta, reason, "occurredAt" from json_to_recordset(${JSON.stringify(rows)}::json)
        as given ("userId" text, "eventId" uuid, event text, position bigint, delta integer, reason text, "occurredAt" timestamptz)
      on conflict do nothing returning user_id, event, delta
    )
    insert into reputations (user_id, earned, fraud)
    select user_id, sum(case when event = ${HIDDEN} then 0 else delta end), sum(case when event = ${HIDDEN} then delta else 0 end)
    from added group by user_id
    on conflict (user_id) do update
      set earned = reputations.earned + excluded.earned, fraud = reputations.fraud + excluded.fraud`.execute(trx);
}

/** Forgets all that was computed. */
export async function deleteReputations(trx: Trx): Promise<void> {
  await sql`delete from reputation_changes`.execute(trx);
  await sql`delete from reputations`.execute(trx);
}

/**
 * The sum of a user's changes, 0 of whom nothing is known, and those before a position of the log, newest first. In one
 * statement, so that they fit together.
 */
export async function selectReputation(
  db: Db,
  userId: string,
  { hidden, before, limit }: { hidden: boolean; before: number | null; limit: number },
): Promise<{ sum: number; changes: ChangeRow[] }> {
  const { rows } = await sql<{ sum: number } & (ChangeRow | { position: null })>`
    select coalesce(r.sum, 0) as sum, c.* from (select) as one
    left join (
      select ${hidden ? sql`earned + fraud` : sql`earned`} as sum from reputations where user_id = ${userId}
    ) as r on true
    left join (
      select event_id as "eventId", event, position, delta, reason, occurred_at as "occurredAt" from reputation_changes
      where user_id = ${userId} and ${hidden ? sql`true` : sql`event <> ${HIDDEN}`}
        and ${before === null ? sql`true` : sql`position < ${before}`}
      order by position desc limit ${limit}
    ) as c on true order by c.position desc`.execute(db);
  const changes = rows.flatMap((row) => (row.position === null ? [] : [row]));
  return { sum: rows[0]?.sum ?? 0, changes };
}

/** How these events have changed the scores of these users, in the order of the log. */
export async function changesOfEvents(
  db: Db,
  { userIds, eventIds }: { userIds: readonly string[]; eventIds: readonly string[] },
): Promise<(ChangeRow & { userId: string })[]> {
  const { rows } = await sql<ChangeRow & { userId: string }>`
    select user_id as "userId", event_id as "eventId", event, position, delta, reason, occurred_at as "occurredAt"
    from reputation_changes
    where user_id = any(${userIds.map(asWeWrite)}::text[]) and event_id = any(${[...eventIds]}::uuid[])
    order by position, user_id`.execute(db);
  return rows;
}
