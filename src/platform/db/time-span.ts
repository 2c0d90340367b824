import { type RawBuilder, sql } from 'kysely';
import { LAST_INSTANT_MS } from '../../lib/date-time.ts';
import type { Db } from './types.ts';

/** A table whose rows are numbered in the order in which they were made, by an index, and know the time of it. */
export interface Timeline {
  table: string;
  number: string;
  time: string;
}

/** A part of a list: from `since`, before `until`. */
export interface Span {
  since?: Date;
  until?: Date;
}

/** The numbers above one and below another. */
export interface NumberRange {
  above: number;
  below: number;
}

/**
 * How far a time may run against the order of numbers, in seconds: it is the time of a node at which the transaction began, so
 * nodes whose clocks differ and transactions that take long mix it up. Of clocks that differ by more, a row near the edge of
 * `since` or `until` can be left out; each second costs reading the rows of a second.
 */
const DISORDER_SECONDS = 120;

/**
 * The lowest number from which on rows were made at `at` or later, by halving: some 24 looks into the index of numbers for ten
 * million rows. An index by time would cost every insert, and this costs it nothing. Where times and numbers do not rise
 * together, some number between the first row that is not before `at` and the last that is.
 */
export function boundaryOf({ table, number, time }: Timeline, at: Date): RawBuilder<{ position: number }> {
  const [rows, n, made] = [sql.table(table), sql.ref(number), sql.ref(time)];
  return sql<{ position: number }>`
    with recursive halves (low, high) as (
      select 0::bigint, coalesce((select ${n} from ${rows} order by ${n} desc limit 1), 0) + 1
      union all
      select coalesce(earlier.n, low), case when earlier.n is null then (low + high) / 2 else high end
      from halves left join lateral (
        select middle.n from (
          select ${n} as n, ${made} as made from ${rows}
          where ${n} >= (low + high) / 2 and ${n} < high order by ${n} limit 1
        ) as middle where made < ${at}
      ) as earlier on true
      where low + 1 < high
    )
    select high as position from halves order by high - low limit 1`;
}

async function boundaryAt(db: Db, timeline: Timeline, at: Date, seconds: number): Promise<number> {
  const moved = new Date(Math.min(at.getTime() + seconds * 1000, LAST_INSTANT_MS));
  const { rows } = await boundaryOf(timeline, moved).execute(db);
  return (rows[0] as { position: number }).position;
}

/** The numbers among which all rows of a time span are, and few others: their time has to be asked as well. */
export async function numbersWithin(db: Db, timeline: Timeline, { since, until }: Span): Promise<NumberRange> {
  return {
    above: since === undefined ? 0 : (await boundaryAt(db, timeline, since, -DISORDER_SECONDS)) - 1,
    below: until === undefined ? Number.MAX_SAFE_INTEGER : await boundaryAt(db, timeline, until, DISORDER_SECONDS),
  };
}

/** Whether a time lies in a span. */
export const isWithin = (time: RawBuilder<unknown>, { since, until }: Span): RawBuilder<unknown> =>
  sql.join(
    [
      ...(since === undefined ? [] : [sql`${time} >= ${since}`]),
      ...(until === undefined ? [] : [sql`${time} < ${until}`]),
      sql`true`,
    ],
    sql` and `,
  );
