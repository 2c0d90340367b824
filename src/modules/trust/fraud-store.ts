import { type RawBuilder, sql } from 'kysely';
import { LAST_INSTANT_MS } from '../../lib/date-time.ts';
import type { Db, Trx } from '../../platform/db/index.ts';
import type { Happening, Rule } from './fraud-rules.ts';

export type FactKind = 'OFFER' | 'FLAG';

export interface Fact {
  eventId: string;
  kind: FactKind;
  userId: string;
  /** Who flagged; null: nobody in particular did. */
  reporterId: string | null;
  occurredAt: Date;
}

/** Remembers what happened; gives the events that were not remembered before. */
export async function insertFacts(trx: Trx, facts: readonly Fact[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into fraud_facts (event_id, kind, user_id, reporter_id, occurred_at)
    select "eventId", kind, "userId", "reporterId", "occurredAt" from json_to_recordset(${JSON.stringify(facts)}::json)
      as given ("eventId" uuid, kind text, "userId" text, "reporterId" text, "occurredAt" timestamptz)
    on conflict do nothing returning event_id as id`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** What a rule that counts looks at around a fact. */
export interface Around {
  fact: Fact;
  rule: Rule;
  withinMs: number;
  /** So many others are enough to look closer. */
  enough: number;
}

/**
 * Of each fact whether the rule may find something: there are enough others around it, and none of them has been signalled. As many as
 * there are, not as many as count, so it may be true for nothing.
 */
export async function selectSuspects(trx: Trx, facts: readonly Around[]): Promise<ReadonlySet<string>> {
  const rows = facts.map(({ fact: { eventId, kind, userId, occurredAt }, rule, withinMs, enough }) => {
    const [from, to] = aroundOf(occurredAt, withinMs);
    return { eventId, kind, userId, rule, from, to, enough };
  });
  const { rows: suspects } = await sql<{ id: string }>`
    select "eventId" as id from json_to_recordset(${JSON.stringify(rows)}::json) as given ("eventId" uuid, kind text, "userId" text,
      rule text, "from" timestamptz, "to" timestamptz, enough integer), lateral (
      select count(*) as others from (
        select from fraud_facts f where f.user_id = given."userId" and f.kind = given.kind
          and f.occurred_at between given."from" and given."to" and f.event_id <> given."eventId" limit given.enough
      ) as near
    ) as counted
    where others >= enough and not exists (
      select from fraud_signals s where s.user_id = given."userId" and s.rule = given.rule
        and s.occurred_at between given."from" and given."to" offset 0
    )`.execute(trx);
  return new Set(suspects.map(({ id }) => id));
}

/** So much may one who flags again and again hide of what others did: that many flags are looked through on each side. */
const LOOKED_THROUGH = 10_000;

/** Others of the same kind and user, up to so long before and after; of each side the `limit` nearest, of one reporter the nearest. */
export async function selectFactsAround(
  trx: Trx,
  { eventId, kind, userId, occurredAt }: Fact,
  { withinMs, limit }: { withinMs: number; limit: number },
): Promise<Happening[]> {
  const [from, to] = aroundOf(occurredAt, withinMs);
  const side = (time: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
    select * from (
      select distinct on (source) event_id, occurred_at, reporter_id from (
        select event_id, occurred_at, reporter_id, coalesce(reporter_id, event_id::text) as source from fraud_facts
        where user_id = ${userId} and kind = ${kind} and event_id <> ${eventId} and ${time}
        order by occurred_at ${order} limit ${kind === 'FLAG' ? LOOKED_THROUGH : limit}
      ) as near order by source, occurred_at ${order}
    ) as sources order by occurred_at ${order} limit ${limit}`;
  const before = side(sql`occurred_at between ${from} and ${occurredAt}`, sql`desc`);
  const after = side(sql`occurred_at > ${occurredAt} and occurred_at <= ${to}`, sql`asc`);
  const { rows } = await sql<{ eventId: string; occurredAt: Date; reporterId: string | null }>`
    select event_id as "eventId", occurred_at as "occurredAt", reporter_id as "reporterId"
    from ((${before}) union all (${after})) as around`.execute(trx);
  return rows.map((row) => happeningOf(row));
}

/** The fact as the rules count it. */
export const happeningOf = ({
  eventId,
  occurredAt,
  reporterId,
}: Pick<Fact, 'eventId' | 'occurredAt' | 'reporterId'>): Happening => ({
  eventId,
  at: occurredAt.getTime(),
  ...(reporterId === null ? {} : { by: reporterId }),
});

/** So long before an instant, and after, as far as dates go. */
const aroundOf = (at: Date, withinMs: number): readonly [from: Date, to: Date] => [
  new Date(at.getTime() - withinMs),
  new Date(Math.min(at.getTime() + withinMs, LAST_INSTANT_MS)),
];

/** Whether the rule was signalled for the user by something that happened up to so long before or after. */
export async function isSignalledAround(
  trx: Trx,
  rule: Rule,
  { userId, occurredAt }: Fact,
  withinMs: number,
): Promise<boolean> {
  const [from, to] = aroundOf(occurredAt, withinMs);
  const { rows } = await sql`
    select 1 from fraud_signals
    where user_id = ${userId} and rule = ${rule} and occurred_at between ${from} and ${to} limit 1`.execute(trx);
  return rows.length === 1;
}

/** Remembers that these facts triggered the rule; gives the events that had not triggered it before. */
export async function insertSignals(trx: Trx, rule: Rule, facts: readonly Fact[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into fraud_signals (rule, event_id, user_id, occurred_at)
    select ${rule}, "eventId", "userId", "occurredAt" from json_to_recordset(${JSON.stringify(facts)}::json)
      as given ("eventId" uuid, "userId" text, "occurredAt" timestamptz)
    on conflict do nothing returning event_id as id`.execute(trx);
  return new Set(rows.map(({ id }) => id));
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
