import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDb, withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, type PlanNode, planOf } from '../../../../test/helpers/plans.ts';
import { grouping, selectGroups } from '../dead-letters/store.ts';
import { listDeliveries, type ListDeliveriesQuery } from './list-deliveries.ts';
import {
  countByEndpoint,
  HIGHEST,
  idsWithin,
  looking,
  LOWEST,
  narrowed,
  type Search,
  searchDeliveries,
} from './search-store.ts';
import { deliveriesQuery, type EventFilter, lastReplaysQuery, selectLastReplays, selectOfEvents } from './store.ts';

const { db } = await withDatabase();
const ACCOUNT = '00000001-0000-7000-8000-000000000000';
const OTHER = '00000002-0000-7000-8000-000000000000';
/** One that had a tenth of all until some time ago. */
const FORMER = '00000003-0000-7000-8000-000000000000';
/** One that gets nearly all, one that gets every 5000th, one that gets none, and one of the other account. */
const BUSY = '0000000a-0000-7000-8000-000000000000';
const QUIET = '0000000b-0000-7000-8000-000000000000';
const IDLE = '0000000c-0000-7000-8000-000000000000';
const FOREIGN = '0000000d-0000-7000-8000-000000000000';
const OF_FORMER = '0000000e-0000-7000-8000-000000000000';
const ROWS = 40_000;
/** Delivery `i` was made in second `i`. */
const START = Date.parse('2026-01-01T00:00:00Z');
const at = (i: number): Date => new Date(START + i * 1000);

/** With logs of attempts as long as they are: whoever reads a row instead of an entry of an index pays for it. */
before(async () => {
  await sql`insert into accounts (id, name, type, created_at) select id, 'Shop', 'MERCHANT', now()
    from unnest(${[ACCOUNT, OTHER, FORMER]}::uuid[]) as a (id)`.execute(db);
  await sql`insert into webhook_endpoints (id, account_id, kind, url, status, after_position, version, created_at, updated_at)
    select id, case when id = ${FOREIGN}::uuid then ${OTHER}::uuid else ${ACCOUNT}::uuid end, 'MERCHANT', 'https://a.example', 'ACTIVE', 0, 1,
      ${at(0)}, now()
    from unnest(${[BUSY, QUIET, IDLE, FOREIGN]}::uuid[]) as e (id)`.execute(db);
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status,
      attempts, request_id, replay_of, error_class, attempt_log, created_at, updated_at)
    select (lpad(to_hex(${START}::bigint + i * 1000), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid, case when i % 500 = 0 then i - 1 else i end, gen_random_uuid(),
      case when i % 4000 = 0 then 'seller.linked' else 'offer.created' end,
      case when i % 5000 = 1 then ${QUIET}::uuid else ${BUSY}::uuid end, ${ACCOUNT}::uuid,
      case when i % 1000 = 0 then 'DEAD' when i % 1000 = 7 then 'HELD' when i % 1000 = 8 then 'DISCARDED' else 'DELIVERED' end, 1, 'r',
      case when i % 500 = 0 then gen_random_uuid() end,
      case when i % 1000 = 0 then case when i % 2000 = 0 then 'TIMEOUT' else 'HTTP_5XX' end end, repeat('x', 500), now(), now()
    from generate_series(1, ${ROWS}::int) as i`.execute(db);
  await sql`vacuum analyze webhook_deliveries`.execute(db);
  await sql`analyze webhook_endpoints`.execute(db);
});

const search = (more: Partial<Search> = {}): Search => ({
  accounts: [ACCOUNT],
  after: LOWEST,
  before: HIGHEST,
  ...more,
});
const planFor = async (more: Partial<Search>): Promise<PlanNode[]> =>
  planOf(db, looking((await narrowed(db, search(more))) as Search, { ...part, most: 1000 }));
const part = { order: 'desc', limit: 10 } as const;
const list = (query: Partial<ListDeliveriesQuery>, accounts: 'all' | readonly string[] = [ACCOUNT]) =>
  listDeliveries(db, { limit: 10, ...query }, accounts, 90);

/** What a filter finds, by reading everything. */
async function truly(condition: ReturnType<typeof sql>, limit = 10): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from webhook_deliveries where ${condition} order by id desc limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

describe('a list reads what it shows, and hardly more', () => {
  const cases: Record<string, [Partial<Search>, ReturnType<typeof sql>, most: number]> = {
    'dead ones': [{ status: 'DEAD' }, sql`status = 'DEAD'`, 60],
    'by cause, of any status': [{ errorClass: 'TIMEOUT' }, sql`error_class = 'TIMEOUT'`, 130],
    'dead ones of an endpoint': [{ status: 'DEAD', endpointId: BUSY }, sql`status = 'DEAD'`, 60],
    'held ones of an endpoint': [{ status: 'HELD', endpointId: BUSY }, sql`status = 'HELD'`, 60],
    'discarded ones of an endpoint': [
      { status: 'DISCARDED', endpointId: BUSY, event: 'offer.created' },
      sql`status = 'DISCARDED'`,
      60,
    ],
    'of a time, with a webhook': [
      { event: 'offer.created', ...idsWithin({ since: at(100), until: at(120) }) },
      sql`id >= ${idsWithin({ since: at(100) }).after}::uuid and id < ${idsWithin({ until: at(120) }).before}::uuid`,
      60,
    ],
    'of an endpoint and a time long ago': [
      { endpointId: BUSY, event: 'offer.created', ...idsWithin({ until: at(300) }) },
      sql`endpoint_id = ${BUSY}::uuid and id < ${idsWithin({ until: at(300) }).before}::uuid`,
      60,
    ],
    'delivered ones of a time': [
      { status: 'DELIVERED', ...idsWithin({ since: at(1010), until: at(1990) }) },
      sql`status = 'DELIVERED' and id < ${idsWithin({ until: at(1990) }).before}::uuid`,
      60,
    ],
    'dead ones of a webhook and a time': [
      { status: 'DEAD', event: 'seller.linked', ...idsWithin({ since: at(1) }) },
      sql`status = 'DEAD' and webhook = 'seller.linked'`,
      80,
    ],
  };
  for (const [name, [more, condition, most]] of Object.entries(cases)) {
    for (const accounts of [[ACCOUNT], [ACCOUNT, OTHER], 'all'] as const) {
      test(`${name}, ${accounts === 'all' ? 'of all accounts' : `of ${accounts.length}`}`, async () => {
        const wanted = { ...more, accounts };
        const plan = await planFor(wanted);
        assert.ok(mostRead(plan) <= most, `${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
        const { ids } = await searchDeliveries(db, search(wanted), part);
        assert.deepEqual(ids, await truly(condition));
      });
    }
  }
});

