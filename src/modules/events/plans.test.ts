import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../test/helpers/plans.ts';
import { inTransaction } from '../../platform/db/index.ts';
import { listEvents } from './list-events.ts';
import { audiencePositions, commonPositions, newestOfAudience, recentPositions } from './audience-store.ts';
import { boundary, type LogFilter, matching, rangeOf, WHOLE_LOG } from './filter-store.ts';
import { firstsOfTrades, ofTrades, selectPage } from './store.ts';

const { db } = await withDatabase();
const COUNT = 20_000;
/** In every other event, in every thousandth, and in the oldest thousand. */
const [busy, rare, former] = ['1', '2', '3'].map((n) => `0000000${n}-0000-7000-8000-000000000000`) as [
  string,
  string,
  string,
];

/** Of a test that takes back what it writes. */
const other = '00000008-0000-7000-8000-000000000000';
const nobody = '00000009-0000-7000-8000-000000000000';

/** A second for each event; every tenth was recorded by a node whose clock is 90 s behind. */
const START = Date.parse('2026-01-01T00:00:00Z');
const recordedAt = (i: number): number => START + i * 1000 - (i % 10 === 0 ? 90_000 : 0);
const cause = (n: number): string => `0000000a-0000-7000-8000-${String(n).padStart(12, '0')}`;

before(async () => {
  await sql`insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by)
    select i, gen_random_uuid(), case when i % 3 = 0 then 'offer.created' else 'trade.created' end,
      json_build_object('text', repeat('x', 500)),
      -- In every place: some audiences are wide.
      array_remove(array[case when i % 5 > 0 then gen_random_uuid() end, case when i % 2 = 0 then ${busy}::uuid end,
        case when i % 1000 = 0 then ${rare}::uuid end, case when i <= 1000 then ${former}::uuid end], null),
      -- One subject is in the oldest fifth, of itself and as a trade; another one in every other event.
      case when i <= 4000 then 'old' when i % 2 = 0 then 'popular' else 's' || i % 500 end,
      case when i % 3 > 0 then case when i <= 4000 then 'old' else 't' || i % 500 end end,
      now(), ${new Date(START)}::timestamptz + (i - case when i % 10 = 0 then 90 else 0 end) * interval '1 second',
      case when i <= 2000 then 'bulk' else 'r' || i / 4 end,
      case when i % 100 = 0 then ('0000000a-0000-7000-8000-' || lpad((i / 1000)::text, 12, '0'))::uuid end
    from generate_series(1, ${COUNT}::int) as i`.execute(db);
  // Also takes what is pending into the index.
  await sql`vacuum (analyze) events`.execute(db);
});

const page = (account: string, more: { before?: number; event?: string } = {}) =>
  [
    { accounts: [account], ...(more.event === undefined ? {} : { event: more.event }) },
    { limit: 10, range: { above: 0, below: more.before ?? WHOLE_LOG.below } },
  ] as const;

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
    const positions = async (more = {}) => (await selectPage(db, ...page(account, more))).map((e) => e.position);
    assert.deepEqual(await positions(), expected(fits));
    assert.deepEqual(await positions({ before: 901 }), expected(fits, 900));
    assert.deepEqual(
      await positions({ event: 'offer.created' }),
      expected((i) => fits(i) && i % 3 === 0),
    );
  }
  assert.deepEqual(await selectPage(db, ...page(nobody)), []);
});

test('they are found by the indexes of audiences in their order, and by the name of a rare event', async () => {
  for (const account of [busy, rare, former, nobody]) {
    const plan = await planOf(db, audiencePositions(...page(account)));
    // Of these four hundred are in wide audiences, which are gathered.
    const most = [busy, former].includes(account) ? 500 : 40;
    assert.ok(mostRead(plan) <= most, `${account}: ${mostRead(plan)} rows were read`);
    for (const index of ['events_first_account', 'events_second_account', 'events_wide_audience'])
      assert.ok(indexesOf(plan).includes(index), indexesOf(plan).join());
  }
});

