import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { inTransaction, type Trx } from '../src/platform/db/index.ts';
import { onlyPostgres, withDatabase } from './helpers/database.ts';
import { DeadLetters } from './helpers/dead-letters.ts';
import { deliveriesOf, startNode, until } from './helpers/engine.ts';

const node = await startNode({ database: await withDatabase() });
const { db } = node;
const publisher = await node.tenant('PLATFORM');
const letters = new DeadLetters(node);

/** As on another node: a transaction of its own. */
const step = (): Promise<boolean> => node.service.modules.webhooks.jobs.step();

/** How many wait for a lock in this database. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.n ?? 0;
}

/** A portion, which begins while this transaction is open and goes on when that is over. */
async function portionBehind(change: (trx: Trx) => Promise<unknown>): Promise<void> {
  let portion: Promise<boolean> | undefined;
  await inTransaction(db, async (trx) => {
    await change(trx);
    portion = step();
    await until('the portion waits', async () => (await waiting()) === 1);
  });
  await portion;
}

test(
  'two jobs that leave out what was replayed make one replay together, on two nodes at once',
  onlyPostgres,
  async () => {
    const { tenant, endpoint } = await letters.shop();
    await node.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
    await node.work();
    await sql`update webhook_deliveries set status = 'DEAD', error_class = 'TIMEOUT' where endpoint_id = ${endpoint.id}`.execute(
      db,
    );
    const body = { filter: { status: 'DEAD', endpointId: endpoint.id }, skipReplayed: true };
    const [ofOne, ofAll] = [await letters.begin(tenant, body), await letters.begin(publisher, body)];
    assert.deepEqual([ofOne.accountId, ofAll.accountId], [tenant.id, null]);
    const portions: Promise<boolean>[] = [];
    await inTransaction(db, async (trx) => {
      // Both may read, and neither may write.
      await sql`lock table webhook_deliveries in share mode`.execute(trx);
      portions.push(step());
      await until('the first portion waits', async () => (await waiting()) === 1);
      let isOver = false;
      portions.push(step().finally(() => (isOver = true)));
      await until('the second waits, or is over', async () => isOver || (await waiting()) === 2);
    });
    assert.deepEqual(await Promise.all(portions), [true, false], 'the second comes again');
    const ended = [await letters.finish(tenant, ofOne.id), await letters.finish(publisher, ofAll.id)];
    assert.deepEqual(
      ended.map((job) => [job.done, job.skipped]),
      [
        [2, {}],
        [0, { REPLAYED: 2 }],
      ],
    );
    assert.equal((await letters.replaysOf(endpoint.id)).length, 2);
  },
);

test('a discard of what is held leaves what is resumed at that moment', onlyPostgres, async () => {
  const one = await letters.shop();
  const ids = await letters.seed(one, { status: 'HELD', count: 3 });
  const made = await letters.begin(one.tenant, { filter: { status: 'HELD' }, reason: 'Not wanted.' }, 'discard');
  await portionBehind((trx) =>
    sql`update webhook_deliveries set status = 'PENDING', next_attempt_at = now() where id = ${ids[1]}`.execute(trx),
  );
  const { state, done, skipped } = await letters.jobOf(one.tenant, made.id);
  assert.deepEqual([state, done, skipped], ['COMPLETED', 2, { CHANGED: 1 }]);
  const statuses = (await deliveriesOf(db, one.endpoint.id)).map((d) => d.status);
  assert.deepEqual(statuses, ['DISCARDED', 'PENDING', 'DISCARDED']);
});

test('a discard tells what arrived at that moment from what is being sent', onlyPostgres, async () => {
  const one = await letters.shop();
  const ids = await letters.seed(one, { status: 'PENDING', count: 4 });
  const made = await letters.begin(one.tenant, { filter: { status: 'PENDING' }, reason: 'Not wanted.' }, 'discard');
  await sql`update webhook_deliveries set lease_owner = 'x', lease_until = now() + interval '1 hour' where id = ${ids[2]}`.execute(
    db,
  );
  await portionBehind((trx) =>
    sql`update webhook_deliveries set status = 'DELIVERED', next_attempt_at = null where id = ${ids[0]}`.execute(trx),
  );
  const { done, skipped } = await letters.jobOf(one.tenant, made.id);
  assert.deepEqual([done, skipped], [2, { CHANGED: 1, UNDER_WAY: 1 }]);
});
