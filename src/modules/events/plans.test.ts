import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../test/helpers/plans.ts';
import { listEvents } from './list-events.ts';
import { audiencePositions, selectPage } from './store.ts';

const { db } = await withDatabase();
const COUNT = 20_000;
/** In every other event, in every thousandth, and in the oldest thousand. */
const [busy, rare, former] = ['1', '2', '3'].map((n) => `0000000${n}-0000-7000-8000-000000000000`) as [
  string,
  string,
  string,
];

before(async () => {
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select i, gen_random_uuid(), case when i % 3 = 0 then 'offer.created' else 'trade.created' end,
      json_build_object('text', repeat('x', 500)),
      array_remove(array[gen_random_uuid(), case when i % 2 = 0 then ${busy}::uuid end,
        case when i % 1000 = 0 then ${rare}::uuid end, case when i <= 1000 then ${former}::uuid end], null), now(), now(), 'r'
    from generate_series(1, ${COUNT}::int) as i`.execute(db);
  // Also takes what is pending into the index.
  await sql`vacuum (analyze) events`.execute(db);
});

const page = (account: string, more: { before?: number; event?: string } = {}) =>
  ({
    accounts: [account],
    limit: 10,
    before: more.before ?? null,
    ...(more.event === undefined ? {} : { event: more.event }),
  }) as const;

const expected = (fits: (i: number) => boolean, from = COUNT): number[] =>
  Array.from({ length: from }, (_, i) => from - i)
    .filter(fits)
    .slice(0, 10);

test('the newest events of an account are the same by either way', async () => {
  for (const [account, fits] of [
    [busy, (i: number) => i % 2 === 0],
    [rare, (i: number) => i % 1000 === 0],
    [former, (i: number) => i <= 1000],
  ] as const) {
    const positions = async (more = {}) => (await selectPage(db, page(account, more))).map((e) => e.position);
    assert.deepEqual(await positions(), expected(fits));
    assert.deepEqual(await positions({ before: 901 }), expected(fits, 900));
    assert.deepEqual(
      await positions({ event: 'offer.created' }),
      expected((i) => fits(i) && i % 3 === 0),
    );
  }
  assert.deepEqual(await selectPage(db, page('00000009-0000-7000-8000-000000000000')), []);
});

test('they are looked for among the newest of the log, and else in the index of audiences', async () => {
  const walk = await planOf(db, audiencePositions(page(busy), 'walk'));
  assert.ok(mostRead(walk) <= 5000, `${mostRead(walk)} rows were read`);
  assert.ok(indexesOf(walk).includes('events_pkey'));
  for (const [account, count] of [
    [rare, 20],
    [former, 1000],
  ] as const) {
    const gather = await planOf(db, audiencePositions(page(account), 'gather'));
    assert.ok(mostRead(gather) <= count, `${mostRead(gather)} rows were read`);
    assert.ok(indexesOf(gather).includes('events_audience'));
  }
});

test('a name that no event has is an empty page', async () => {
  const query = { event: 'nope', limit: 10 };
  assert.deepEqual(await listEvents(db, query, 'all'), { data: [], nextCursor: null });
});