test('what is rare is looked for in entries of an index alone', async () => {
  const plan = await planFor({ endpointId: QUIET });
  assert.ok(indexesOf(plan).includes('webhook_deliveries_account'), String(indexesOf(plan)));
  assert.ok(mostRead(plan) <= ROWS);
  if (testDb === 'postgres') assert.deepEqual([...new Set(plan.flatMap((n) => n['Heap Fetches'] ?? []))], [0]);
});

test('an endpoint that is new, idle or of somebody else costs nothing', async () => {
  await sql`update webhook_endpoints set created_at = ${at(ROWS)} where id = ${IDLE}`.execute(db);
  assert.deepEqual(await list({ endpointId: IDLE }), { data: [], nextCursor: null });
  assert.deepEqual(await list({ endpointId: BUSY }, [OTHER]), { data: [], nextCursor: null });
  assert.deepEqual(await list({ endpointId: ACCOUNT }), { data: [], nextCursor: null });
});

test('a bounded look finds all of what is rare, one page after another, in either order', async () => {
  for (const order of ['asc', 'desc'] as const) {
    for (const accounts of [[ACCOUNT, OTHER], 'all'] as const) {
      const found: string[] = [];
      let span = search({ endpointId: QUIET, accounts });
      let looks = 0;
      for (let next: string | null = ''; next !== null; looks++) {
        const page = await searchDeliveries(db, span, { order, limit: 3, most: 3000 });
        assert.ok(page.ids.length <= 3);
        found.push(...page.ids);
        next = page.next;
        if (next !== null) span = { ...span, [order === 'asc' ? 'after' : 'before']: next };
      }
      const all = await truly(sql`endpoint_id = ${QUIET}::uuid`, 100);
      assert.deepEqual(found, order === 'asc' ? all.toReversed() : all);
      assert.ok(looks > ROWS / 3000 - 1, `${looks} looks`);
    }
  }
});

test('of several accounts none is cut short by the bound of another', async () => {
  await sql`update webhook_deliveries set account_id = ${OTHER}, endpoint_id = ${FOREIGN} where event_position % 7 = 0 and status = 'HELD'`.execute(
    db,
  );
  const found: string[] = [];
  let before = HIGHEST;
  for (let next: string | null = ''; next !== null; ) {
    const span = search({ status: 'HELD', accounts: [ACCOUNT, OTHER], before });
    const page = await searchDeliveries(db, span, { order: 'desc', limit: 4, most: 5 });
    found.push(...page.ids);
    next = page.next;
    if (next !== null) before = next;
  }
  assert.deepEqual(found, await truly(sql`status = 'HELD'`, 100));
});

test('of the events of a trade, their deliveries and replays are read and no others', async () => {
  const events = [499, 501, 9999].map((position) => ({
    position,
    id: `00000000-${position}-7000-8000-000000000000`.replace('-499-', '-0499-').replace('-501-', '-0501-'),
  }));
  const filter: EventFilter = { ...search(), events };
  const plan = await planOf(db, sql`${deliveriesQuery(db, filter, part)}`);
  const indexes = indexesOf(plan).filter((name) => name.startsWith('webhook_deliveries'));
  assert.deepEqual(new Set(indexes), new Set(['webhook_deliveries_event', 'webhook_deliveries_pkey']));
  assert.ok(mostRead(plan) <= 45, `${mostRead(plan)} rows were read`);
  const found = await selectOfEvents(db, filter, part);
  assert.deepEqual(
    found.map((d) => [d.event_position, d.replay_of !== null]),
    [
      [9999, true],
      [9999, false],
      [501, false],
      [499, true],
      [499, false],
    ],
  );
});

