import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, indexOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { BUCKETS, type Bucket } from '../../../lib/time-buckets.ts';
import { leastUuidv7 } from '../../../lib/ids.ts';
import { windowOf } from '../../../platform/http/index.ts';
import { getDeliveryInsights } from './get-delivery-insights.ts';
import { outcomesOf } from './outcomes.ts';
import { type Counted, counting, countOutcomes, oldestPending, picking } from './store.ts';

const { db } = await withDatabase();
const COUNT = 20_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const timeOf = (i: number): number => START + i * 20_000;
const NOW = new Date(timeOf(COUNT) + 1);
const uuid = (kind: string, n: number): string => `0000000${kind}-0000-7000-8000-00000000000${n}`;
const [ann, bob] = [uuid('a', 1), uuid('a', 2)];
const FATES = ['DEAD', 'PENDING', 'HELD', 'DISCARDED', 'RETRIED'] as const;
const ATTEMPTS = { DEAD: 5, PENDING: 2, HELD: 0, DISCARDED: 0, RETRIED: 3, DELIVERED: 1 } as const;
/** What becomes of the i-th delivery: in 50 one of each, the others arrive at once. */
const fateOf = (i: number) => FATES[i % 50] ?? 'DELIVERED';
/** Ann has every fourth, with one endpoint; bob has the others, with two. */
const isOfAnn = (i: number): boolean => i % 4 === 0;
const endpointOf = (i: number): string => uuid('e', isOfAnn(i) ? 1 : 2 + (i % 2));
const eventOf = (i: number): string => (i % 5 === 0 ? 'offer.created' : 'trade.created');

