import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../test/helpers/database.ts';
import { mostRead, type PlanNode, planOf } from '../../../test/helpers/plans.ts';
import type { Db } from '../../platform/db/index.ts';
import { SLOTS, slotOf } from './parts.ts';
import { rowsAfter, rowsOfSlotsAfter, selectAfter, selectOfSlotsAfter } from './store.ts';

const { db } = await withDatabase();
const COUNT = 20_000;

/** Audiences of none to four accounts. */
const fill = (to: Db, from: number, upTo: number): Promise<unknown> =>
  sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select i, gen_random_uuid(), 'e', '{}',
      array(select gen_random_uuid() from generate_series(1, i % 5)), now(), now(), 'r'
    from generate_series(${from}::int, ${upTo}::int) as i`.execute(to);

/** And nothing that tells the planner of it. */
before(() => fill(db, 1, COUNT));

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

/** Reads both ways until PostgreSQL has kept its plans, and returns these as they then run. */
async function keptPlans(connection: Db, after: number): Promise<[name: string, events: PlanNode[]][]> {
  const wanted = { slots: new Set([1]), limit: 4000 };
  for (let i = 0; i < 10; i++) {
    await selectAfter(connection, after, wanted.limit);
    await selectOfSlotsAfter(connection, after, wanted);
  }
  const { rows } = await sql<{ name: string; kept: number; parameters: number }>`
    select name, generic_plans::int as kept, cardinality(parameter_types) as parameters
    from pg_prepared_statements where name like 'log-%' order by name`.execute(connection);
  const plans: [string, PlanNode[]][] = [];
  for (const { name, kept, parameters } of rows) {
    // It plans a prepared statement five times before it keeps a plan.
    assert.equal(kept, 5);
    const values = [after, wanted.limit, ...Array.from({ length: parameters - 2 }, () => 2)].join(', ');
    const plan = await planOf(connection, sql.raw(`execute "${name}"(${values})`));
    assert.ok(plan.every((node) => node['Node Type'] !== 'Sort'));
    plans.push([name, plan.filter((node) => node['Relation Name'] === 'events')]);
  }
  return plans;
}

test('a long log is read by a plan that is kept, and walks to what is next', onlyPostgres, async () => {
  await db.connection().execute(async (connection) => {
    const plans = await keptPlans(connection, COUNT - 50);
    assert.deepEqual(
      plans.map(([name]) => name),
      ['log-after-14', 'log-of-slots-after-14'],
    );
    for (const [, events] of plans) assert.equal(mostRead(events), 50);
  });
});

test('so is the shortest that has one, of which the planner knows only how it began', onlyPostgres, async () => {
  const { db: young } = await withDatabase();
  await young.connection().execute(async (connection) => {
    await fill(connection, 1, 3);
    await sql`analyze events`.execute(connection);
    await fill(connection, 4, 1100);
    assert.deepEqual(await keptPlans(connection, 1000), [], 'a shorter one is not');
    const plans = await keptPlans(connection, 1030);
    assert.equal(plans.length, 2);
    for (const [, events] of plans) assert.equal(mostRead(events), 70);
  });
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