test('dead letters are grouped by a few steps in the index', async () => {
  const everything = { accounts: [ACCOUNT], after: LOWEST, before: HIGHEST };
  const plan = await planOf(db, grouping(everything, null, 10));
  assert.ok(indexesOf(plan).includes('webhook_deliveries_dead_letters'), String(indexesOf(plan)));
  // Of each of the 40 the two deliveries of its event, of which one might be its replay.
  assert.ok(mostRead(plan) <= 80, `${mostRead(plan)} rows were read`);
  const groups = await selectGroups(db, everything, null, 10);
  assert.deepEqual(
    groups.map(({ endpointId, errorClass, count, isExact }) => [endpointId, errorClass, count, isExact]),
    [
      [BUSY, 'HTTP_5XX', 20, true],
      [BUSY, 'TIMEOUT', 20, true],
    ],
  );
  const [first] = groups;
  assert.deepEqual(
    [first?.newestId, first?.oldestId],
    [(await truly(sql`error_class = 'HTTP_5XX'`, 1))[0], (await truly(sql`error_class = 'HTTP_5XX'`, 100)).at(-1)],
  );
});

test('which of them were replayed is looked up among the few deliveries that no fan-out made', async () => {
  const { data } = await list({ status: 'DEAD' });
  const [first, second] = data;
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts, request_id, replay_of,
      attempt_log, created_at, updated_at)
    -- A replay has an id above that of what it replays.
    select overlay(gen_random_uuid()::text placing 'ff' from 1 for 2)::uuid, event_position, event_id, webhook, endpoint_id, account_id, 'DELIVERED', 1, 'r', id, '', now(), now()
    from webhook_deliveries where id = any(${[first?.id, second?.id]}::uuid[])`.execute(db);
  await sql`analyze webhook_deliveries`.execute(db);
  const everything = { accounts: [ACCOUNT], after: LOWEST, before: HIGHEST };
  for (const [query, most] of [
    [lastReplaysQuery(data), 40],
    [grouping(everything, null, 10), 150],
  ] as const) {
    const plan = await planOf(db, query);
    assert.ok(indexesOf(plan).includes('webhook_deliveries_event'), String(indexesOf(plan)));
    assert.ok(mostRead(plan) <= most, `${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
  }
  const groups = await selectGroups(db, everything, null, 10);
  assert.deepEqual(
    groups.map(({ errorClass, lookedAt, replayed }) => [errorClass, lookedAt, replayed]),
    [
      ['HTTP_5XX', 20, 1],
      ['TIMEOUT', 20, 1],
    ],
  );
  assert.deepEqual(new Set((await selectLastReplays(db, data)).keys()), new Set([first?.id, second?.id]));
  await sql`delete from webhook_deliveries where replay_of = any(${[first?.id, second?.id]}::uuid[])`.execute(db);
});

test('a count is by endpoint, and says whether it is exact', async () => {
  const dead = await countByEndpoint(db, search({ status: 'DEAD' }));
  assert.deepEqual(dead, { groups: [{ endpointId: BUSY, count: 40 }], isExact: true });
  const all = await countByEndpoint(db, search({ status: 'DELIVERED' }));
  assert.equal(all.isExact, false);
  assert.ok((all.groups[0]?.count ?? 0) < ROWS);
});

test('what others got since is not gone past, however many an account had before', async () => {
  // Every tenth, but none of the last tenth. No page is known to be visible to all, as where deliveries go on.
  const quiet = (ROWS * 9) / 10;
  await sql`truncate webhook_deliveries`.execute(db);
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status,
      attempts, request_id, attempt_log, created_at, updated_at)
    select (lpad(to_hex(${START}::bigint + i * 1000), 12, '0') || '7000' || '8000' || lpad(to_hex(i), 12, '0'))::uuid, i, gen_random_uuid(),
      'offer.created', ${OF_FORMER}::uuid, case when i % 10 = 0 and i <= ${quiet}::int then ${FORMER}::uuid else ${ACCOUNT}::uuid end,
      'DELIVERED', 1, 'r', repeat('x', 500), now(), now()
    from generate_series(1, ${ROWS}::int) as i`.execute(db);
  await sql`analyze webhook_deliveries`.execute(db);
  for (const more of [{}, { status: 'DELIVERED' }, { event: 'offer.created' }] as const) {
    const plan = await planFor({ accounts: [FORMER], ...more });
    assert.ok(mostRead(plan) <= 60, `${mostRead(plan)} rows were read by ${indexesOf(plan).join(', ')}`);
    assert.equal((await list(more, [FORMER])).data.length, 10);
  }
});
