import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { BUCKETS, type Bucket } from '../../../lib/time-buckets.ts';
import { windowOf } from '../../../platform/http/index.ts';
import { type LogFilter, rangeOf } from '../filter-store.ts';
import { getEventInsights } from './get-event-insights.ts';
import { counting } from './store.ts';

const { db } = await withDatabase();
const COUNT = 20_000;
/** In every other event, and in every thousandth. */
const [busy, rare] = ['1', '2'].map((n) => `0000000${n}-0000-7000-8000-000000000000`) as [string, string];

/** Ten seconds between events, but for a quiet day after the first half; every tenth clock is 90 s behind. */
const START = Date.parse('2026-01-01T00:00:00Z');
const timeOf = (i: number): number =>
  START + i * 10_000 + (i > COUNT / 2 ? 86_400_000 : 0) - (i % 10 === 0 ? 90_000 : 0);
const nameOf = (i: number): string => (i % 3 === 0 ? 'offer.created' : 'trade.created');
const NOW = new Date(timeOf(COUNT - 1) + 1);

before(async () => {
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select i, gen_random_uuid(), case when i % 3 = 0 then 'offer.created' else 'trade.created' end,
      json_build_object('text', repeat('x', 500)),
      array_remove(array[gen_random_uuid(), case when i % 2 = 0 then ${busy}::uuid end,
        case when i % 1000 = 0 then ${rare}::uuid end], null), now(),
      ${new Date(START)}::timestamptz + (i * 10 + case when i > ${COUNT / 2} then 86400 else 0 end
        - case when i % 10 = 0 then 90 else 0 end) * interval '1 second', 'request'
    from generate_series(1, ${COUNT}::int) as i`.execute(db);
  await sql`vacuum (analyze) events`.execute(db);
});

interface Asked {
  since?: string;
  until?: string;
  bucket?: Bucket;
}

const windowFor = (asked: Asked) => windowOf(asked, { now: NOW, buckets: BUCKETS, usual: 'hour' });
const insights = (asked: Asked, filter: Pick<LogFilter, 'accounts' | 'event'> = { accounts: 'all' }) =>
  getEventInsights(db, filter, windowFor(asked));

/** Counted here, one by one. */
function expected(asked: Asked, fits: (i: number) => boolean) {
  const { since, until, starts } = windowFor(asked);
  const data = starts.map((start) => ({
    start: new Date(start).toISOString(),
    total: 0,
    events: {} as Record<string, number>,
  }));
  for (let i = 1; i <= COUNT; i++) {
    const at = timeOf(i);
    if (!fits(i) || at < +since || at >= +until) continue;
    const bucket = data[starts.findLastIndex((start) => start <= at)];
    if (bucket === undefined) continue;
    bucket.total++;
    bucket.events[nameOf(i)] = (bucket.events[nameOf(i)] ?? 0) + 1;
  }
  return data;
}

const SPANS: readonly Asked[] = [
  { since: '2026-01-01T00:00:00Z', bucket: 'day' },
  { since: '2026-01-01T10:30:10Z', until: '2026-01-01T20:15:00Z', bucket: 'hour' },
  { since: '2026-01-02T03:00:00Z', until: '2026-01-02T04:00:00Z', bucket: 'minute' },
  { since: '2025-12-01T00:00:00Z', bucket: 'week' },
  { since: '2025-01-01T00:00:00Z', bucket: 'month' },
];

test('every bucket has what was recorded in it, whatever clock said when, and an empty one nothing', async () => {
  for (const span of SPANS) {
    const { data, total, events } = await insights(span);
    const right = expected(span, () => true);
    assert.deepEqual(data, right);
    assert.equal(
      total,
      right.reduce((sum, bucket) => sum + bucket.total, 0),
    );
    assert.equal(
      total,
      events.reduce((sum, { count }) => sum + count, 0),
    );
  }
  const days = await insights({ since: '2025-12-31T00:00:00Z', bucket: 'hour' });
  assert.ok(days.data.some(({ total }) => total === 0) && days.data.some(({ total }) => total > 0));
  assert.deepEqual(days.events, [
    { event: 'trade.created', count: COUNT - Math.floor(COUNT / 3) },
    { event: 'offer.created', count: Math.floor(COUNT / 3) },
  ]);
});

test('`since` is in it and `until` is not', async () => {
  const [since, until] = [timeOf(101), timeOf(103)].map((at) => new Date(at).toISOString()) as [string, string];
  const { total } = await insights({ since, until, bucket: 'minute' });
  assert.equal(
    total,
    expected({ since, until, bucket: 'minute' }, () => true).reduce((n, b) => n + b.total, 0),
  );
  assert.equal((await insights({ since: until, until: new Date(timeOf(103) + 1).toISOString() })).total, 1);
});

test('of some accounts, of one event, and of both', async () => {
  for (const span of SPANS) {
    for (const [filter, fits] of [
      [{ accounts: [busy] }, (i: number) => i % 2 === 0],
      [{ accounts: [rare] }, (i: number) => i % 1000 === 0],
      [{ accounts: [busy, rare], event: 'offer.created' }, (i: number) => i % 6 === 0],
      [{ accounts: 'all', event: 'offer.created' }, (i: number) => i % 3 === 0],
    ] as const) {
      assert.deepEqual((await insights(span, filter)).data, expected(span, fits));
    }
  }
  assert.equal((await insights({}, { accounts: ['00000009-0000-7000-8000-000000000000'] })).total, 0);
});

test('nothing but a part of the primary key is read, for every account', async () => {
  const asked = { since: '2026-01-02T00:00:00Z', until: '2026-01-02T03:00:00Z', bucket: 'hour' } as const;
  const { since, until, starts } = windowFor(asked);
  for (const accounts of ['all', [busy], [rare]] as const) {
    const filter = { accounts, since, until };
    const plan = await planOf(db, counting(filter, starts, await rangeOf(db, filter)));
    assert.deepEqual(indexesOf(plan), ['events_pkey']);
    const scan = plan.find((node) => node['Node Type'] === 'Index Only Scan');
    assert.equal(scan?.['Heap Fetches'], 0);
    // 1,080 of the three hours, and the minutes around by which clocks may differ.
    assert.ok(mostRead(plan) <= 1200, `${mostRead(plan)} rows were read`);
  }
  const filter = { accounts: 'all', since: new Date(START), until: NOW } as const;
  const plan = await planOf(db, counting(filter, starts, await rangeOf(db, filter)));
  assert.deepEqual(indexesOf(plan), ['events_pkey'], 'also for all of the log');
});

test('an audience of the most accounts fits into the index', async () => {
  const { rows } = await sql<{ count: number }>`
    with added as (
      insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
      select ${COUNT + 1}, gen_random_uuid(), repeat('x', 100), '{}', array(select gen_random_uuid() from generate_series(1, 100)),
        now(), ${NOW}::timestamptz + interval '1 day', 'request' returning 1
    ) select count(*) as count from added`.execute(db);
  assert.equal(rows[0]?.count, 1);
});
