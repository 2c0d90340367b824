import { sql } from 'kysely';
import { spellingsOf } from '../../../lib/ids.ts';
import type { Db, Trx } from '../../../platform/db/index.ts';
import type { TradeStatus } from './types.ts';

/** What moved a trade, or tried to. */
export interface Step {
  tradeSessionId: string;
  /** An event of the log, a report, or what the service or an operator did. */
  cause: string;
  eventId: string | null;
  reportId: string | null;
  /** After it. */
  status: TradeStatus;
  /** Why nothing was done. */
  refused: string | null;
  requestId: string;
  at: Date;
}

/** Keeps steps in their order; an event is kept once with a trade, however often the log is read. */
export async function insertSteps(trx: Trx, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return;
  await sql`
    insert into trade_steps (trade_session_id, cause, event_id, report_id, status, refused, request_id, at)
    select "tradeSessionId", cause, "eventId", "reportId", status, refused, "requestId", at
    from rows from (json_to_recordset(${JSON.stringify(steps)}::json) as ("tradeSessionId" text, cause text, "eventId" uuid,
      "reportId" uuid, status text, refused text, "requestId" text, at timestamptz)) with ordinality
      as step ("tradeSessionId", cause, "eventId", "reportId", status, refused, "requestId", at, n)
    order by n
    on conflict do nothing`.execute(trx);
}

/** The last event of this name that a trade session, or one that is not known yet, has a step of, however that names it; null: there is none. */
export async function eventOfStep(trx: Trx, tradeSessionId: string, cause: string): Promise<string | null> {
  const { rows } = await sql<{ eventId: string }>`
    select last.event_id as "eventId" from unnest(${spellingsOf(tradeSessionId)}::text[]) as spelling cross join lateral (
      select id, event_id from trade_steps
      where trade_session_id = spelling and cause = ${cause} and event_id is not null
      order by id desc limit 1
    ) as last
    order by last.id desc limit 1`.execute(trx);
  return rows[0]?.eventId ?? null;
}

/** The last steps of a trade, in their order; also those of before it was known, however what they are of names it. */
export async function selectSteps(db: Db, tradeSessionId: string, limit: number): Promise<Step[]> {
  const { rows } = await sql<Step>`
    select trade_session_id as "tradeSessionId", cause, event_id as "eventId", report_id as "reportId", status, refused,
      request_id as "requestId", at
    from unnest(${spellingsOf(tradeSessionId)}::text[]) as spelling cross join lateral (
      select * from trade_steps where trade_session_id = spelling order by id desc limit ${limit}
    ) as last order by id desc limit ${limit}`.execute(db);
  return rows.toReversed();
}
