import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RawBuilder, type RawNode, sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../test/helpers/plans.ts';
import { type InboundFilter, reportsQuery, selectReports } from './inbound/report-store.ts';
import { numbersOfAccounts, numbersOfAll, numbersOfStatus, selectTrades, type TradeFilter } from './list-store.ts';

const COUNT = 30_000;
const [busy, rare, single, nobody, former, odd] = ['1', '2', '3', '4', '5', '6'].map(
  (n) => `0000000${n}-0000-7000-8000-000000000000`,
) as [string, string, string, string, string, string];
const { db } = await withDatabase();
/** Trade `i` was opened in second `i`, as far as the clocks of nodes agree. */
const START = Date.parse('2026-01-01T00:00:00Z');
const openedAt = (i: number): number => START + i * 1000 + (i % 7 === 0 ? -60_000 : 0);

/** Trades of which one account has all, another one of the twenty oldest, a third one the seventh, a fourth one 4000 old ones of which none is completed; two are held; a report each, one in a thousand refused, one in 200 of no event, two of a rare one, and one in fifty by one that never has the frequent one; of the first nine tenths a tenth by somebody else. */
await sql`
  insert into trade_sessions (id, offer_id, status, reason, currency, due_at, created_at, updated_at)
  select 'ts-' || n, 'off-' || n, s.status, case when s.status = 'CANCELLED' then 'DECLINED' end, 'EUR',
    case when s.status = 'HOLD' then now() end,
    ${new Date(START)}::timestamptz + n * interval '1 s' - case when n % 7 = 0 then interval '60 s' else interval '0' end, now()
  from generate_series(1, ${sql.lit(COUNT)}) as n
  cross join lateral (select case when n in (7, 8) then 'HOLD' when n % 2 = 0 then 'COMPLETED' else 'CANCELLED' end as status) as s`.execute(
  db,
);
await sql`insert into trade_accounts (account_id, number) select ${busy}::uuid, number from trade_sessions`.execute(db);
await sql`insert into trade_accounts (account_id, number) select ${rare}::uuid, number from trade_sessions where number <= 20`.execute(
  db,
);
await sql`insert into trade_accounts (account_id, number) values (${single}::uuid, 7)`.execute(db);
await sql`insert into trade_accounts (account_id, number) select ${odd}::uuid, number from trade_sessions where number < 8000 and number % 2 = 1`.execute(
  db,
);
await sql`
  insert into trade_sides (trade_session_id, side, user_id, merchant_account_id, items, original_price, trade_amount)
  select id, side, 'ann', ${busy}, '[]', 0, 0 from trade_sessions, unnest(array['INITIATOR', 'COUNTERPARTY']) as side`.execute(
  db,
);
await sql`
  insert into inbound_reports (id, account_id, event, trade_session_id, side, body, verdict, event_ids, request_id, received_at)
  select (lpad(to_hex(${START}::bigint + number * 1000), 12, '0') || '7000' || '8000' || lpad(to_hex(number), 12, '0'))::uuid,
    case when number % 10 = 3 and number < ${sql.lit(COUNT * 0.9)} then ${former}::uuid when number % 50 = 11 then ${rare}::uuid else ${busy}::uuid end,
    case when number % 200 = 5 then null when number in (13, 4002) then 'cancelled' when number % 50 = 11 then 'item.sold' else 'returned' end, id, 'INITIATOR', '{}',
    case when number % 1000 = 0 then 'REFUSED' else 'ACCEPTED' end, '{}', 'request',
    ${new Date(START)}::timestamptz + number * interval '1 s'
  from trade_sessions`.execute(db);
for (const table of ['trade_sessions', 'trade_accounts', 'trade_sides', 'inbound_reports'])
  await sql`analyze ${sql.table(table)}`.execute(db);

const page = { before: null, limit: 21 };
/** A time that is long past: twenty minutes of it. */
const receivedIn = { since: new Date(START + 5_000_000), until: new Date(START + 6_200_000) };

test('the trades of an account are found by its own index, whether it has many or few', async () => {
  for (const accounts of [[busy], [rare], [nobody], [busy, rare]]) {
    const plan = await planOf(db, numbersOfAccounts({ accounts }, page));
    assert.ok(indexesOf(plan).includes('trade_accounts_pkey'), indexesOf(plan).join());
    assert.ok(mostRead(plan) <= 50, `${mostRead(plan)} rows were read`);
  }
});

test('a status, however rare, and an offer cost no walk over all trades', async () => {
  const few = await planOf(db, numbersOfAccounts({ accounts: [rare], status: 'HOLD' }, page));
  assert.ok(mostRead(few) <= 50, `${mostRead(few)} rows were read`);
  const many = await planOf(db, numbersOfAccounts({ accounts: [busy], status: 'HOLD' }, page));
  assert.ok(mostRead(many) <= 2000, `${mostRead(many)} rows were read`);
  const rest = await planOf(db, numbersOfStatus({ accounts: [busy], status: 'HOLD' }, page));
  assert.ok(mostRead(rest) <= 50, `${mostRead(rest)} rows were read`);
  const offer = await planOf(db, numbersOfAll({ accounts: [busy], offerId: 'off-5' }, page));
  assert.ok(indexesOf(offer).includes('trade_sessions_offer'));
  assert.ok(mostRead(offer) <= 5, `${mostRead(offer)} rows were read`);
});

