import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import { isGone, type Part, partsOf, REST } from './parts-store.ts';
import { GREATEST_ID, type IdRange, LEAST_ID, WEEK_MS, weekOf } from './weeks.ts';

export type Waiting = 'PENDING' | 'HELD';

const EVERYTHING: IdRange = { from: LEAST_ID, to: GREATEST_ID };

/**
 * Which of these parts have something of this status. One look into an index of each: by the order of that index, so that it
 * is taken, however few rows have the status. Each by its name: with a range of ids the planner would rather read that.
 */
export const partsWith = (parts: readonly Part[], status: Waiting): RawBuilder<IdRange> =>
  sql<IdRange>`${sql.join(
    parts.map(
      ({ name, from, to }) => sql`(select ${from}::text as from, ${to}::text as to from ${sql.table(name)}
        where status = ${sql.lit(status)} order by endpoint_id limit 1)`,
    ),
    sql` union all `,
  )}`;

/**
 * Between which ids all deliveries of this status are: what looks for them endpoint by endpoint leaves out the parts of the
 * table without any, of which each would be one look more for each endpoint. This week, the one before and the next are
 * always within, so what is made or put off after this was asked is found as well.
 */
export async function rangeOfWaiting(db: Db, status: Waiting, now: Date): Promise<IdRange> {
  const parts = [...(await partsOf(db)), { name: REST, ...EVERYTHING }];
  const week = weekOf(now.getTime());
  const range = { from: leastUuidv7(week - WEEK_MS), to: leastUuidv7(week + 2 * WEEK_MS) };
  try {
    for (const { from, to } of (await partsWith(parts, status).execute(db)).rows) {
      if (from < range.from) range.from = from;
      if (to > range.to) range.to = to;
    }
    return range;
  } catch (error) {
    // A part was removed in this moment.
    if (isGone(error)) return EVERYTHING;
    throw error;
  }
}

/** The condition for it. Written into the statement, so that the planner knows the parts that are out. */
export const within = ({ from, to }: IdRange, id: RawBuilder<unknown> = sql.ref('id')): RawBuilder<boolean> =>
  sql<boolean>`${id} >= ${from}::uuid and ${id} < ${to}::uuid`;