before(async () => {
  const endpoint = (
    n: number,
    account: string,
  ) => sql`(${uuid('e', n)}::uuid, ${account}::uuid, 'MERCHANT', 'http://a', 'ACTIVE',
    0, 0, now(), now())`;
  await sql`insert into accounts (id, name, type, created_at) values (${ann}, 'Ann', 'MERCHANT', now()),
    (${bob}, 'Bob', 'MERCHANT', now())`.execute(db);
  await sql`insert into webhook_endpoints (id, account_id, kind, url, status, after_position, version, created_at, updated_at)
    values ${sql.join([endpoint(1, ann), endpoint(2, bob), endpoint(3, bob)])}`.execute(db);
  // What receivers answer looks like an attempt of ours.
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
      next_attempt_at, request_id, error_class, attempt_log, created_at, updated_at)
    select (lpad(to_hex(${START}::bigint + i * 20000), 12, '0') || '70008' || lpad(to_hex(i), 15, '0'))::uuid, i, gen_random_uuid(),
      case when i % 5 = 0 then 'offer.created' else 'trade.created' end,
      (case when i % 4 = 0 then ${uuid('e', 1)} when i % 2 = 0 then ${uuid('e', 2)} else ${uuid('e', 3)} end)::uuid,
      (case when i % 4 = 0 then ${ann} else ${bob} end)::uuid,
      coalesce((array['DEAD', 'PENDING', 'HELD', 'DISCARDED'])[i % 50 + 1], 'DELIVERED'), a.attempts,
      case when i % 50 = 1 then now() end, 'r',
      case when i % 100 = 0 then 'TIMEOUT' when i % 50 = 0 then 'HTTP_5XX' end,
      coalesce((select string_agg('{"attempt":' || n || ',"at":"2026-01-01T00:00:00.000Z","durationMs":' || n * 100 + i % 10 || '.5,'
        || '"responseBody":"\\n{\\"attempt\\":1,\\"durationMs\\":99999"}' || chr(10), '' order by n) from generate_series(1, a.attempts) as n), ''),
      created.at, created.at + interval '250 milliseconds' * a.attempts
    from generate_series(1, ${COUNT}::int) as i,
      lateral (select coalesce((array[5, 2, 0, 0, 3])[i % 50 + 1], 1) as attempts) as a,
      lateral (select ${new Date(START)}::timestamptz + i * interval '20 seconds' as at) as created`.execute(db);
  await sql`vacuum (analyze) webhook_deliveries`.execute(db);
});

interface Asked {
  since?: string;
  until?: string;
  bucket?: Bucket;
}

const windowFor = (asked: Asked) => windowOf(asked, { now: NOW, buckets: BUCKETS, usual: 'hour' });
const insights = (asked: Asked, counted: Counted = { accounts: 'all' }, groupBy?: 'endpoint' | 'event') =>
  getDeliveryInsights(db, counted, windowFor(asked), groupBy);

/** Counted here, one by one. */
function expected(fits: (i: number) => boolean) {
  const found = { total: 0, delivered: 0, pending: 0, held: 0, dead: 0, discarded: 0, attempts: 0 };
  for (let i = 1; i <= COUNT; i++) {
    if (!fits(i)) continue;
    const fate = fateOf(i);
    found.total++;
    found.attempts += ATTEMPTS[fate];
    const field = fate === 'RETRIED' ? 'delivered' : fate.toLowerCase();
    found[field as 'dead']++;
  }
  const { delivered, dead, attempts } = found;
  const successRate = delivered + dead === 0 ? null : Math.floor((delivered / (delivered + dead)) * 10_000) / 10_000;
  return { ...found, failedAttempts: attempts - delivered, successRate };
}

const countsOf = <T extends object>({
  attemptMs: _a,
  deliveredAfterMs: _d,
  start: _s,
  ...counts
}: T & Record<string, unknown>) => counts;

const FILTERS: readonly [Counted, (i: number) => boolean][] = [
  [{ accounts: 'all' }, () => true],
  [{ accounts: [ann] }, isOfAnn],
  [{ accounts: [ann, bob] }, () => true],
  [{ accounts: [bob], endpointId: uuid('e', 3) }, (i) => endpointOf(i) === uuid('e', 3)],
  [{ accounts: [ann], endpointId: uuid('e', 3) }, () => false],
  [
    { accounts: 'all', endpointId: uuid('e', 2), event: 'offer.created' },
    (i) => endpointOf(i) === uuid('e', 2) && i % 5 === 0,
  ],
  [{ accounts: 'all', event: 'offer.created' }, (i) => i % 5 === 0],
];

test('every bucket has what became of the deliveries that were made in it', async () => {
  for (const asked of [
    { since: '2026-01-01T00:00:00Z', bucket: 'day' },
    { since: '2026-01-01T10:30:10Z', until: '2026-01-01T20:15:00Z', bucket: 'hour' },
    { since: '2025-12-31T00:00:00Z', until: '2026-01-01T01:00:00Z' },
  ] as const) {
    const { since, until, starts } = windowFor(asked);
    for (const [counted, fits] of FILTERS) {
      const found = await insights(asked, counted);
      const isIn = (i: number): boolean => fits(i) && timeOf(i) >= +since && timeOf(i) < +until;
      const { total, delivered, pending, held, dead, discarded, attempts, failedAttempts, successRate } = found;
      assert.deepEqual(
        { total, delivered, pending, held, dead, discarded, attempts, failedAttempts, successRate },
        expected(isIn),
      );
      assert.deepEqual(
        found.data.map(countsOf),
        starts.map((start, b) =>
          expected((i) => isIn(i) && timeOf(i) >= start && timeOf(i) < (starts[b + 1] ?? Number.POSITIVE_INFINITY)),
        ),
      );
    }
  }
});

test('by endpoint and by event, those with most dead letters first', async () => {
  const asked = { since: '2026-01-01T00:00:00Z', bucket: 'week' } as const;
  const { groups } = await insights(asked, { accounts: [bob] }, 'endpoint');
  assert.deepEqual(
    groups,
    [2, 3]
      .map((n) => ({ endpointId: uuid('e', n), event: null, ...expected((i) => endpointOf(i) === uuid('e', n)) }))
      .toSorted((a, b) => b.dead - a.dead),
  );
  const byEvent = await insights(asked, { accounts: 'all' }, 'event');
  assert.deepEqual(
    byEvent.groups,
    ['offer.created', 'trade.created'].map((event) => ({
      endpointId: null,
      event,
      ...expected((i) => eventOf(i) === event),
    })),
  );
  assert.deepEqual((await insights(asked)).groups, []);
});

test('dead letters by reason, and what waits longest', async () => {
  const asked = { since: '2026-01-01T00:00:00Z', bucket: 'week' } as const;
  const { deadLetters, oldestPending: oldest } = await insights(asked);
  assert.deepEqual(
    deadLetters.toSorted((a, b) => String(a.reason).localeCompare(String(b.reason))),
    ['HTTP_5XX', 'TIMEOUT'].map((reason) => ({ reason, count: COUNT / 100 })),
  );
  assert.deepEqual([oldest?.createdAt, oldest?.attempts], [new Date(timeOf(1)).toISOString(), 2]);
  const first = (fits: (i: number) => boolean): string => {
    for (let i = 1; ; i++) if (fateOf(i) === 'PENDING' && fits(i)) return new Date(timeOf(i)).toISOString();
  };
  // Whenever it was made: the window is of later.
  const later = { since: '2026-01-04T00:00:00Z' };
  for (const [counted, fits] of FILTERS.filter(([, f]) => expected(f).pending > 0)) {
    assert.equal((await insights(later, counted)).oldestPending?.createdAt, first(fits));
  }
  assert.equal((await insights(later, { accounts: [uuid('a', 9)] })).oldestPending, null);
});

test('percentiles are of attempts, whatever receivers answered, and of arrivals; nothing has none', async () => {
  const hour = { since: '2026-01-01T00:00:20Z', until: '2026-01-01T00:03:20Z', bucket: 'hour' } as const;
  // Deliveries 1 to 9: attempts of 101.5, 201.5 (the first) and 104.5, 204.5, 304.5 (the fourth), and of 105.5 to 109.5.
  const { attemptMs, deliveredAfterMs, sampled, data } = await insights(hour);
  assert.deepEqual(attemptMs, { p50: 107.5, p95: 304.5 });
  assert.deepEqual(deliveredAfterMs, { p50: 250, p95: 750 });
  assert.equal(sampled, 9);
  assert.deepEqual(data[0]?.attemptMs, attemptMs);
  const empty = await insights({ since: '2025-06-01T00:00:00Z', until: '2025-06-02T00:00:00Z' });
  assert.deepEqual([empty.attemptMs, empty.deliveredAfterMs, empty.sampled, empty.total], [null, null, 0, 0]);
});

test('of many deliveries some are picked, about as many in each bucket, and stand for all', async () => {
  const { attemptMs, sampled, total, data } = await insights({ since: '2026-01-01T00:00:00Z', bucket: 'day' });
  assert.equal(total, COUNT);
  assert.ok(sampled > 2000 && sampled < 6000, `${sampled} were read`);
  // 100.5 to 109.5 in nearly all; what was retried is above the 95th of a hundred.
  assert.ok((attemptMs?.p50 ?? 0) >= 103 && (attemptMs?.p50 ?? 0) <= 107, JSON.stringify(attemptMs));
  assert.ok(data.every((bucket) => bucket.total === 0 || bucket.attemptMs !== null));
});

const DAY = { since: '2026-01-02T00:00:00Z', until: '2026-01-03T00:00:00Z', bucket: 'hour' } as const;
const PER_DAY = 86_400 / 20;

test('a count reads entries of indexes alone, and of no other time', async () => {
  const window = windowFor(DAY);
  for (const [counted, indexes] of [
    [{ accounts: 'all' }, ['webhook_deliveries_pkey', 'webhook_deliveries_unusual']],
    [{ accounts: [bob] }, ['webhook_deliveries_account', 'webhook_deliveries_unusual']],
    [
      { accounts: [bob], endpointId: uuid('e', 3), event: 'offer.created' },
      ['webhook_deliveries_account', 'webhook_deliveries_unusual'],
    ],
  ] as const) {
    const plan = await planOf(db, counting(counted, window, 'bucket'));
    const scans = plan.filter((node) => node['Index Name']?.startsWith('webhook_deliveries') === true);
    assert.deepEqual(
      scans.map((node) => [node['Node Type'], node['Heap Fetches']]),
      [
        ['Index Only Scan', 0],
        ['Index Only Scan', 0],
      ],
    );
    assert.deepEqual(
      scans.map(indexOf).toSorted((a = '', b = '') => a.localeCompare(b)),
      indexes,
    );
    assert.ok(mostRead(plan) <= PER_DAY, `${mostRead(plan)} rows were read`);
  }
  const groups = await planOf(db, counting({ accounts: 'all' }, window, 'endpoint'));
  assert.ok(indexesOf(groups).includes('webhook_deliveries_account'), String(indexesOf(groups)));
  assert.ok(mostRead(groups) <= PER_DAY);
});

test('of what is picked, and of nothing else, the rows are read', async () => {
  const window = windowFor({ ...DAY, bucket: 'day' });
  const plan = await planOf(db, picking({ accounts: [bob] }, window, [64]));
  const rows = plan.filter((node) => node['Node Type'] === 'Index Scan' && node['Actual Loops'] > 0);
  assert.ok(rows.length === 1 && mostRead(rows) <= 100, JSON.stringify(rows));
  const scan = plan.find((node) => node['Node Type'] === 'Index Only Scan');
  assert.deepEqual([scan && indexOf(scan), scan?.['Heap Fetches']], ['webhook_deliveries_account', 0]);
});

test('what waits longest is found by a look into the index for each account', async () => {
  const plan = await planOf(db, oldestPending({ accounts: 'all' }));
  assert.ok(indexesOf(plan).includes('webhook_deliveries_unusual'), String(indexesOf(plan)));
  assert.ok(mostRead(plan) <= 3, `${mostRead(plan)} rows were read`);
});

test('buckets divide the ids as they divide time', async () => {
  const window = windowFor(DAY);
  const rows = await countOutcomes(db, { accounts: 'all' }, window, 'bucket');
  assert.equal(outcomesOf(rows).total, PER_DAY);
  assert.ok(window.starts.every((start) => leastUuidv7(start) < leastUuidv7(start + 1)));
});

test('what is past its retention is not counted, but for what waits and dead letters', async () => {
  const asked = { since: new Date(START).toISOString(), until: new Date(timeOf(2000)).toISOString() };
  const window = windowFor(asked);
  const [annFrom, usualFrom] = [1500, 700];
  const usual = leastUuidv7(timeOf(usualFrom));
  const own = [{ accountId: ann, from: leastUuidv7(timeOf(annFrom)) }];
  for (const shownFrom of [
    { usual, own },
    { usual, own: [] },
  ]) {
    const first = (i: number): number => (isOfAnn(i) && shownFrom.own.length > 0 ? annFrom : usualFrom);
    const isSeen = (i: number): boolean => i >= first(i) || ['PENDING', 'HELD', 'DEAD'].includes(fateOf(i));
    for (const accounts of ['all', [ann], [bob]] as const) {
      for (const groupBy of ['endpoint', 'event'] as const) {
        const found = await getDeliveryInsights(db, { accounts, shownFrom }, window, groupBy);
        const isTheirs = (i: number): boolean => accounts === 'all' || accounts.includes(isOfAnn(i) ? ann : bob);
        const wanted = expected((i) => i < 2000 && isTheirs(i) && isSeen(i));
        const told = found as unknown as Record<string, unknown>;
        assert.deepEqual(Object.fromEntries(Object.keys(wanted).map((name) => [name, told[name]])), wanted);
        const sum = (parts: readonly { total: number }[]): number => parts.reduce((all, { total }) => all + total, 0);
        assert.deepEqual([sum(found.groups), sum(found.data)], [wanted.total, wanted.total]);
      }
    }
  }
});
