import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { mostRead, planOf } from '../../../test/helpers/plans.ts';
import { SLOTS, slotOf } from './parts.ts';
import { rowsAfter, rowsOfSlotsAfter, selectAfter, selectOfSlotsAfter } from './store.ts';

const { db } = await withDatabase();
const COUNT = 20_000;

/** Audiences of none to four accounts, and nothing that tells the planner of it. */
before(async () => {
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select i, gen_random_uuid(), 'e', '{}',
      array(select gen_random_uuid() from generate_series(1, i % 5)), now(), now(), 'r'
    from generate_series(1, ${COUNT}::int) as i`.execute(db);
});

test('what is next in the log is walked to, also while nothing is known of the table', async () => {
  const slots = new Set([1]);
  for (const [after, limit] of [
    [0, 500],
    [COUNT / 2, 4000],
    [COUNT - 50, 4000],
  ] as const) {
    const most = Math.min(limit, COUNT - after);
    for (const query of [rowsAfter(after, limit), rowsOfSlotsAfter(after, { slots, limit })]) {
      const plan = await planOf(db, query);
      assert.ok(plan.every((node) => node['Node Type'] !== 'Sort'));
      assert.equal(mostRead(plan.filter((node) => node['Relation Name'] === 'events')), most);
    }
  }
});

test('events of some accounts are those of all that have one of them, in audiences of every size', async () => {
  const all = await selectAfter(db, 0, COUNT);
  assert.equal(all.events.length, COUNT);
  for (const slots of [[], [0], [63], [1, 62], [31, 32, 33], Array.from({ length: SLOTS }, (_, slot) => slot)]) {
    const wanted = new Set(slots);
    const seen = await selectOfSlotsAfter(db, 0, { slots: wanted, limit: COUNT });
    assert.deepEqual(seen.positions, all.positions);
    assert.deepEqual(
      seen.events,
      all.events.filter((e) => e.accountIds.some((id) => wanted.has(slotOf(id)))),
    );
    const sizes = new Set(seen.events.map((e) => e.accountIds.length));
    assert.equal(sizes.size, slots.length === 0 ? 0 : 4, 'of one to four accounts');
  }
});
