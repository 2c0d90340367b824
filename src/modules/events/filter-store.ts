import { type RawBuilder, sql } from 'kysely';
import { spellingsOf } from '../../lib/ids.ts';
import { boundaryOf, type Db, type NumberRange, numbersWithin, type Timeline } from '../../platform/db/index.ts';

/** What a list or an export of the log is asked for. Each narrows it further. */
export interface LogFilter {
  event?: string;
  /** A UUID in whatever letters it was published; so is the subject's. */
  tradeSessionId?: string;
  subjectId?: string;
  causedBy?: string;
  requestId?: string;
  /** Recorded at this time or later. */
  since?: Date;
  /** Recorded before this time. */
  until?: Date;
  /** Events whose audience names one of these; 'all' for operators. */
  accounts: 'all' | readonly string[];
}

/** A part of the log: the positions above one and below another. */
export type Range = NumberRange;

export const WHOLE_LOG: Range = { above: 0, below: Number.MAX_SAFE_INTEGER };

/** When the events of the log were recorded. */
const LOG: Timeline = { table: 'events', number: 'position', time: 'recorded_at' };

/** The lowest position from which on events were recorded at `at` or later (platform/db/time-span.ts). */
export const boundary = (at: Date): RawBuilder<{ position: number }> => boundaryOf(LOG, at);

/** The part of the log in which all events of a time span are, and few others. */
export const rangeOf = (db: Db, span: Pick<LogFilter, 'since' | 'until'>): Promise<Range> =>
  numbersWithin(db, LOG, span);

/** Where in the log it must be. */
export const inRange = ({ above, below }: Range): RawBuilder<unknown> =>
  sql`position > ${above} and position < ${below}`;