test('events of a name that an account has are looked for among its last few hundred, then where the two indexes meet', async () => {
  const named = (account: string, event: string) => {
    const [filter, part] = page(account);
    return [{ ...filter, event }, part] as const;
  };
  for (const account of [busy, rare, former, nobody]) {
    const plan = await planOf(db, recentPositions(...named(account, 'offer.created')));
    // Of each place 300, and four hundred of wide audiences, which are gathered.
    assert.ok(mostRead(plan) <= 1000, `${account}: ${mostRead(plan)} rows were read`);
    for (const index of ['events_first_account', 'events_second_account', 'events_wide_audience'])
      assert.ok(indexesOf(plan).includes(index), indexesOf(plan).join());
  }
  // Half of the log each, and hardly an event in common.
  await inTransaction(db, async (trx) => {
    await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
      select ${COUNT}::integer + i, gen_random_uuid(), case when i % 2 = 0 and i <> 100 then 'seller.linked' else 'offer.expired' end, '{}',
        case when i % 2 = 0 then array[${other}::uuid] else array[gen_random_uuid()] end, now(), now(), 'request'
      from generate_series(1, 4000) as i`.execute(trx);
    await sql`analyze events`.execute(trx);
    const [filter, part] = named(other, 'offer.expired');
    assert.deepEqual(await newestOfAudience(trx, filter, part), [{ position: COUNT + 100 }]);
    const older = { ...part, range: { above: 0, below: COUNT + 100 } };
    assert.deepEqual(await newestOfAudience(trx, filter, older), []);
    const plan = await planOf(trx, commonPositions(filter, part));
    for (const index of ['events_first_account', 'events_second_account', 'events_event'])
      assert.ok(indexesOf(plan).includes(index), indexesOf(plan).join());
    const rows = plan.filter((node) => node['Node Type'] === 'Bitmap Heap Scan');
    assert.ok(Math.max(...rows.map((node) => node['Actual Rows'])) <= 1, 'rows of both only are read');
    throw new Error('undo');
  }).catch((error: unknown) => assert.equal((error as Error).message, 'undo'));
});

test('events of a name that accounts have are those that a look at each event finds, in any part of the log', async () => {
  for (const accounts of [[busy], [rare], [former], [nobody], [rare, former], [busy, rare, former]]) {
    for (const event of ['offer.created', 'trade.created', 'seller.linked']) {
      for (const [above, below, limit] of [
        [0, COUNT + 1, 10],
        [0, COUNT + 1, 450],
        [0, 5000, 200],
        [400, 1200, 1000],
        [12_345, 12_400, 10],
      ] as const) {
        const { rows } = await sql<{ position: number }>`
          select position from events where account_ids && ${accounts}::uuid[] and event = ${event}
            and position > ${above} and position < ${below} order by position desc limit ${limit}`.execute(db);
        const found = await newestOfAudience(db, { accounts, event }, { limit, range: { above, below } });
        assert.deepEqual(found, rows, `${accounts.join()} ${event} ${above} ${below}`);
      }
    }
  }
});

test('an event that several of the accounts see comes once', async () => {
  const part = { limit: 10, range: WHOLE_LOG };
  const positions = async (accounts: readonly string[], event?: string) =>
    (await newestOfAudience(db, { accounts, ...(event === undefined ? {} : { event }) }, part)).map((r) => r.position);
  assert.deepEqual(
    await positions([busy, rare, former]),
    expected((i) => i % 2 === 0 || i <= 1000),
  );
  assert.deepEqual(
    await positions([rare, former], 'offer.created'),
    expected((i) => (i % 1000 === 0 || i <= 1000) && i % 3 === 0),
  );
  assert.deepEqual(await positions([]), []);
});

/** What each of the indexes finds, and the index. */
const NARROW: readonly [Omit<LogFilter, 'accounts'>, (i: number) => boolean, string][] = [
  [{ subjectId: 'old' }, (i) => i <= 4000, 'events_subject'],
  [{ subjectId: 'popular' }, (i) => i > 4000 && i % 2 === 0, 'events_subject'],
  [{ subjectId: 's7' }, (i) => i > 4000 && i % 2 === 1 && i % 500 === 7, 'events_subject'],
  [{ tradeSessionId: 'old' }, (i) => i <= 4000 && i % 3 > 0, 'events_trade'],
  [{ causedBy: cause(7) }, (i) => i % 100 === 0 && Math.floor(i / 1000) === 7, 'events_cause'],
  [{ requestId: 'bulk' }, (i) => i <= 2000, 'events_request_in_block'],
  [{ requestId: 'r1000' }, (i) => i > 2000 && Math.floor(i / 4) === 1000, 'events_request_in_block'],
];

test('subject, trade, cause and request are found by an index in their order, forwards and backwards', async () => {
  for (const [more, fits, index] of NARROW) {
    const filter = { ...more, accounts: 'all' } as const;
    const [newest, oldest] = (['desc', 'asc'] as const).map((order) =>
      matching(filter, { range: WHOLE_LOG, order, limit: 10 }),
    ) as [ReturnType<typeof matching>, ReturnType<typeof matching>];
    const positions = async (query: typeof newest) => (await query.execute(db)).rows.map((row) => row.position);
    assert.deepEqual(await positions(newest), expected(fits));
    assert.deepEqual(
      await positions(oldest),
      Array.from({ length: COUNT }, (_, i) => i + 1)
        .filter(fits)
        .slice(0, 10),
    );
    assert.deepEqual(
      (await selectPage(db, filter, { range: { above: 0, below: 3000 }, limit: 10 })).map((e) => e.position),
      expected(fits, 2999),
    );
    for (const query of [newest, oldest]) {
      const plan = await planOf(db, query);
      assert.ok(mostRead(plan) <= 40, `${JSON.stringify(more)}: ${mostRead(plan)} rows were read`);
      assert.ok(indexesOf(plan).includes(index), indexesOf(plan).join());
    }
  }
});

test('events of a name are found by an index in their order, however rare and long past, and within a time', async () => {
  for (const [event, fits] of [
    ['offer.created', (i: number) => i % 3 === 0],
    ['seller.linked', () => false],
  ] as const) {
    const filter = { event, accounts: 'all' } as const;
    for (const [range, from] of [
      [WHOLE_LOG, COUNT],
      [{ above: 0, below: 12_000 }, 11_999],
    ] as const) {
      const query = matching(filter, { range, order: 'desc', limit: 10 });
      assert.deepEqual(
        (await query.execute(db)).rows.map((row) => row.position),
        expected(fits, from),
      );
      const plan = await planOf(db, query);
      assert.ok(mostRead(plan) <= 20, `${event}: ${mostRead(plan)} rows were read`);
      assert.ok(indexesOf(plan).includes('events_event'), indexesOf(plan).join());
    }
  }
});

test('none of these has workers gather and sort, however much the planner thinks there is to read', async () => {
  const filters: Omit<LogFilter, 'accounts'>[] = [
    ...NARROW.map(([filter]) => filter),
    { event: 'seller.linked' },
    { event: 'offer.created', subjectId: 'popular' },
    { tradeSessionId: 't7', event: 'seller.linked' },
  ];
  await inTransaction(db, async (trx) => {
    for (const setting of ['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'])
      await sql`set local ${sql.ref(setting)} = 0`.execute(trx);
    for (const filter of filters) {
      const plan = await planOf(
        trx,
        matching({ ...filter, accounts: 'all' }, { range: WHOLE_LOG, order: 'desc', limit: 10 }),
      );
      const kinds = plan.map((node) => node['Node Type']);
      assert.ok(!kinds.some((kind) => /Gather|Bitmap/.test(kind)), `${JSON.stringify(filter)}: ${kinds.join()}`);
    }
  });
});

test('a time is found in the log by a few looks into the primary key', async () => {
  for (const i of [1, 2, 9999, 19_999, COUNT]) {
    const { rows } = await boundary(new Date(START + i * 1000)).execute(db);
    assert.ok(Math.abs((rows[0]?.position ?? 0) - i) <= 90, `${rows[0]?.position} for ${i}`);
  }
  const far = async (ms: number) => (await boundary(new Date(ms)).execute(db)).rows;
  assert.deepEqual([await far(0), await far(START * 2)], [[{ position: 1 }], [{ position: COUNT + 1 }]]);
  const lastDay = { until: new Date('9999-12-31T23:59:59.999Z') };
  assert.deepEqual(await rangeOf(db, lastDay), { above: 0, below: COUNT + 1 }, 'the last day that can be written');
  const plan = await planOf(db, boundary(new Date(recordedAt(12_345))));
  assert.ok(mostRead(plan) <= 40, `${mostRead(plan)} rows were read`);
  assert.ok(indexesOf(plan).every((index) => index === 'events_pkey') && indexesOf(plan).length > 0);
});

test('since and until leave nothing out, though clocks differ, and read little beside what is between them', async () => {
  const [since, until] = [new Date(START + 10_000_000), new Date(START + 10_100_000)];
  const fits = (i: number) => recordedAt(i) >= +since && recordedAt(i) < +until;
  for (const accounts of ['all', [busy], [rare]] as const) {
    const mine = (i: number) => fits(i) && (accounts === 'all' || i % (accounts[0] === busy ? 2 : 1000) === 0);
    const filter: LogFilter = { accounts, since, until };
    const range = await rangeOf(db, filter);
    const found = await selectPage(db, filter, { range, limit: 500 });
    assert.deepEqual(
      found.map((e) => e.position),
      Array.from({ length: COUNT }, (_, i) => COUNT - i).filter(mine),
    );
  }
  const range = await rangeOf(db, { since, until });
  const plan = await planOf(
    db,
    matching({ accounts: 'all', event: 'no.such', since, until }, { range, order: 'desc', limit: 10 }),
  );
  assert.ok(mostRead(plan) <= 600, `${mostRead(plan)} rows were read`);
  const { data } = await listEvents(db, { since: until.toISOString(), until: until.toISOString(), limit: 10 }, 'all');
  assert.deepEqual(data, []);
});

test('the events of many trades are found by the index of trades, whether a plan is kept or made for them', async () => {
  const trades = Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? `t${i}` : `none${i}`));
  const query = ofTrades(trades, ['trade.created', 'trade.completed'], COUNT);
  const found = (await query.execute(db)).rows.map((row) => row.position);
  const isAsked = (i: number): boolean => i % 3 > 0 && i > 4000 && i % 500 < 400 && i % 2 === 0;
  assert.deepEqual(found, Array.from({ length: COUNT }, (_, i) => COUNT - i).filter(isAsked));
  await db.connection().execute(async (one) => {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await sql`select set_config('plan_cache_mode', ${mode}, false)`.execute(one);
      const plan = await planOf(one, query);
      assert.deepEqual([...new Set(indexesOf(plan))], ['events_trade'], mode);
      // Those of other names as well: a third of each trade's.
      assert.ok(mostRead(plan) <= 2 * found.length, `${mostRead(plan)} rows were read`);
    }
  });
});

test('of a trade that a publisher gives all of its events only the first or the latest are read', async () => {
  await inTransaction(db, async (trx) => {
    await sql`insert into events (position, id, event, data, account_ids, trade_session_id, occurred_at, recorded_at, request_id)
      select ${COUNT}::int + i, gen_random_uuid(), 'checkout.completed',
        json_build_object('side', case when i = 40 or i > 200 then 'COUNTERPARTY' else 'INITIATOR' end), '{}',
        case when i > 4 then 'constant' else 'other' end, now(), now(), ''
      from generate_series(1, 4000) as i`.execute(trx);
    const trades = ['constant', 'none', 'other', 't2'];
    const latest = ofTrades(trades, ['checkout.completed'], COUNT);
    const found = (await latest.execute(trx)).rows.map((row) => row.position - COUNT);
    assert.deepEqual(found, [...Array.from({ length: 100 }, (_, i) => 4000 - i), 4, 3, 2, 1]);
    assert.ok(mostRead(await planOf(trx, latest)) <= 150);
    for (const [among, found, most] of [
      [100, [1, 5, 40], 110],
      [10, [1, 5], 20],
      [1, [1, 5], 4],
    ] as const) {
      const query = firstsOfTrades(trades, { name: 'checkout.completed', among }, COUNT + 4000);
      const positions = (await query.execute(trx)).rows.map((row) => row.position - COUNT);
      assert.deepEqual(positions, found, `among ${among}`);
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await sql`select set_config('plan_cache_mode', ${mode}, true)`.execute(trx);
        const plan = await planOf(trx, query);
        assert.deepEqual([...new Set(indexesOf(plan))], ['events_trade'], mode);
        // And the forty of another name that the last trade has.
        assert.ok(mostRead(plan) <= most + 40, `${mode}, among ${among}: ${mostRead(plan)} rows were read`);
      }
    }
  });
});

test('of a trade that a publisher gives all of its events not all are passed to find those of another name', async () => {
  const BEHIND = COUNT + 10_000;
  await inTransaction(db, async (trx) => {
    await sql`insert into events (position, id, event, data, account_ids, trade_session_id, occurred_at, recorded_at, request_id)
      select ${BEHIND}::int + i, gen_random_uuid(), case when i in (1, 2500, 3999) then 'trade.created' else 'checkout.started' end, '{}', '{}',
        'of all', now(), now(), ''
      from generate_series(1, 5000) as i`.execute(trx);
    for (const [query, found] of [
      [ofTrades(['of all'], ['trade.created'], COUNT), [3999]],
      [firstsOfTrades(['of all'], { name: 'trade.created', among: 100 }, BEHIND + 5000), [1]],
    ] as const) {
      const positions = (await query.execute(trx)).rows.map((row) => row.position - BEHIND);
      assert.deepEqual(positions, found);
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        await sql`select set_config('plan_cache_mode', ${mode}, true)`.execute(trx);
        const plan = await planOf(trx, query);
        assert.deepEqual([...new Set(indexesOf(plan))], ['events_trade'], mode);
        assert.ok(mostRead(plan) <= 2000, `${mode}: ${mostRead(plan)} rows were read`);
      }
    }
  });
});

test(
  'the events of many trades are found without starting other processes, however large the log is',
  onlyPostgres,
  async () => {
    await inTransaction(db, async (trx) => {
      // What the planner thinks of a large one, where nothing keeps it from other processes (behind a pooler).
      await sql`select set_config('max_parallel_workers_per_gather', '2', true)`.execute(trx);
      for (const name of ['parallel_setup_cost', 'parallel_tuple_cost', 'min_parallel_table_scan_size'])
        await sql`select set_config(${name}, '0', true)`.execute(trx);
      const all = await planOf(trx, sql`select count(*) from events`);
      assert.match(JSON.stringify(all), /"Gather/);
      for (const query of [
        ofTrades(['t2', 't4'], ['trade.created'], COUNT),
        firstsOfTrades(['t2', 't4'], { name: 'trade.created', among: 1000 }, COUNT),
      ]) {
        assert.doesNotMatch(JSON.stringify(await planOf(trx, query)), /"Gather/);
      }
    });
  },
);
