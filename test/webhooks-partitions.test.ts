import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { lastPosition, readerPosition, slotOf } from '../src/modules/events/index.ts';
import { READER } from '../src/modules/webhooks/engine/holdings.ts';
import { blocksFor } from './docs/runnable.ts';
import { withDatabase } from './helpers/database.ts';
import { deliveriesOf, expireReaders, startNode, type Tenant, type TestNode, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const TENANTS = 24;
const database = await withDatabase();
/** Publishes and manages; its loops never run, so it holds nothing. */
const front = await startNode({ database });
const { clock, db } = front;
const publisher = await front.tenant('PLATFORM');
const receiver = await startReceiver();
const tenants: Tenant[] = [];
const endpointOf = new Map<string, string>();
for (let i = 0; i < TENANTS; i++) {
  const tenant = await front.tenant();
  tenants.push(tenant);
  endpointOf.set(tenant.id, (await front.endpoint(tenant, receiver.url(`/${tenant.id}`), { maxInFlight: 1 })).id);
}

const startWorker = (partitions: number): Promise<TestNode> =>
  startNode({ database, clock, settings: { SHUTDOWN_SECONDS: '1', FANOUT_PARTITIONS: String(partitions) } });
const partsOf = (node: TestNode): string[] => node.engine.fanOut.parts.map((p) => p.name);
const sendsTo = (node: TestNode, { id }: Tenant): boolean => node.engine.fanOut.maySendTo(id);

/** Lets the nodes look until they hold so many parts each; the counts ascend, whoever has which. */
const share = (nodes: readonly TestNode[], counts: readonly number[]): Promise<void> =>
  until(`they hold ${counts.join(' and ')}`, async () => {
    for (const node of nodes) await node.fanOut();
    const now = nodes.map((node) => partsOf(node).length).toSorted((x, y) => x - y);
    return now.join() === counts.join();
  });

async function workAll(nodes: readonly TestNode[]): Promise<void> {
  for (const node of nodes) await node.work();
}

const publishOne = async (audience: readonly Tenant[], n = 1): Promise<string[]> =>
  front.publish(
    publisher,
    audience,
    Array.from({ length: n }, () => ({ event: 'offer.created' as const })),
  );

/** Each of these events arrived once at each of these accounts, in this order, and has one row there. */
async function assertOnce(eventIds: readonly string[], audience: readonly Tenant[], times = 1): Promise<void> {
  for (const { id } of audience) {
    const got = receiver.at(`/${id}`).map((r) => String(r.headers['x-service-event-id']));
    const of = got.filter((e) => eventIds.includes(e));
    assert.deepEqual(
      of,
      eventIds.flatMap((e) => Array.from({ length: times }, () => e)),
    );
    const rows = (await deliveriesOf(db, endpointOf.get(id))).filter((d) => eventIds.includes(d.event_id));
    assert.deepEqual(
      rows.map((d) => d.status),
      eventIds.map(() => 'DELIVERED'),
    );
  }
}

let a: TestNode;
let b: TestNode;

test('one node holds all parts: an event reaches accounts in all of them, once each', async () => {
  a = await startWorker(4);
  await share([a], [4]);
  assert.equal(new Set(tenants.map(({ id }) => slotOf(id) & 3)).size, 4, 'there are accounts in each');
  const ids = await publishOne(tenants, 3);
  await a.work();
  await assertOnce(ids, tenants);
  assert.equal(await readerPosition(db, READER), await lastPosition(db));
});

test('a second node takes its half; each account is sent to by one of them', async () => {
  b = await startWorker(1);
  await share([a, b], [2, 2]);
  for (const tenant of tenants) assert.notEqual(sendsTo(a, tenant), sendsTo(b, tenant));
  const ids = await publishOne(tenants, 5);
  await workAll([a, b]);
  await assertOnce(ids, tenants);
  assert.equal(await readerPosition(db, READER), await lastPosition(db));
});

test('raised by a third while all run: divided and shared anew, nothing lost and nothing twice', async () => {
  const before = await publishOne(tenants, 3);
  const c = await startWorker(16);
  await share([a, b, c], [5, 5, 6]);
  assert.equal(new Set([a, b, c].flatMap(partsOf)).size, 16);
  for (const tenant of tenants) assert.equal([a, b, c].filter((node) => sendsTo(node, tenant)).length, 1);
  const after = await publishOne(tenants, 3);
  await workAll([a, b, c]);
  await assertOnce([...before, ...after], tenants);
  assert.equal(await readerPosition(db, READER), await lastPosition(db));
  await c.service.stop();
  await share([a, b], [8, 8]);
});

test('retries, replays and what is put off are sent by the holder of their part only', async () => {
  receiver.script = () => 500;
  const [eventId] = await publishOne(tenants);
  await workAll([a, b]);
  receiver.script = () => 200;
  clock.advance(3_600_000);
  const before = receiver.received.length;
  await a.work();
  const byA = receiver.received.slice(before).map((r) => r.path);
  assert.deepEqual(
    byA.toSorted(),
    tenants
      .filter((t) => sendsTo(a, t))
      .map((t) => `/${t.id}`)
      .toSorted(),
  );
  await b.work();
  assert.equal(receiver.received.length - before, TENANTS);
  assert.ok((await deliveriesOf(db)).filter((d) => d.event_id === eventId).every((d) => d.status === 'DELIVERED'));
});

test('a node that dies loses its parts to the others, with what it had under way', async () => {
  receiver.script = () => 'never';
  const ids = await publishOne(tenants);
  b.die();
  await b.fanOut();
  await until('b has sent its own', () => receiver.waiting === tenants.filter((t) => sendsTo(b, t)).length);
  const ofB = tenants.filter((t) => sendsTo(b, t));
  receiver.script = () => 200;
  await a.work();
  await expireReaders(db);
  await sql`update event_reader_nodes set until = now() - interval '1 second'`.execute(db);
  await share([a], [16]);
  await a.work();
  await assertOnce(ids, ofB, 2);
  await assertOnce(
    ids,
    tenants.filter((t) => !ofB.includes(t)),
  );
  assert.equal(await readerPosition(db, READER), await lastPosition(db));
  receiver.release();
});

test('what a node writes under an outdated division changes nothing', async () => {
  const [tenant] = tenants as [Tenant];
  receiver.script = () => 'never';
  const [eventId] = await publishOne([tenant]);
  await a.fanOut();
  await until('it is under way', () => receiver.waiting === 1);
  await expireReaders(db);
  // Behind its back the fan-out is divided further; nobody holds it any more.
  const c = await startWorker(64);
  await until('another has it', async () => (await c.fanOut(), sendsTo(c, tenant)));
  await until('the other sends it as well', () => receiver.waiting === 2);
  receiver.release(1);
  await a.quiet();
  assert.deepEqual(
    (await deliveriesOf(db)).filter((d) => d.event_id === eventId),
    [],
  );
  assert.ok(!sendsTo(a, tenant), 'it has heard of it');
  receiver.script = () => 200;
  receiver.release();
  await c.quiet();
  assert.deepEqual(
    (await deliveriesOf(db)).filter((d) => d.event_id === eventId).map((d) => d.status),
    ['DELIVERED'],
  );
});

test('operators see one reader, as far as the last of its parts', async () => {
  const operator = await front.tenant('PLATFORM', ['admin']);
  assert.ok(operator);
  await sql`update event_readers set position = position - 2 where name = 'webhook-fan-out/7-of-64'`.execute(db);
  const { rows } = await sql<{ lag: number }>`
    select (select max(position) from events) - min(position) as lag from event_readers where part_of = ${READER}`.execute(
    db,
  );
  const metric = await front.service.opened.platform.metrics.getSingleMetric('posthorn_reader_lag_events')?.get();
  const lags = metric?.values.filter((v) => String(v.labels['reader']).startsWith(READER));
  assert.deepEqual(
    lags?.map((v) => [v.labels['reader'], v.value]),
    [[READER, Number(rows[0]?.lag)]],
  );
});

test('made one again as the page about upgrades says, it goes on where it was', async () => {
  const [block] = blocksFor('docs/operations/upgrade.md', 'test/webhooks-partitions.test.ts');
  assert.ok(block);
  const ids = await publishOne(tenants);
  await sql.raw(block.text).execute(db);
  const whole = await startWorker(1);
  await until('it is had as one', async () => (await whole.fanOut(), partsOf(whole).join() === READER));
  await whole.work();
  await assertOnce(ids, tenants);
  assert.equal(await readerPosition(db, READER), await lastPosition(db));
});