test('a status that is frequent on the platform and not with an account costs a walk over its own trades, by portions', async () => {
  const asked: RawNode[] = [];
  const spied = db.withPlugin({
    transformQuery: ({ node }) => (asked.push(node as RawNode), node),
    transformResult: ({ result }) => Promise.resolve(result),
  });
  for (const [filter, most] of [
    [{ accounts: [odd], status: 'COMPLETED' }, 3],
    [{ accounts: [odd], status: 'HOLD' }, 2],
    [{ accounts: [busy], status: 'HOLD' }, 2],
    [{ accounts: [odd, rare], status: 'ACCEPTED' }, 2],
  ] as const) {
    asked.length = 0;
    const found = await selectTrades(spied, filter, page);
    // Then come the trades themselves: sessions, and of what was found sides and reservations.
    const looks = asked.slice(0, found.length === 0 ? -1 : -3);
    assert.ok(looks.length <= most, `${JSON.stringify(filter)}: ${looks.length} portions`);
    for (const [i, node] of looks.entries()) {
      const plan = await planOf(db, { toOperationNode: () => node } as RawBuilder<unknown>);
      // One look for each of the two ways, then one for twice as many.
      const rows = 2100 * 2 ** (i >> 1);
      assert.ok(mostRead(plan) <= rows, `${JSON.stringify(filter)}: ${mostRead(plan)} rows were read`);
    }
  }
});

test('each way gives the same trades', async () => {
  const idsOf = async (filter: Parameters<typeof selectTrades>[1], before: number | null = null): Promise<string[]> =>
    (await selectTrades(db, filter, { before, limit: 3 })).map((trade) => trade.id);
  const newest = [COUNT, COUNT - 2, COUNT - 4].map((n) => `ts-${n}`);
  assert.deepEqual(await idsOf({ accounts: [busy], status: 'COMPLETED' }), newest);
  assert.deepEqual(await idsOf({ accounts: 'all', status: 'COMPLETED' }), newest);
  assert.deepEqual(await idsOf({ accounts: [busy], status: 'HOLD' }), ['ts-8', 'ts-7']);
  assert.deepEqual(await idsOf({ accounts: [rare], status: 'HOLD' }), ['ts-8', 'ts-7']);
  assert.deepEqual(await idsOf({ accounts: [busy, rare] }, 3), ['ts-2', 'ts-1']);
  assert.deepEqual(await idsOf({ accounts: [rare], offerId: 'off-5' }), ['ts-5']);
  assert.deepEqual(await idsOf({ accounts: [rare], offerId: 'off-500' }), []);
  assert.deepEqual(await idsOf({ accounts: [nobody], status: 'HOLD' }), []);
  assert.deepEqual(await idsOf({ accounts: [odd], status: 'HOLD' }), ['ts-7']);
  assert.deepEqual(await idsOf({ accounts: [odd], status: 'COMPLETED' }), []);
  assert.deepEqual(await idsOf({ accounts: [odd, rare], status: 'COMPLETED' }), ['ts-20', 'ts-18', 'ts-16']);
  assert.deepEqual(await idsOf({ accounts: [odd], status: 'CANCELLED' }, 7), ['ts-5', 'ts-3', 'ts-1']);
  assert.deepEqual(await idsOf({ accounts: [] }), []);
});

test('a time is found without walking to it, whoever asks and for whatever', async () => {
  const [since, until] = [new Date(openedAt(10_000)), new Date(openedAt(10_100))];
  const numbers = Array.from({ length: COUNT }, (_, i) => COUNT - i);
  const isOfTime = (n: number): boolean => openedAt(n) >= +since && openedAt(n) < +until;
  const statusOf = (n: number): string => (n % 2 === 0 ? 'COMPLETED' : 'CANCELLED');
  for (const accounts of ['all', [busy], [rare], [busy, rare]] as const) {
    for (const status of [undefined, 'COMPLETED'] as const) {
      const filter: TradeFilter = { accounts, since, until, ...(status && { status }) };
      const found: number[] = [];
      for (let before: number | null = null; ; before = found.at(-1) ?? null) {
        const trades = await selectTrades(db, filter, { before, limit: 30 });
        found.push(...trades.map((trade) => trade.number));
        if (trades.length < 30) break;
      }
      const isSeen = accounts === 'all' || accounts.includes(busy);
      assert.deepEqual(
        found,
        numbers.filter((n) => isSeen && isOfTime(n) && (status === undefined || statusOf(n) === status)),
        `${String(accounts)} ${status}`,
      );
    }
  }
  const part = { before: 10_230, above: 9870, limit: 21 };
  for (const status of [undefined, 'COMPLETED'] as const) {
    const filter = { since, until, ...(status && { status }) };
    for (const query of [
      numbersOfAll({ accounts: 'all', ...filter }, part),
      numbersOfAll({ accounts: [busy], ...filter }, part),
      numbersOfAccounts({ accounts: [busy], ...filter }, part),
    ]) {
      const plan = await planOf(db, query);
      assert.ok(mostRead(plan) <= 400, `${mostRead(plan)} rows were read by ${indexesOf(plan).join()}`);
    }
  }
  const empty = await selectTrades(db, { accounts: 'all', since: until, until: since }, page);
  assert.deepEqual(empty, []);
});

