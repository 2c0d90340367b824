import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KyselyPlugin, sql } from 'kysely';
import { Upkeep } from '../src/modules/webhooks/engine/upkeep.ts';
import { type Case, given } from './helpers/case.ts';
import { onlyPostgres, withDatabase } from './helpers/database.ts';
import { startNode, type TestNode, until } from './helpers/engine.ts';

const database = await withDatabase();
const node = await startNode({ database });
const { db } = node;
const publisher = await node.tenant('PLATFORM');

const endpointsVersion = async (): Promise<number> => {
  const { rows } = await sql<{ version: number }>`
    select version from change_versions where topic = 'webhook-endpoints'`.execute(db);
  return rows[0]?.version ?? 0;
};

/** As many events for the endpoint, published and fanned out. */
async function fanOutTo(on: TestNode, it: Case, count: number): Promise<void> {
  const platform = on === node ? publisher : await on.tenant('PLATFORM');
  const events = Array.from({ length: count }, () => ({ event: 'checkout.started' as const }));
  await on.publish(platform, [it.tenant], events);
  await on.fanOut();
}

/** One of four deliveries of the endpoint is under way, and three are queued behind it. */
async function oneUnderWay(on: TestNode): Promise<Case> {
  const it = await given(on, () => 'never', { maxInFlight: 1 });
  await fanOutTo(on, it, 4);
  await until('one is under way', () => it.receiver.waiting === 1);
  assert.equal(on.engine.dispatcher.queued, 3);
  return it;
}

/** From now on the receiver answers, also what it kept waiting. */
function answer(it: Case): void {
  it.receiver.script = () => 200;
  it.receiver.release();
}

async function onlyTheFirstWasSent(it: Case): Promise<void> {
  assert.equal(it.receiver.received.length, 1);
  assert.deepEqual((await it.stored()).map((d) => `${d.status} ${d.attempts} ${d.error_class}`).toSorted(), [
    'DELIVERED 1 null',
    ...Array<string>(3).fill('DISCARDED 0 ENDPOINT_DELETED'),
  ]);
}

test('what is queued for an endpoint that is deleted is not sent any more', async () => {
  const it = await oneUnderWay(node);
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${it.endpoint.id}`, { key: it.tenant.key });
  answer(it);
  await node.quiet();
  await node.work();
  await onlyTheFirstWasSent(it);
});

test('so it is on a node that only learns from another that the endpoint is deleted', onlyPostgres, async () => {
  const shared = await withDatabase();
  const deletedRead = new Set<unknown>();
  /** Sees which deleted endpoints the node has read. */
  const watch: KyselyPlugin = {
    transformQuery: ({ node: query }) => query,
    async transformResult({ result }) {
      for (const row of result.rows)
        if ('after_position' in row && row['deleted_at'] !== null) deletedRead.add(row['id']);
      return result;
    },
  };
  const told = await startNode({ database: { ...shared, db: shared.db.withPlugin(watch) } });
  const other = await startNode({ database: shared, clock: told.clock });
  const it = await oneUnderWay(told);
  // The node that sends runs no loop here, and it is not the one that is asked: only the bus can tell it.
  await other.ok(204, 'DELETE', `/v1/webhooks/endpoints/${it.endpoint.id}`, { key: it.tenant.key });
  await until('it has read it', () => deletedRead.has(it.endpoint.id));
  answer(it);
  await told.quiet();
  await onlyTheFirstWasSent(it);
});

test('what is queued when the address changes goes to the new one', async () => {
  const it = await oneUnderWay(node);
  const body = { url: it.receiver.url('/moved') };
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${it.endpoint.id}`, { key: it.tenant.key, body });
  answer(it);
  await node.quiet();
  await node.work();
  assert.deepEqual([it.receiver.at('/hook').length, it.receiver.at('/moved').length], [1, 3]);
  assert.deepEqual(await it.statuses(), Array(4).fill('DELIVERED'));
});

test('many answers 410 at once disable the endpoint once', async () => {
  const it = await given(node, () => 'never', { maxInFlight: 30 });
  const before = await endpointsVersion();
  await fanOutTo(node, it, 30);
  await until('two are under way', () => it.receiver.waiting === 2);
  it.receiver.script = () => 410;
  it.receiver.release(2, 410);
  await node.quiet();
  await until('it is disabled', async () => (await it.endpointNow()).status === 'DISABLED');
  // Changes of endpoints are one after another: this one comes after all that those answers caused.
  await node.endpoint(it.tenant, it.receiver.url('/other'));
  assert.equal((await endpointsVersion()) - before, 2);
  await until('the outcomes are written', async () => (await it.stored()).length === 30);
  assert.deepEqual(await it.statuses(), Array(30).fill('HELD'));
});

/** Deliveries that are held for a paused endpoint, in their order, and upkeep in portions of ten. */
async function heldBacklog(count: number) {
  const it = await given(node, () => 200, { maxInFlight: 1 });
  await it.post(`endpoints/${it.endpoint.id}/pause`);
  await fanOutTo(node, it, count);
  await node.quiet();
  assert.deepEqual(await it.statuses(), Array(count).fill('HELD'));
  let woken = 0;
  const secrets = { exist: true };
  const upkeep = new Upkeep({
    db,
    clock: node.clock,
    portion: 10,
    signable: async (ids) => new Set(secrets.exist ? ids : []),
    readable: async (ids) => new Set(ids),
    slots: () => [],
    wakeClaims: () => woken++,
  });
  return { it, upkeep, secrets, woken: () => woken };
}