/** What an event must fulfil, besides where it is in the log. */
export function conditions(filter: LogFilter): RawBuilder<unknown> {
  const { event, tradeSessionId, subjectId, causedBy, requestId, since, until, accounts } = filter;
  const all = [
    ...(event === undefined ? [] : [sql`event = ${event}`]),
    ...(tradeSessionId === undefined ? [] : [sql`trade_session_id = any(${spellingsOf(tradeSessionId)}::text[])`]),
    ...(subjectId === undefined ? [] : [sql`subject_id = any(${spellingsOf(subjectId)}::text[])`]),
    ...(causedBy === undefined ? [] : [sql`caused_by = ${causedBy}`]),
    ...(requestId === undefined ? [] : [sql`request_id = ${requestId}`]),
    ...(since === undefined ? [] : [sql`recorded_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`recorded_at < ${until}`]),
    ...(accounts === 'all' ? [] : [sql`account_ids && ${[...accounts]}::uuid[]`]),
  ];
  return all.length === 0 ? sql`true` : sql.join(all, sql` and `);
}

export interface Portion {
  range: Range;
  order: 'asc' | 'desc';
  limit: number;
}

export interface Way {
  /** The columns of an index before the last one, which is the position. */
  columns: readonly RawBuilder<unknown>[];
  values: readonly RawBuilder<unknown>[];
  /** What all events of the index fulfil. */
  partial: RawBuilder<unknown>;
  /** What is left to be asked. */
  rest: LogFilter;
}

const without = (filter: LogFilter, field: keyof LogFilter): LogFilter => {
  const { [field]: _, ...rest } = filter;
  return rest as LogFilter;
};

/** One for each spelling: an event has one of them. */
const byTrade = (tradeSessionId: string, rest: LogFilter, partial = sql`trade_session_id is not null`): Way[] =>
  spellingsOf(tradeSessionId).map((id) => ({
    columns: [sql`trade_session_id`],
    values: [sql`${id}::text`],
    partial,
    rest,
  }));

/** By the hash of a text; two may have one hash, so the text itself is asked as well. */
const byEvent = (event: string, rest: LogFilter): Way => ({
  columns: [sql`hashtextextended(event, 0)`],
  values: [sql`hashtextextended(${event}::text, 0)`],
  partial: sql`true`,
  rest,
});

/** Which block of the log a position is in: the index of requests has them one behind the other (migration 0034). */
const blockOf = (position: RawBuilder<unknown>): RawBuilder<unknown> => sql`((${position} >> 20)::integer)`;

/** By the hash of a request's id, within a block of the log. */
const byRequest = (id: string, block: RawBuilder<unknown>, rest: LogFilter): Way => ({
  columns: [blockOf(sql`position`), sql`hashtext(request_id)`],
  values: [block, sql`hashtext(${id}::text)`],
  partial: sql`true`,
  rest,
});

/** A look into each block of the range, as far as there are events: the end of the whole log is in no block that an integer can count. */
function ofRequest(id: string, filter: LogFilter, portion: Portion): RawBuilder<unknown> {
  const { above, below } = portion.range;
  const last = sql`least(${below}::bigint, coalesce((select position from events order by position desc limit 1), 0))`;
  return sql`select found.position from generate_series(${blockOf(sql`${above}::bigint`)}, ${blockOf(last)}) as blocks (block)
    cross join lateral (${along(byRequest(id, sql`blocks.block`, filter), portion)}) as found`;
}

/**
 * The indexes that have all events of this filter, by that of its fields that fewest share; null: there is none. Most
 * events have their trade for a subject: these are in the index of trades only. The name of an event is shared by many,
 * so it is no way to the few of them that an account may see.
 */
function waysOf(filter: LogFilter): readonly Way[] | null {
  const { causedBy, tradeSessionId, subjectId, event, accounts } = filter;
  if (causedBy !== undefined) {
    const [value, partial] = [sql`${causedBy}::uuid`, sql`caused_by is not null`];
    return [{ columns: [sql`caused_by`], values: [value], partial, rest: without(filter, 'causedBy') }];
  }
  if (tradeSessionId !== undefined) return byTrade(tradeSessionId, without(filter, 'tradeSessionId'));
  if (subjectId === undefined) {
    return event === undefined || accounts !== 'all' ? null : [byEvent(event, filter)];
  }
  const rest = without(filter, 'subjectId');
  const bySubject = (id: string): Way => ({
    columns: [sql`subject_id`],
    values: [sql`${id}::text`],
    partial: sql`subject_id is distinct from trade_session_id`,
    rest,
  });
  // As an expression, so that the planner does not take it for rare.
  const isSubject = sql`trade_session_id is not null and coalesce(subject_id = trade_session_id, false)`;
  return [...spellingsOf(subjectId).map(bySubject), ...byTrade(subjectId, rest, isSubject)];
}

/** Whether an index has the events of this filter in their order. */
export const isNarrow = (filter: LogFilter): boolean => filter.requestId !== undefined || waysOf(filter) !== null;

/**
 * The part of an index in which the events of a way are, in the order of the log. Put as a comparison of pairs and not as an
 * equality: else the planner walks the log for a value that it holds to be frequent, which takes all of the log when its
 * events are long past (see plans.test.ts). How rare the rest is must not be seen by the planner either, so it is put as an
 * expression: else it expects to read far too much for a page, and has several workers gather and sort what one look into the
 * index gives (measured with ten million events: 800 ms, most of it compiling).
 */
export const along = (
  { columns: by, values, partial, rest }: Way,
  { range, order, limit }: Portion,
  columns = sql`position`,
): RawBuilder<unknown> => {
  const [way, key, value] = [sql.raw(order), sql.join(by), sql.join(values)];
  const inOrder = [...by, sql`position`].map((column) => sql`${column} ${way}`);
  return sql`
    select ${columns} from events
    where (${key}, position) > (${value}, ${range.above}) and (${key}, position) < (${value}, ${range.below})
      and ${partial} and coalesce(${conditions(rest)}, false)
    order by ${sql.join(inOrder)} limit ${limit}`;
};

/**
 * Positions of the first events of a part of the log that pass the filter. An index finds them in their order for each
 * of trade, subject, cause, request and, for operators, name; without these the log itself is walked.
 */
export function matching(filter: LogFilter, portion: Portion): RawBuilder<{ position: number }> {
  const { range, order, limit } = portion;
  const way = sql.raw(order);
  const { causedBy, requestId } = filter;
  const found =
    causedBy === undefined && requestId !== undefined
      ? [ofRequest(requestId, filter, portion)]
      : waysOf(filter)?.map((w) => sql`select * from (${along(w, portion)}) as found`);
  return found === undefined
    ? sql`select position from events where ${inRange(range)} and ${conditions(filter)} order by position ${way} limit ${limit}`
    : sql`${sql.join(found, sql` union all `)} order by position ${way} limit ${limit}`;
}