test('pages of several accounts pass over no trade that only one with many newer ones has', async () => {
  const found: string[] = [];
  for (let before: number | null = null; ; ) {
    const [trade] = await selectTrades(db, { accounts: [single, busy], status: 'HOLD' }, { before, limit: 1 });
    if (!trade) break;
    found.push(trade.id);
    before = trade.number;
  }
  assert.deepEqual(found, ['ts-8', 'ts-7']);
});

test('reports of an account, refused ones and those of a trade are found by an index', async () => {
  for (const filter of [
    { accounts: 'all', verdict: 'REFUSED' },
    { accounts: [busy], verdict: 'REFUSED' },
    { accounts: 'all', tradeSessionIds: ['ts-5'] },
    { accounts: [busy], tradeSessionIds: ['ts-5'] },
    { accounts: [busy], tradeSessionIds: ['ts-5', 'TS-5'] },
    { accounts: [busy] },
    { accounts: [former] },
    { accounts: [former], verdict: 'ACCEPTED' },
    { accounts: [former, busy] },
    { accounts: 'all' },
    { accounts: 'all', event: 'cancelled' },
    { accounts: 'all', event: 'returned' },
    { accounts: 'all', event: 'returned', verdict: 'REFUSED' },
    { accounts: 'all', event: 'cancelled', verdict: 'REFUSED' },
    { accounts: [busy], event: 'cancelled' },
    { accounts: [busy], event: 'returned', verdict: 'REFUSED' },
    { accounts: [former], event: 'cancelled', verdict: 'ACCEPTED' },
    { accounts: [former, busy], event: 'returned' },
    // Frequent, and never of this account.
    { accounts: [rare], event: 'returned' },
    ...(['all', [former], [busy], [former, busy]] as const).flatMap((accounts) => [
      { accounts, ...receivedIn },
      { accounts, ...receivedIn, verdict: 'ACCEPTED' as const },
      { accounts, ...receivedIn, event: 'returned' as const },
    ]),
  ] as const) {
    const plan = await planOf(db, reportsQuery(filter, page));
    const lanes = Math.max(1, (filter.accounts === 'all' ? 1 : filter.accounts.length) * ('event' in filter ? 3 : 1));
    assert.ok(mostRead(plan) <= lanes * page.limit, `${JSON.stringify(filter)}: ${mostRead(plan)} rows were read`);
  }
});

test('reports are listed newest first, page by page, whatever is asked for', async () => {
  assert.deepEqual(await selectReports(db, { accounts: [] }, page), []);
  const lists = [[former, busy], [former, former], [former], 'all'] as const;
  for (const accounts of lists) {
    for (const more of [
      {},
      { verdict: 'REFUSED' },
      { verdict: 'ACCEPTED' },
      { event: 'cancelled' },
      { event: 'returned', verdict: 'REFUSED' },
      { event: 'returned', ...receivedIn },
      { verdict: 'ACCEPTED', ...receivedIn },
      receivedIn,
    ] as readonly Omit<InboundFilter, 'accounts'>[]) {
      const { verdict, event, since, until } = more;
      const { rows } = await sql<{ id: string }>`
        select id from inbound_reports
        where ${accounts === 'all' ? sql`true` : sql`account_id = any(${[...accounts]}::uuid[])`}
          and ${verdict === undefined ? sql`true` : sql`verdict = ${verdict}`}
          and ${event === undefined ? sql`true` : sql`event = ${event}`}
          and ${since === undefined ? sql`true` : sql`received_at >= ${since} and received_at < ${until}`}
        order by id desc limit 25`.execute(db);
      const found: string[] = [];
      for (let before: string | null = null; found.length < rows.length; before = found.at(-1) ?? null) {
        const reports = await selectReports(db, { accounts, ...more }, { before, limit: 5 });
        found.push(...reports.map(({ id }) => id));
        if (reports.length < 5) break;
      }
      assert.deepEqual(
        found.slice(0, 25),
        rows.map(({ id }) => id),
        `${String(accounts)} ${JSON.stringify(more)}`,
      );
    }
  }
});
