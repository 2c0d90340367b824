import type { Db } from '../../platform/db/index.ts';
import { isNarrow, type LogFilter, matching, rangeOf } from './filter-store.ts';
import { settledEnd } from './settled-end.ts';
import { selectByPositions, selectWeights } from './store.ts';
import type { LoggedEvent } from './types.ts';

/** Events that are looked for at once. */
const PORTION_EVENTS = 500;
/** Of the log that is walked for them in one statement, where no index has them: some 50 ms. */
const PORTION_POSITIONS = 20_000;
/** Of what was published that is in memory at once; a single event may be larger. Bytes. */
const PORTION_BYTES = 2_000_000;

/** The first of these positions (at least one) whose events are together not too large for memory. */
export async function affordable(db: Db, positions: readonly number[]): Promise<readonly number[]> {
  const weights = await selectWeights(db, positions);
  let [count, bytes] = [0, 0];
  for (const position of positions) {
    bytes += weights.get(position) ?? 0;
    if (count > 0 && bytes > PORTION_BYTES) break;
    count++;
  }
  return positions.slice(0, count);
}

/**
 * Every event behind `after` that passes the filter, oldest first, up to where the log was settled when it began: at a
 * gap that an open transaction may still fill it ends, so that nothing ever comes to lie between its lines. Read in
 * portions, only as fast as the caller takes them; no connection is held between portions.
 */
export async function* exportEvents(db: Db, filter: LogFilter, after: number): AsyncGenerator<LoggedEvent> {
  const end = await settledEnd(db);
  const range = await rangeOf(db, filter);
  const below = Math.min(range.below, end + 1);
  const step = isNarrow(filter) ? Number.POSITIVE_INFINITY : PORTION_POSITIONS;
  for (let above = Math.max(range.above, after); above + 1 < below; ) {
    const part = { above, below: Math.min(below, above + step + 1) };
    const { rows } = await matching(filter, { range: part, order: 'asc', limit: PORTION_EVENTS }).execute(db);
    const found = rows.map((row) => row.position);
    for (let rest: readonly number[] = found; rest.length > 0; ) {
      const portion = await affordable(db, rest);
      yield* (await selectByPositions(db, portion)).toSorted((a, b) => a.position - b.position);
      rest = rest.slice(portion.length);
    }
    above = found.length < PORTION_EVENTS ? part.below - 1 : (found.at(-1) as number);
  }
}
