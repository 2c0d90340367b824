import { type RawBuilder, sql } from 'kysely';
import { leastUuidv7 } from '../../../lib/ids.ts';
import type { Db } from '../../../platform/db/index.ts';
import { forgetParts, isGone, knownParts, type Part, REST } from './parts-store.ts';
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

/** This week, the one before and the next. */
function present(now: Date): IdRange {
  const week = weekOf(now.getTime());
  return { from: leastUuidv7(week - WEEK_MS), to: leastUuidv7(week + 2 * WEEK_MS) };
}

/** As `rangeOfWaiting`; null: there was none when it looked. */
export async function rangeIfAny(db: Db, status: Waiting, now: Date): Promise<IdRange | null> {
  const parts = [...(await knownParts(db)), { name: REST, ...EVERYTHING }];
  try {
    const { rows } = await partsWith(parts, status).execute(db);
    if (rows.length === 0) return null;
    const range = present(now);
    for (const { from, to } of rows) {
      if (from < range.from) range.from = from;
      if (to > range.to) range.to = to;
    }
    return range;
  } catch (error) {
    if (!isGone(error)) throw error;
    // A part was removed in this moment.
    forgetParts(db);
    return EVERYTHING;
  }
}

/**
 * Between which ids all deliveries of this status are: what looks for them endpoint by endpoint leaves out the parts of the
 * table without any, of which each would be one look more for each endpoint. This week, the one before and the next are
 * always within, so what is made or put off after this was asked is found as well.
 */
export const rangeOfWaiting = async (db: Db, status: Waiting, now: Date): Promise<IdRange> =>
  (await rangeIfAny(db, status, now)) ?? present(now);

/** The condition for it. Written into the statement, so that the planner knows the parts that are out. */
export const within = ({ from, to }: IdRange, id: RawBuilder<unknown> = sql.ref('id')): RawBuilder<boolean> =>
  sql<boolean>`${id} >= ${from}::uuid and ${id} < ${to}::uuid`;
