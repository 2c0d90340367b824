import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../src/lib/ids.ts';
import { addMember } from '../src/modules/accounts/index.ts';
import { inTransaction } from '../src/platform/db/index.ts';
import { type Case, given } from './helpers/case.ts';
import { withDatabase } from './helpers/database.ts';
import { disabledEndpoint } from './helpers/disabled-endpoint.ts';
import { type Body, expireLeases, startNode, until } from './helpers/engine.ts';
import { engineEndpoint, ticketOf } from './helpers/tickets.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const database = await withDatabase();
const settings = { WEBHOOK_TIMEOUT_SECONDS: '1' };
const node = await startNode({ database, settings });
const { clock, db } = node;
const publisher = await node.tenant('PLATFORM');

const publish = (c: Case, count = 1): Promise<string[]> =>
  node.publish(
    publisher,
    [c.tenant],
    Array.from({ length: count }, () => ({ event: 'offer.created' as const })),
  );
interface Health {
  status: string;
  probe: { state: string; at: string | null; failed: number };
  failingSince: string | null;
  disabledWhenFailingUntil: string | null;
  [field: string]: unknown;
}
const healthOf = (c: Case): Promise<Health> =>
  node.ok(200, 'GET', `/v1/webhooks/endpoints/${c.endpoint.id}/health`, { key: c.tenant.key });

const changesOf = async (c: Case): Promise<Body[]> =>
  (await node.ok(200, 'GET', `/v1/admin/changes?thingId=${c.endpoint.id}`, { key: publisher.key })).data;

/** An event an hour, until the endpoint is disabled or so many hours are over. */
async function hours(c: Case, count: number): Promise<void> {
  for (let i = 0; i < count && (await c.endpointNow()).status === 'ACTIVE'; i++) {
    await publish(c);
    await node.work();
    clock.advance(HOUR);
  }
  await node.work();
}

const disabled = (answer: () => number): Promise<Case> => disabledEndpoint(node, publisher, answer);

test('nothing but failures for five days: disabled with a reason, what is for it is held, and who has to know is told once', async () => {
  const c = await given(node, () => 500);
  const member = await node.ok(201, 'POST', '/v1/auth/sign-up', {
    body: { email: 'member@recovery.example', name: 'Member', password: 'a long password' },
  });
  await inTransaction(db, (trx) => addMember(trx, { id: c.tenant.id, userId: member.user.id }, node.env));
  const start = clock.now();
  await hours(c, 119);
  assert.equal((await c.endpointNow()).status, 'ACTIVE', 'not before its time');
  const health = await healthOf(c);
  assert.equal(health.failingSince, new Date(start).toISOString());
  assert.equal(health.disabledWhenFailingUntil, new Date(start + 120 * HOUR).toISOString());

  await hours(c, 5);
  const { status, statusReason } = await c.endpointNow();
  assert.deepEqual([status, statusReason], ['DISABLED', `nothing but failures since ${new Date(start).toISOString()}`]);
  const { length } = c.receiver.received;
  await publish(c, 3);
  clock.advance(30 * MINUTE);
  await node.work();
  assert.equal(c.receiver.received.length, length, 'it is not called any more');
  assert.deepEqual((await c.statuses()).slice(-3), ['HELD', 'HELD', 'HELD']);

  const told = await node.ok(200, 'GET', '/v1/notifications', { key: member.accessToken });
  assert.equal(told.data.length, 1);
  assert.equal(told.data[0].event, 'webhook_endpoint.disabled');
  assert.deepEqual([told.data[0].accountId, told.data[0].endpointId], [c.tenant.id, c.endpoint.id]);
  assert.match(
    told.data[0].text,
    new RegExp(`^The webhook endpoint ${c.endpoint.id} at 127\\.0\\.0\\.1:\\d+ was disabled`),
  );
  const [change] = await changesOf(c);
  assert.deepEqual(
    [change.action, change.actor.kind, change.account.id, change.thing.kind, change.after],
    ['endpoint.disabled', 'SERVICE', c.tenant.id, 'ENDPOINT', { reason: statusReason }],
  );
  const metric = await node.service.opened.platform.metrics.metrics();
  assert.match(metric, /posthorn_webhook_endpoint_changes_total\{change="disabled"\} 1/);
});

