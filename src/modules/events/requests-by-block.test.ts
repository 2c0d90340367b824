import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { indexesOf, mostRead, planOf } from '../../../test/helpers/plans.ts';
import { matching, WHOLE_LOG } from './filter-store.ts';

const { db } = await withDatabase();
/** Positions of which the index of requests has the events side by side. */
const BLOCK = 2 ** 20;
const OURS = [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7, 5 * BLOCK];

const find = (order: 'asc' | 'desc', limit: number, range = WHOLE_LOG, event?: string) =>
  matching(
    { accounts: 'all', requestId: 'ours-ours', ...(event === undefined ? {} : { event }) },
    { range, order, limit },
  );

const positions = async (...given: Parameters<typeof find>): Promise<number[]> =>
  (await find(...given).execute(db)).rows.map((row) => row.position);

let ofEmptyLog: unknown;

/** Those of one request at both sides of the edges, and in blocks between which one is empty, among many of others. */
before(async () => {
  ofEmptyLog = await positions('desc', 100).catch((error: unknown) => error);
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select position, gen_random_uuid(), case when position % 2 = 0 then 'offer.created' else 'trade.created' end, '{}', '{}', now(), now(), request
    from (select unnest(${OURS}::bigint[]) as position, 'ours-ours' as request
      union all select block * ${BLOCK} + 100 + i, 'r' || i from generate_series(0, 5) as block, generate_series(1, 2000) as i) as e`.execute(
    db,
  );
  await sql`vacuum (analyze) events`.execute(db);
});

test('the events of a request are found wherever in the log they are, in its order', async () => {
  assert.deepEqual(await positions('asc', 100), OURS);
  assert.deepEqual(await positions('desc', 3), OURS.slice(-3).toReversed());
  assert.deepEqual(await positions('asc', 2), OURS.slice(0, 2));
  assert.deepEqual(await positions('asc', 100, { above: 2, below: BLOCK + 1 }), [BLOCK - 1, BLOCK]);
  assert.deepEqual(await positions('desc', 100, { above: BLOCK, below: 5 * BLOCK }), [3 * BLOCK + 7, BLOCK + 1]);
  assert.deepEqual(await positions('asc', 100, { above: 7 * BLOCK, below: 8 * BLOCK }), []);
  assert.deepEqual(await positions('asc', 100, WHOLE_LOG, 'offer.created'), [2, BLOCK, 5 * BLOCK]);
});

test('an empty log has none', () => assert.deepEqual(ofEmptyLog, []));

test('by a look into the index for each block, which reads nothing of other requests', async () => {
  for (const order of ['asc', 'desc'] as const) {
    const plan = await planOf(db, find(order, 100));
    const read = plan.filter((node) => node['Index Name'] === 'events_request_in_block');
    assert.ok(indexesOf(plan).includes('events_request_in_block'), JSON.stringify(plan));
    // Rows are the mean of all loops, of which the embedded database says two digits.
    assert.ok(mostRead(read) < OURS.length + 1, `${mostRead(read)}`);
  }
});
