import { sql } from 'kysely';
import type { Db, Trx } from '../../platform/db/index.ts';
import type { Happening, Rule } from './fraud-rules.ts';

export type FactKind = 'OFFER' | 'FLAG';

export interface Fact {
  eventId: string;
  kind: FactKind;
  userId: string;
  occurredAt: Date;
}

/** Remembers what happened; false when the event was remembered before. */
export async function insertFact(trx: Trx, { eventId, kind, userId, occurredAt }: Fact): Promise<boolean> {
  const { rows } = await sql`
    insert into fraud_facts (event_id, kind, user_id, occurred_at) values (${eventId}, ${kind}, ${userId}, ${occurredAt})
    on conflict do nothing returning event_id`.execute(trx);
  return rows.length === 1;
}

/** Others of the same kind and user, up to so long before and after; of each side the `limit` nearest. */
export async function selectFactsAround(
  trx: Trx,
  { eventId, kind, userId, occurredAt }: Fact,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<Happening[]> {
  const others = sql`select event_id, occurred_at from fraud_facts
    where user_id = ${userId} and kind = ${kind} and event_id <> ${eventId}`;
  const [from, to] = [-withinMs, withinMs].map((ms) => new Date(occurredAt.getTime() + ms));
  const { rows } = await sql<{ eventId: string; occurredAt: Date }>`
    select event_id as "eventId", occurred_at as "occurredAt" from (
      (${others} and occurred_at between ${from} and ${occurredAt} order by occurred_at desc limit ${limit})
      union all
      (${others} and occurred_at > ${occurredAt} and occurred_at <= ${to} order by occurred_at limit ${limit})
    ) around`.execute(trx);
  return rows.map((row) => ({ eventId: row.eventId, at: row.occurredAt.getTime() }));
}

/** Whether the rule was signalled for the user by something that happened up to so long before or after. */
export async function isSignalledAround(
  trx: Trx,
  rule: Rule,
  { userId, occurredAt }: Fact,
  withinMs: number,
): Promise<boolean> {
  const [from, to] = [-withinMs, withinMs].map((ms) => new Date(occurredAt.getTime() + ms));
  const { rows } = await sql`
    select 1 from fraud_signals
    where user_id = ${userId} and rule = ${rule} and occurred_at between ${from} and ${to} limit 1`.execute(trx);
  return rows.length === 1;
}

/** Remembers a signal; false when the event triggered the rule before. */
export async function insertSignal(trx: Trx, rule: Rule, { eventId, userId, occurredAt }: Fact): Promise<boolean> {
  const { rows } = await sql`
    insert into fraud_signals (rule, event_id, user_id, occurred_at) values (${rule}, ${eventId}, ${userId}, ${occurredAt})
    on conflict do nothing returning rule`.execute(trx);
  return rows.length === 1;
}

// Both by their places: joined by key, the planner would read the whole table for them.

/** Removes up to `portion` facts of what happened before; how many. */
export async function deleteFactsBefore(db: Db, kind: FactKind, before: Date, portion: number): Promise<number> {
  const { rows } = await sql`
    delete from fraud_facts where ctid = any(array(
      select ctid from fraud_facts where kind = ${kind} and occurred_at < ${before} limit ${portion}))
    returning 1`.execute(db);
  return rows.length;
}

/** Removes up to `portion` signals of what happened before; how many. */
export async function deleteSignalsBefore(db: Db, before: Date, portion: number): Promise<number> {
  const { rows } = await sql`
    delete from fraud_signals where ctid = any(array(
      select ctid from fraud_signals where occurred_at < ${before} limit ${portion})) returning 1`.execute(db);
  return rows.length;
}