test('one success in between, a new address, or a restart: the five days begin anew only for the first two', async () => {
  let answer = 500;
  const c = await given(node, () => answer);
  await hours(c, 3);
  assert.ok((await healthOf(c)).failingSince);
  answer = 200;
  await hours(c, 1);
  assert.equal((await healthOf(c)).failingSince, null);
  answer = 500;
  await hours(c, 2);
  const since = (await healthOf(c)).failingSince;
  assert.ok(since);

  const next = await startNode({ database, clock, settings });
  await node.engine.fanOut.release();
  await next.work();
  assert.equal((await healthOf(c)).failingSince, since, 'it is stored');
  clock.advance(120 * HOUR);
  await publish(c);
  await next.work();
  await until('the next node disables it', async () => (await c.endpointNow()).status === 'DISABLED');
  await next.service.stop();

  const moved = await given(node, () => 500);
  await hours(moved, 2);
  const body = { url: moved.receiver.url('/moved') };
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${moved.endpoint.id}`, { key: moved.tenant.key, body });
  assert.equal((await healthOf(moved)).failingSince, null);
  await node.work();
  assert.equal((await healthOf(moved)).failingSince, null, 'what the old address answered is not counted');
});

test('what a receiver fails for a moment costs no row: it is marked when nothing else came for a minute', async () => {
  let nth = 0;
  const c = await given(node, () => (nth++ % 2 === 0 ? 500 : 200));
  const versions = async (): Promise<unknown> =>
    (await sql`select xmin::text from webhook_endpoints where id = ${c.endpoint.id}`.execute(db)).rows;
  const before = await versions();
  for (let i = 0; i < 10; i++) {
    await publish(c);
    await node.work();
    clock.advance(20_000);
    await node.keepUp();
  }
  assert.deepEqual(await versions(), before);
});

test('by itself after an hour, one held delivery goes out; a failure keeps all of it held, a success opens the endpoint', async () => {
  let answer = 500;
  const c = await disabled(() => answer);
  await publish(c, 5);
  await node.work();
  const before = c.receiver.received.length;
  clock.advance(59 * MINUTE);
  await node.work();
  assert.equal(c.receiver.received.length, before);
  assert.equal((await healthOf(c)).probe.state, 'SCHEDULED');
  clock.advance(2 * MINUTE);
  await node.work();
  await node.work();
  assert.equal(c.receiver.received.length, before + 1, 'one probe');
  assert.equal((await c.endpointNow()).status, 'DISABLED');
  const { probe } = await healthOf(c);
  assert.deepEqual([probe.state, probe.failed], ['SCHEDULED', 1]);
  assert.equal(Date.parse(probe.at ?? ''), clock.now() + 2 * HOUR, 'the wait is twice as long');
  const [probed] = (await c.stored()).filter((d) => d.status === 'HELD' && d.attempts > 0);
  assert.ok(probed, 'held again, and it counts as an attempt');

  answer = 200;
  clock.advance(2 * HOUR);
  let looks = 0;
  node.engine.loops.find(({ name }) => name === 'webhook-upkeep')?.attach?.(() => looks++);
  await node.work();
  assert.equal(c.receiver.received.length, before + 2);
  assert.ok(looks > 0, 'and this node is to look for what is held, as others are');
  assert.equal((await c.endpointNow()).status, 'ACTIVE');
  assert.equal((await c.endpointNow()).statusReason, null);
  const [opened] = await changesOf(c);
  assert.deepEqual([opened?.action, opened?.actor.kind], ['endpoint.opened', 'SERVICE']);
  await node.work();
  await node.work();
  clock.advance(48 * HOUR);
  await node.work();
  assert.deepEqual([...new Set(await c.statuses())], ['DELIVERED']);
  const health = await healthOf(c);
  assert.deepEqual([health.failingSince, health.probe], [null, { state: 'NONE', at: null, failed: 0 }]);
});

test('what was held as its endpoint was being opened, and is written later, is looked for at once', async () => {
  const open = await given(node, () => 200);
  await publish(open);
  await node.work();
  const closed = await disabled(() => 500);
  let looks = 0;
  node.engine.loops.find(({ name }) => name === 'webhook-upkeep')?.attach?.(() => looks++);
  const write = async (c: Case, errorClass: string | null): Promise<number> => {
    const ticket = ticketOf(engineEndpoint(c.endpoint.id), uuidv7(clock.now()));
    const now = clock.now();
    const lease = { until: new Date(now + MINUTE).toISOString() };
    const held = { status: 'HELD' as const, attempts: 0, nextAttemptAt: null, disable: null, log: null, durationMs: 0 };
    node.engine.recorder.add({ ...held, ticket: { ...ticket, lease }, errorClass, at: now });
    await node.engine.recorder.drain();
    return looks;
  };
  assert.equal(await write(closed, null), 0, 'it is held for good reason');
  assert.equal(await write(open, 'NO_SIGNING_SECRET'), 0, 'opening changes nothing about it');
  assert.equal(await write(open, null), 1);
  assert.equal(await write(open, 'HTTP_410'), 2, 'whatever came back of it before');
});

test('probes leave the fifth attempt to the open endpoint, unless somebody asks; no delivery gets a sixth', async () => {
  const c = await disabled(() => 503);
  clock.advance(24 * HOUR);
  for (let i = 0; i < 12; i++) {
    await node.work();
    clock.advance(24 * HOUR);
  }
  assert.ok((await c.stored()).every((d) => d.attempts <= 4));
  const exhausted = c.receiver.received.length;
  clock.advance(24 * HOUR);
  await node.work();
  assert.equal(c.receiver.received.length, exhausted, 'nothing with an attempt to spare is held');
  for (let i = 0; i < 4; i++) {
    await c.post(`endpoints/${c.endpoint.id}/resume`);
    await node.work();
    await node.work();
  }
  const perDelivery = Map.groupBy(c.receiver.received, (r) => r.headers['x-service-delivery-id']);
  assert.ok([...perDelivery.values()].every((requests) => requests.length <= 5));
  assert.deepEqual([...new Set(await c.statuses())], ['DEAD']);
  assert.equal((await c.endpointNow()).status, 'ACTIVE', 'resumed with nothing held it is open at once');
});

test('a 410 counts though the endpoint was marked as failing meanwhile; one from before it was opened again does not', async () => {
  const c = await given(node, () => 410);
  // As the engine marks it, between the attempt and its outcome: this node knows the version before.
  await sql`update webhook_endpoints set failing_since = now(), version = version + 1 where id = ${c.endpoint.id}`.execute(
    db,
  );
  await publish(c);
  await node.fanOut();
  await node.quiet();
  assert.deepEqual([(await c.endpointNow()).status, (await c.one()).status], ['DISABLED', 'HELD']);

  const d = await given(node, () => 410);
  await sql`update webhook_endpoints set opened_at = now(), version = version + 1 where id = ${d.endpoint.id}`.execute(
    db,
  );
  await publish(d);
  await node.fanOut();
  await node.quiet();
  assert.deepEqual([(await d.endpointNow()).status, (await d.one()).status], ['ACTIVE', 'PENDING']);
});

test('after a 410 it is not probed by itself, and a 410 to a probe that was asked for keeps it so', async () => {
  const c = await given(node, () => 410);
  await publish(c, 2);
  await node.work();
  await until('it is disabled', async () => (await c.endpointNow()).status === 'DISABLED');
  await node.work();
  const before = c.receiver.received.length;
  clock.advance(48 * HOUR);
  await node.work();
  assert.equal(c.receiver.received.length, before);
  assert.deepEqual((await healthOf(c)).probe, { state: 'NONE', at: null, failed: 0 });
  await c.post(`endpoints/${c.endpoint.id}/resume`);
  await node.work();
  assert.equal(c.receiver.received.length, before + 1);
  assert.deepEqual([(await c.endpointNow()).status, (await healthOf(c)).probe.state], ['DISABLED', 'NONE']);
  assert.deepEqual(await c.statuses(), ['HELD', 'HELD']);
});

test('a probe that a killed node had begun is sent by the one that takes over', async () => {
  let answer: number | 'never' = 500;
  const c = await given(node, () => answer);
  await publish(c);
  await node.work();
  clock.advance(2 * MINUTE);
  await node.keepUp();
  clock.advance(120 * HOUR);
  await publish(c, 2);
  await node.work();
  await until('it is disabled', async () => (await c.endpointNow()).status === 'DISABLED');
  await publish(c);
  await node.work();
  answer = 'never';
  await node.engine.fanOut.release();
  const doomed = await startNode({
    database,
    clock,
    settings: { WEBHOOK_TIMEOUT_SECONDS: '60', SHUTDOWN_SECONDS: '1' },
  });
  clock.advance(2 * HOUR);
  await doomed.fanOut();
  await doomed.claim();
  await until('the probe is under way', () => c.receiver.waiting === 1);
  doomed.die();
  assert.equal((await healthOf(c)).probe.state, 'UNDER_WAY');

  await expireLeases(db);
  answer = 200;
  await node.work();
  await until('the next one opens it', async () => (await c.endpointNow()).status === 'ACTIVE');
  c.receiver.release();
});

test('health tells what came back of the last hour and day, what waits, and the last of each kind', async () => {
  let answer = 200;
  const c = await given(node, () => answer);
  await publish(c, 3);
  await node.work();
  const first = clock.now();
  clock.advance(2 * HOUR);
  answer = 503;
  await publish(c, 2);
  await node.work();
  await node.engine.keepHealth();
  const health = await healthOf(c);
  const { p50Ms, p95Ms, ...hour } = health.lastHour as Record<string, number>;
  assert.deepEqual(hour, { attempts: 2, failures: 2, successRate: 0 });
  assert.ok((p50Ms ?? 0) >= 1 && (p95Ms ?? 0) >= (p50Ms ?? 0));
  assert.deepEqual(
    [(health.lastDay as Record<string, number>).attempts, (health.lastDay as Record<string, number>).successRate],
    [5, 0.6],
  );
  assert.equal(health.lastSuccessAt, new Date(first).toISOString());
  assert.deepEqual(health.lastFailure, {
    at: new Date(clock.now()).toISOString(),
    errorClass: 'HTTP_5XX',
    httpStatus: 503,
  });
  assert.deepEqual([health.pending, health.held, health.dead], [2, 0, 0]);
  assert.equal(
    (health.oldestPending as { nextAttemptAt: string }).nextAttemptAt,
    new Date(clock.now() + 150_000).toISOString(),
  );
  clock.advance(26 * HOUR);
  await node.engine.keepHealth();
  const later = await healthOf(c);
  assert.deepEqual(later.lastDay, { attempts: 0, failures: 0, successRate: null, p50Ms: null, p95Ms: null });
  assert.deepEqual(later.lastFailure, health.lastFailure);
});

test('what a node saw before another one sent says nothing: successes in between count', async () => {
  let answer = 500;
  const c = await given(node, () => answer);
  await publish(c);
  await node.work();
  await node.engine.fanOut.release();
  const next = await startNode({ database, clock, settings });
  answer = 200;
  clock.advance(HOUR);
  await publish(c);
  await next.work();
  assert.deepEqual(await c.statuses(), ['DELIVERED', 'DELIVERED']);
  await next.service.stop();
  clock.advance(121 * HOUR);
  await node.keepUp();
  assert.equal((await healthOf(c)).failingSince, null);
  answer = 500;
  await publish(c);
  await node.work();
  assert.equal((await c.endpointNow()).status, 'ACTIVE', 'one failure is not five days of them');
});

test('however many held deliveries have no attempt to spare, one that has is found for the probe', async () => {
  let answer = 500;
  const c = await disabled(() => answer);
  const ids = Array.from({ length: 2000 }, () => uuidv7(clock.now()));
  await sql`update webhook_deliveries set status = 'HELD', attempts = 4, next_attempt_at = null where endpoint_id = ${c.endpoint.id}`.execute(
    db,
  );
  await sql`insert into webhook_deliveries (id, event_position, event_id, webhook, endpoint_id, account_id, status, attempts,
      request_id, created_at, updated_at)
    select n.id, event_position, event_id, webhook, endpoint_id, account_id, 'HELD', 4, request_id, created_at, updated_at
    from unnest(${ids}::uuid[]) as n (id), (select * from webhook_deliveries where endpoint_id = ${c.endpoint.id} limit 1) as d`.execute(
    db,
  );
  clock.advance(1000);
  const [event] = await publish(c);
  await node.work();
  answer = 200;
  const before = c.receiver.received.length;
  clock.advance(2 * HOUR);
  await node.engine.lifecycle.step();
  await node.engine.claims.step();
  await node.quiet();
  assert.deepEqual(
    c.receiver.received.slice(before).map((r) => r.headers['x-service-event-id']),
    [event],
  );
  assert.equal((await c.endpointNow()).status, 'ACTIVE');
});

test('a probe that a clock which was ahead has put off by a year is made once the clock is right', async () => {
  let answer = 500;
  const year = 365 * 24 * HOUR;
  clock.advance(year);
  const c = await disabled(() => answer);
  await publish(c, 2);
  await node.work();
  clock.advance(-year);
  answer = 200;
  for (let i = 0; i < 3; i++) await node.work();
  assert.equal((await c.endpointNow()).status, 'ACTIVE');
  assert.deepEqual((await c.statuses()).slice(-2), ['DELIVERED', 'DELIVERED']);
});
