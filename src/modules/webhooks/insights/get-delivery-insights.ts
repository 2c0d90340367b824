import type { Static } from 'typebox';
import type { Db } from '../../../platform/db/index.ts';
import type { TimeWindow } from '../../../platform/http/index.ts';
import { type Durations, durationsOf, shares } from './durations.ts';
import { type Outcomes, outcomesOf, reasonsOf } from './outcomes.ts';
import type { DeliveryInsightsSchema } from './schemas.ts';
import { type Counted, countOutcomes, findOldestPending, type Outcome, pickDeliveries } from './store.ts';

type DeliveryInsights = Static<typeof DeliveryInsightsSchema>;
type GroupBy = 'endpoint' | 'event';
type Group = Outcomes & { key: string };

/** Groups of one reply. */
const MOST_GROUPS = 100;

/** By endpoint or event, those with most dead letters first. */
async function groupsOf(db: Db, counted: Counted, window: TimeWindow, by: GroupBy): Promise<Group[]> {
  const found = Map.groupBy(await countOutcomes(db, counted, window, by), ({ key }) => key);
  return [...found]
    .map(([key, outcomes]) => ({ key, ...outcomesOf(outcomes) }))
    .toSorted((a, b) => b.dead - a.dead || b.total - a.total || (a.key < b.key ? -1 : 1))
    .slice(0, MOST_GROUPS);
}

interface Parts {
  outcomes: readonly Outcome[];
  /** Of the whole, and of each bucket. */
  durations: Durations & { sampled: number; buckets: readonly Durations[] };
}

async function read(db: Db, counted: Counted, window: TimeWindow): Promise<Parts> {
  const outcomes = await countOutcomes(db, counted, window, 'bucket');
  const totals = window.starts.map(() => 0);
  for (const { key, status, count } of outcomes) if (status === 'ALL') totals[Number(key) - 1]! += count;
  const every = shares(totals);
  const picked = outcomes.length === 0 ? [] : await pickDeliveries(db, counted, window, every);
  const byBucket = Map.groupBy(picked, ({ bucket }) => bucket);
  const buckets = window.starts.map((_, i) => durationsOf(byBucket.get(i + 1) ?? [], every));
  return { outcomes, durations: { ...durationsOf(picked, every), sampled: picked.length, buckets } };
}

/**
 * What became of the deliveries that were made within the window, by the time of their making; each bucket is there, also
 * an empty one.
 */
export async function getDeliveryInsights(
  db: Db,
  counted: Counted,
  window: TimeWindow,
  groupBy: GroupBy | undefined,
): Promise<DeliveryInsights> {
  const { outcomes, durations } = await read(db, counted, window);
  const groups = groupBy ? await groupsOf(db, counted, window, groupBy) : [];
  const waiting = await findOldestPending(db, counted);
  const byBucket = Map.groupBy(outcomes, ({ key }) => Number(key));
  const { attemptMs, deliveredAfterMs, sampled } = durations;
  return {
    since: window.since.toISOString(),
    until: window.until.toISOString(),
    bucket: window.bucket,
    ...outcomesOf(outcomes),
    attemptMs,
    deliveredAfterMs,
    sampled,
    deadLetters: reasonsOf(outcomes),
    oldestPending: waiting && {
      ...waiting,
      createdAt: waiting.createdAt.toISOString(),
      nextAttemptAt: waiting.nextAttemptAt?.toISOString() ?? null,
    },
    groups: groups.map(({ key, ...rest }) => ({
      endpointId: groupBy === 'endpoint' ? key : null,
      event: groupBy === 'event' ? key : null,
      ...rest,
    })),
    data: window.starts.map((start, i) => ({
      start: new Date(start).toISOString(),
      ...outcomesOf(byBucket.get(i + 1) ?? []),
      attemptMs: durations.buckets[i]?.attemptMs ?? null,
      deliveredAfterMs: durations.buckets[i]?.deliveredAfterMs ?? null,
    })),
  };
}
