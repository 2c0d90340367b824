import type { Db } from '../../../platform/db/index.ts';
import type { TimeWindow } from '../../../platform/http/index.ts';
import type { LogFilter } from '../filter-store.ts';
import { countEvents, type EventCount } from './store.ts';

export interface EventInsights {
  since: string;
  until: string;
  bucket: TimeWindow['bucket'];
  total: number;
  /** Most frequent first. */
  events: { event: string; count: number }[];
  data: { start: string; total: number; events: Record<string, number> }[];
}

const byName = (counts: readonly EventCount[]): [string, number][] => {
  const sums = new Map<string, number>();
  for (const { event, count } of counts) sums.set(event, (sums.get(event) ?? 0) + count);
  return [...sums].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
};

const sum = (counts: readonly EventCount[]): number => counts.reduce((all, { count }) => all + count, 0);

/** How many events were recorded when, by name; each bucket is there, also an empty one. */
export async function getEventInsights(
  db: Db,
  filter: Pick<LogFilter, 'accounts' | 'event'>,
  window: TimeWindow,
): Promise<EventInsights> {
  const counts = await countEvents(db, filter, window);
  const buckets = Map.groupBy(counts, ({ bucket }) => bucket);
  return {
    since: window.since.toISOString(),
    until: window.until.toISOString(),
    bucket: window.bucket,
    total: sum(counts),
    events: byName(counts).map(([event, count]) => ({ event, count })),
    data: window.starts.map((start, i) => {
      const found = buckets.get(i + 1) ?? [];
      return { start: new Date(start).toISOString(), total: sum(found), events: Object.fromEntries(byName(found)) };
    }),
  };
}
