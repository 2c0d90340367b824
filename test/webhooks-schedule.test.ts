import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7 } from '../src/lib/ids.ts';
import { Upkeep } from '../src/modules/webhooks/engine/upkeep.ts';
import { given } from './helpers/case.ts';
import { HOUR, startScheduled, verifiedByStripe, WAITS } from './helpers/schedule.ts';

const node = await startScheduled();
const { clock } = node;
const publisher = await node.tenant('PLATFORM');

test('a receiver that fails five times gets five attempts at exactly the scheduled times, then the delivery is DEAD; a replay delivers', async () => {
  let broken = true;
  const c = await given(node, () => (broken ? 503 : 200));
  const [eventId] = await node.publish(publisher, [c.tenant]);
  await node.work();
  const start = clock.now();
  const times = [start];
  for (const [i, wait] of WAITS.entries()) {
    const before = await c.one();
    assert.deepEqual([before.status, before.attempts, before.error_class], ['PENDING', i + 1, 'HTTP_5XX']);
    assert.equal(before.next_attempt_at?.getTime(), clock.now() + wait);
    clock.advance(wait - 1);
    await node.work();
    assert.equal(c.receiver.received.length, i + 1, 'not a millisecond early');
    clock.advance(1);
    await node.work();
    assert.equal(c.receiver.received.length, i + 2);
    times.push(clock.now());
  }
  const dead = await c.one();
  assert.deepEqual([dead.status, dead.attempts, dead.error_class, dead.next_attempt_at], ['DEAD', 5, 'HTTP_5XX', null]);

  const { received } = c.receiver;
  assert.deepEqual(
    received.map((r) => r.headers['x-service-attempt']),
    ['1', '2', '3', '4', '5'],
  );
  assert.deepEqual(
    received.map((r) => Number(r.headers['webhook-timestamp'])),
    times.map((t) => Math.floor(t / 1000)),
  );
  assert.deepEqual(new Set(received.map((r) => r.headers['x-service-event-id'])), new Set([eventId]));
  assert.deepEqual(new Set(received.map((r) => r.headers['x-service-delivery-id'])), new Set([dead.id]));
  assert.equal(new Set(received.map((r) => r.body)).size, 1, 'the same bytes each time');
  for (const [i, r] of received.entries()) {
    const verify = (at: number) => verifiedByStripe(r, c.tenant.secret, at);
    assert.ok(verify((times[i] as number) + 299_000));
    assert.throws(() => verify((times[i] as number) + 302_000), /tolerance/, 'each is signed for its own time');
  }
  const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${dead.id}`, { key: c.tenant.key });
  assert.deepEqual(
    detail.log.map((a: { attempt: number }) => a.attempt),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    detail.log.map((a: { at: string }) => a.at),
    times.map((t) => new Date(t).toISOString()),
  );
  assert.ok(
    detail.log.every(
      (a: { responseStatus: number; responseBody: string }) => a.responseStatus === 503 && a.responseBody === 'ok',
    ),
  );

  clock.advance(30 * 24 * HOUR);
  await node.work();
  assert.equal(received.length, 5, 'a dead letter is left alone');

  const replay = await c.post(`deliveries/${dead.id}/replay`);
  assert.equal(replay.status, 202);
  assert.notEqual(replay.body.id, dead.id);
  assert.deepEqual(
    [replay.body.replayOf, replay.body.status, replay.body.attempts, replay.body.eventId, replay.body.isTest],
    [dead.id, 'PENDING', 0, eventId, false],
  );
  await node.work();
  clock.advance(WAITS[0]);
  broken = false;
  await node.work();
  const [sixth, seventh] = received.slice(5);
  for (const r of [sixth, seventh]) {
    assert.equal(r?.headers['x-service-replay'], 'true');
    assert.equal(r?.headers['x-service-event-id'], eventId);
    assert.equal(r?.headers['x-service-delivery-id'], replay.body.id);
    assert.equal(r?.body, received[0]?.body);
  }
  assert.deepEqual(
    [sixth?.headers['x-service-attempt'], seventh?.headers['x-service-attempt']],
    ['1', '2'],
    'fresh attempts',
  );
  assert.deepEqual(await c.statuses(), ['DEAD', 'DELIVERED']);
});

test('a replay has five attempts of its own', async () => {
  const c = await given(node, (_r, nth) => (nth === 0 ? 200 : 500));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  await c.post(`deliveries/${(await c.one()).id}/replay`);
  await node.work();
  for (const wait of WAITS) {
    clock.advance(wait);
    await node.work();
  }
  const [first, second] = await c.stored();
  assert.deepEqual([first?.status, second?.status, second?.attempts], ['DELIVERED', 'DEAD', 5]);
  assert.equal(c.receiver.received.length, 6);
});

test('every replay makes a delivery, except under one Idempotency-Key', async () => {
  const c = await given(node, () => 200);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const path = `deliveries/${(await c.one()).id}/replay`;
  const ids = [await c.post(path), await c.post(path)].map((r) => r.body.id);
  const keyed = [await c.post(path, { 'idempotency-key': 'k' }), await c.post(path, { 'idempotency-key': 'k' })];
  assert.equal(new Set(ids).size, 2);
  assert.equal(keyed[0]?.body.id, keyed[1]?.body.id);
  await node.work();
  assert.equal(c.receiver.received.length, 4);
  assert.equal((await c.post(`deliveries/${uuidv7(0)}/replay`)).status, 404);
});

test('Retry-After is honoured, in seconds and as a date, up to twice the wait', async () => {
  const date = (ms: number): string => new Date(clock.now() + ms).toUTCString();
  const cases: [string, number][] = [
    ['200', 200_000],
    ['10', WAITS[0]],
    ['86400', 2 * WAITS[0]],
    [date(240_000), 240_000],
    [date(-240_000), WAITS[0]],
    [date(24 * HOUR), 2 * WAITS[0]],
    ['a while', WAITS[0]],
  ];
  for (const [value, wait] of cases) {
    const c = await given(node, () => ({ status: 429, headers: { 'retry-after': value } }));
    await node.publish(publisher, [c.tenant]);
    await node.work();
    const stored = await c.one();
    assert.deepEqual([stored.next_attempt_at?.getTime(), stored.error_class], [clock.now() + wait, 'HTTP_429'], value);
  }
});

test('a redirect is a failure and is not followed', async () => {
  const c = await given(node, (r) => ({ status: 307, headers: { location: `${r.path}-elsewhere` } }));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  assert.deepEqual(
    c.receiver.received.map((r) => r.path),
    ['/hook'],
  );
  assert.deepEqual([(await c.one()).status, (await c.one()).error_class], ['PENDING', 'HTTP_3XX']);
});

test('no answer in time, and nobody there, are failures with their class', async () => {
  const silent = await given(node, () => 'never');
  const nobody = await given(node, () => 200);
  await nobody.receiver.close();
  await node.publish(publisher, [silent.tenant, nobody.tenant]);
  await node.work();
  assert.deepEqual([(await silent.one()).status, (await silent.one()).error_class], ['PENDING', 'TIMEOUT']);
  assert.deepEqual([(await nobody.one()).status, (await nobody.one()).error_class], ['PENDING', 'CONNECT']);
});

test('what a clock that was ahead has put off by a year is sent once the clock is right', async () => {
  const year = 365 * 24 * HOUR;
  let broken = true;
  const c = await given(node, ({ headers }) =>
    broken ? { status: 503, headers: { 'retry-after': headers['x-service-attempt'] === '4' ? '999999' : '0' } } : 200,
  );
  clock.advance(year);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const putOff = await c.one();
  assert.equal(putOff.attempts, 1);
  const beside = new Upkeep({
    db: node.db,
    clock: { now: () => clock.now() - year },
    signable: async () => new Set(),
    readable: async () => new Set(),
    slots: () => [],
    wakeClaims: () => undefined,
  });
  await beside.step();
  const left = await c.one();
  assert.deepEqual(left.next_attempt_at, putOff.next_attempt_at, 'a clock ahead still has it due at once');
  clock.advance(-year);
  await node.work();
  assert.equal((await c.one()).attempts, 1, 'no sooner than after any failure');
  clock.advance(WAITS[0]);
  await node.work();
  assert.equal((await c.one()).attempts, 2, 'and not in a year');
  for (const wait of WAITS.slice(1, 3)) {
    clock.advance(wait);
    await node.work();
  }
  const longest = await c.one();
  assert.deepEqual(
    [longest.attempts, longest.next_attempt_at?.getTime()],
    [4, clock.now() + 2 * WAITS[3]],
    'the longest wait that there is',
  );
  await node.work();
  assert.equal((await c.one()).attempts, 4, 'is left as it is');
  clock.advance(2 * WAITS[3]);
  broken = false;
  await node.work();
  assert.deepEqual([(await c.one()).status, c.receiver.received.length], ['DELIVERED', 5]);
});