test('a resumed endpoint gets what was held in its order, made due portion by portion', async () => {
  const { it, upkeep, woken } = await heldBacklog(25);
  assert.equal((await it.post(`endpoints/${it.endpoint.id}/resume`)).body.status, 'ACTIVE');
  assert.deepEqual(await it.statuses(), Array(25).fill('HELD'), 'the request changes the endpoint only');
  for (const [due, more] of [
    [10, true],
    [20, true],
    [25, true],
    [25, false],
  ] as const) {
    assert.equal(await upkeep.step(), more);
    assert.deepEqual(await it.statuses(), [...Array(due).fill('PENDING'), ...Array(25 - due).fill('HELD')]);
  }
  assert.equal(woken(), 3);
  await until('all of it is sent', async () => {
    await node.work();
    return (await it.statuses()).every((status) => status === 'DELIVERED');
  });
  assert.deepEqual(
    it.receiver.received.map((r) => r.headers['x-service-event-id']),
    (await it.stored()).map((d) => d.event_id),
  );
});

test('what waits for a deleted endpoint is discarded portion by portion', async () => {
  const { it, upkeep, woken } = await heldBacklog(12);
  await sql`update webhook_deliveries set status = 'PENDING', next_attempt_at = now() + interval '1 day' where id in
    (select id from webhook_deliveries where endpoint_id = ${it.endpoint.id} order by id limit 11)`.execute(db);
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${it.endpoint.id}`, { key: it.tenant.key });
  assert.equal((await it.statuses()).filter((status) => status === 'DISCARDED').length, 0);
  assert.equal(await upkeep.step(), true);
  assert.deepEqual((await it.statuses()).toSorted(), [...Array(11).fill('DISCARDED'), 'PENDING']);
  assert.equal(await upkeep.step(), true);
  assert.deepEqual(await it.statuses(), Array(12).fill('DISCARDED'));
  assert.equal(await upkeep.step(), false);
  assert.equal(woken(), 0);
});

test('upkeep leaves alone what is paused, what nothing can sign, and what is being sent', async () => {
  const { it, upkeep, secrets } = await heldBacklog(2);
  assert.equal(await upkeep.step(), false);
  const [, second] = await it.stored();
  await it.post(`endpoints/${it.endpoint.id}/resume`);
  secrets.exist = false;
  assert.equal(await upkeep.step(), false);
  assert.deepEqual(await it.statuses(), ['HELD', 'HELD']);
  secrets.exist = true;
  assert.equal(await upkeep.step(), true);
  assert.deepEqual(await it.statuses(), ['PENDING', 'PENDING']);
  const lease = (until: string) =>
    sql`update webhook_deliveries set lease_owner = 'other', lease_until = ${until}::timestamptz where id = ${second?.id}`.execute(
      db,
    );
  await lease('2999-01-01');
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${it.endpoint.id}`, { key: it.tenant.key });
  await upkeep.step();
  assert.deepEqual(await it.statuses(), ['DISCARDED', 'PENDING']);
  await lease('2000-01-01');
  await upkeep.step();
  assert.deepEqual(await it.statuses(), ['DISCARDED', 'DISCARDED']);
});

test('410 from the old address says nothing about the new one, where the delivery goes at once', async () => {
  const it = await given(node, () => 'never');
  await fanOutTo(node, it, 1);
  await until('it is under way', () => it.receiver.waiting === 1);
  const body = { url: it.receiver.url('/moved') };
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${it.endpoint.id}`, { key: it.tenant.key, body });
  it.receiver.script = () => 200;
  it.receiver.release(1, 410);
  await until('it is due', async () => (await it.statuses()).includes('PENDING'));
  assert.equal((await it.endpointNow()).status, 'ACTIVE');
  await node.work();
  assert.deepEqual([it.receiver.at('/moved').length, (await it.one()).status], [1, 'DELIVERED']);
});

test('410 to a request from before a resume does not disable the endpoint again', async () => {
  const it = await given(node, () => 'never');
  await fanOutTo(node, it, 2);
  await until('both are under way', () => it.receiver.waiting === 2);
  it.receiver.release(1, 410);
  await until('it is disabled', async () => (await it.endpointNow()).status === 'DISABLED');
  await it.post(`endpoints/${it.endpoint.id}/resume`);
  it.receiver.script = () => 200;
  it.receiver.release(1, 410);
  await until('both have a row', async () => (await it.stored()).length === 2);
  // Where the first one's row was written before the resume, it is the probe that opens the endpoint.
  const { status, isProbing } = await it.endpointNow();
  assert.ok(status === 'ACTIVE' || isProbing, `${status}, not probing`);
  await until('both have arrived', async () => {
    await node.work();
    return (await it.statuses()).every((is) => is === 'DELIVERED');
  });
  assert.equal((await it.endpointNow()).status, 'ACTIVE');
});

test('410 to a replay disables a paused endpoint', async () => {
  const it = await given(node, () => 200);
  await fanOutTo(node, it, 1);
  await node.quiet();
  const { id } = await it.one();
  await it.post(`endpoints/${it.endpoint.id}/pause`);
  it.receiver.script = () => 410;
  await it.post(`deliveries/${id}/replay`);
  await node.work();
  await until('it is disabled', async () => (await it.endpointNow()).status === 'DISABLED');
});
