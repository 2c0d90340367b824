import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { selectDueProbes } from '../recovery/store.ts';
import { countOf, oldestOf, selectCounts, selectWaiting } from './store.ts';

const { db } = await withDatabase();
const ENDPOINT = '00000001-0000-7000-8000-000000000000';
const OTHER = '00000002-0000-7000-8000-000000000000';
const MOST = 50;

before(async () => {
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, next_attempt_at,
      request_id, created_at, updated_at)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, gen_random_uuid(), 'offer.created',
      case when i % 20 = 0 then ${ENDPOINT}::uuid else ${OTHER}::uuid end, gen_random_uuid(),
      case when i / 20 % 10 < 2 then 'PENDING' when i / 20 % 10 < 4 then 'HELD' when i / 20 % 10 < 6 then 'DEAD' else 'DELIVERED' end,
      1, now() + i * interval '1 second', 'r', now(), now()
    from generate_series(1, 20000) as i`.execute(db);
  await sql`analyze webhook_deliveries`.execute(db);
});

test('what waits for an endpoint is counted by its index, up to a bound, however much there is', async () => {
  for (const [status, index] of [
    ['PENDING', 'webhook_deliveries_due_in_order'],
    ['HELD', 'webhook_deliveries_held_in_order'],
    ['DEAD', 'webhook_deliveries_dead'],
  ] as const) {
    const plan = await planOf(db, countOf(ENDPOINT, status, MOST));
    assert.ok(indexesOf(plan).includes(index), String(indexesOf(plan)));
    assert.ok(mostRead(plan) <= MOST, `${mostRead(plan)} rows were read`);
  }
  const { oldest, ...counts } = await selectWaiting(db, ENDPOINT, MOST);
  assert.deepEqual(counts, { PENDING: MOST, HELD: MOST, DEAD: MOST });
  assert.equal((await selectWaiting(db, ENDPOINT, 10_000)).HELD, 200);
  assert.ok(oldest);
});

test('of the oldest that is pending one row is read', async () => {
  const plan = await planOf(db, oldestOf(ENDPOINT));
  assert.ok(mostRead(plan) <= 1, `${mostRead(plan)} rows were read`);
  assert.ok(
    indexesOf(plan).every((name) => /due_in_order|next_attempt_at/.test(name)),
    String(indexesOf(plan)),
  );
});

test('the counts of a day are those of one endpoint, of as many nodes as have written some', async () => {
  await sql`insert into webhook_endpoint_counts (endpoint_id, bucket, writer, attempts, failures, durations)
    select e, now() - i * interval '5 minutes', w, 2, 1, '{1,1}' from generate_series(0, 400) as i,
      unnest(array[${ENDPOINT}, ${OTHER}]::uuid[]) as e, unnest(array['a', 'b']) as w`.execute(db);
  const rows = await selectCounts(db, ENDPOINT, new Date(Date.now() - 86_400_000));
  assert.ok(rows.length >= 2 * 288 && rows.length <= 2 * 290, String(rows.length));
});

test('probes look at disabled endpoints only, and at no more of what they hold than is bounded', async () => {
  assert.deepEqual(await selectDueProbes(db, { now: new Date(), attempts: 3, attemptsIfAsked: 4, limit: 10 }), []);
});
