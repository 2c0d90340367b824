import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { given } from './helpers/case.ts';
import { createCipher } from '../src/lib/cipher.ts';
import { until } from './helpers/engine.ts';
import { HOUR, startScheduled, verifiedByStripe, WAITS } from './helpers/schedule.ts';

const node = await startScheduled();
const { clock } = node;
const publisher = await node.tenant('PLATFORM');

test('410 disables the endpoint and holds what is for it; resumed, all of it is sent', async () => {
  let gone = true;
  const c = await given(node, () => (gone ? 410 : 200));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  await until('the endpoint is disabled', async () => (await c.endpointNow()).status === 'DISABLED');
  assert.match((await c.endpointNow()).statusReason, /410/);
  await until('the outcome is written', async () => (await c.stored()).length === 1);
  assert.deepEqual([(await c.one()).status, (await c.one()).error_class], ['HELD', 'HTTP_410']);
  await node.publish(publisher, [c.tenant]);
  clock.advance(48 * HOUR);
  await node.work();
  assert.deepEqual(await c.statuses(), ['HELD', 'HELD']);
  assert.equal(c.receiver.received.length, 1, 'a disabled endpoint is not called');
  assert.equal((await c.post(`endpoints/${c.endpoint.id}/pause`)).status, 409);

  gone = false;
  const resumed = await c.post(`endpoints/${c.endpoint.id}/resume`);
  assert.deepEqual([resumed.body.status, resumed.body.isProbing], ['DISABLED', true]);
  await node.work();
  assert.deepEqual(await c.statuses(), ['DELIVERED', 'HELD'], 'one of them shows that it is well again');
  assert.equal((await c.endpointNow()).status, 'ACTIVE');
  await node.work();
  assert.deepEqual(await c.statuses(), ['DELIVERED', 'DELIVERED']);
  const attempts = (await c.stored()).map((d) => d.attempts);
  assert.deepEqual(attempts, [2, 1], 'holding costs no attempt');
});

test('paused: deliveries are kept, also those that wait for a retry; resumed: they are sent', async () => {
  let broken = true;
  const c = await given(node, () => (broken ? 500 : 200));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  assert.equal((await c.post(`endpoints/${c.endpoint.id}/pause`)).body.status, 'PAUSED');
  await node.publish(publisher, [c.tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await node.work();
  assert.deepEqual(await c.statuses(), ['PENDING', 'HELD', 'HELD']);
  clock.advance(WAITS[0]);
  await node.work();
  assert.deepEqual(await c.statuses(), ['HELD', 'HELD', 'HELD']);
  clock.advance(10 * 24 * HOUR);
  await node.work();
  assert.equal(c.receiver.received.length, 1);
  broken = false;
  await c.post(`endpoints/${c.endpoint.id}/resume`);
  await node.work();
  assert.deepEqual(await c.statuses(), ['DELIVERED', 'DELIVERED', 'DELIVERED']);
  assert.deepEqual(
    (await c.stored()).map((d) => d.attempts),
    [2, 1, 1],
  );
});

test('a replay is sent even while the endpoint is paused: somebody asked for it', async () => {
  const c = await given(node, () => 200);
  await c.post(`endpoints/${c.endpoint.id}/pause`);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const held = await c.one();
  assert.equal(held.status, 'HELD');
  assert.equal((await c.post(`deliveries/${held.id}/replay`)).status, 202);
  await node.work();
  assert.equal(c.receiver.received.length, 1);
  assert.deepEqual(
    (await c.stored()).map((d) => [d.status, d.error_class]),
    [
      ['DISCARDED', 'REPLAYED'],
      ['DELIVERED', null],
    ],
  );
  await c.post(`endpoints/${c.endpoint.id}/resume`);
  await node.work();
  assert.equal(c.receiver.received.length, 1, 'resumed, it is not sent a second time');
  assert.equal((await c.post(`deliveries/${held.id}/replay`)).status, 202, 'every call makes one');
  await node.work();
  assert.equal(c.receiver.received.length, 2);
});

test('a deleted endpoint: what waits is discarded and not sent, and cannot be replayed', async () => {
  const c = await given(node, () => 500);
  await node.publish(publisher, [c.tenant]);
  await node.work();
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key });
  await node.keepUp();
  const discarded = await c.one();
  assert.deepEqual(
    [discarded.status, discarded.error_class, discarded.next_attempt_at],
    ['DISCARDED', 'ENDPOINT_DELETED', null],
  );
  await node.publish(publisher, [c.tenant]);
  clock.advance(48 * HOUR);
  await node.work();
  assert.equal(c.receiver.received.length, 1);
  assert.deepEqual(await c.statuses(), ['DISCARDED']);
  const replay = await c.post(`deliveries/${discarded.id}/replay`);
  assert.deepEqual([replay.status, replay.body.error.code], [409, 'INVALID_STATE']);
  assert.equal((await node.call('GET', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key })).status, 404);
});

test('an endpoint that is deleted while a request is under way: its failure is not tried again', async () => {
  const c = await given(node, () => 'never');
  await node.publish(publisher, [c.tenant]);
  await node.fanOut();
  await until('the request is there', () => c.receiver.waiting === 1);
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key });
  await node.quiet();
  assert.equal((await c.one()).error_class, 'TIMEOUT');
  clock.advance(48 * HOUR);
  await node.work();
  assert.deepEqual([(await c.one()).status, (await c.one()).error_class], ['DISCARDED', 'ENDPOINT_DELETED']);
  assert.equal(c.receiver.received.length, 1);
});

test('once an endpoint is deleted, nothing that is queued for it leaves any more', async () => {
  const c = await given(node, () => 'never', { maxInFlight: 1 });
  await node.publish(publisher, [c.tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await node.fanOut();
  await until('one is under way and one waits', () => c.receiver.waiting === 1 && node.engine.dispatcher.queued === 1);
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${c.endpoint.id}`, { key: c.tenant.key });
  c.receiver.release();
  await node.quiet();
  assert.equal(c.receiver.received.length, 1);
  assert.deepEqual((await c.statuses()).toSorted(), ['DELIVERED', 'DISCARDED']);
});

test('a delivery that waits for its next attempt is sent at once by a replay, which takes its place', async () => {
  const c = await given(node, (_r, nth) => (nth === 0 ? 500 : 200));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const old = await c.one();
  assert.equal(old.status, 'PENDING');
  const { status, body: made } = await c.post(`deliveries/${old.id}/replay`);
  assert.deepEqual([status, made.status, made.attempts, made.replayOf], [202, 'PENDING', 0, old.id]);
  await node.work();
  const shown = async (id: string) => {
    const delivery = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, { key: c.tenant.key });
    return [delivery.status, delivery.attempts, delivery.errorClass, delivery.nextAttemptAt];
  };
  assert.deepEqual(await shown(made.id), ['DELIVERED', 1, null, null]);
  assert.deepEqual(await shown(old.id), ['DISCARDED', 1, 'REPLAYED', null]);
  // Its next attempt does not come any more.
  clock.advance(WAITS[0]);
  await node.work();
  assert.equal(c.receiver.received.length, 2);
});

test('a delivery that is being sent at this moment cannot be replayed', async () => {
  const c = await given(node, (_r, nth) => (nth === 0 ? 500 : 'never'));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const old = await c.one();
  clock.advance(WAITS[0]);
  await node.claim();
  await until('the second attempt is under way', () => c.receiver.waiting === 1);
  const reply = await c.post(`deliveries/${old.id}/replay`);
  assert.deepEqual([reply.status, reply.body.error.code], [409, 'INVALID_STATE']);
  assert.match(reply.body.error.message, /is being sent at this moment/);
  c.receiver.release();
  await node.quiet();
  assert.deepEqual((await c.statuses()).toSorted(), ['DELIVERED']);
});

test('a test event is the example of the catalogue, signed and retried like any other, but not in the audit trail', async () => {
  const c = await given(node, (_r, nth) => (nth === 0 ? 500 : 200), { events: ['trade.created', 'offer.created'] });
  const before = (await node.ok(200, 'GET', '/v1/events?limit=1', { key: publisher.key })).data[0].id;
  const send = (body: unknown) =>
    node.call('POST', `/v1/webhooks/endpoints/${c.endpoint.id}/test`, { key: c.tenant.key, body });
  const made = await send({});
  assert.deepEqual([made.status, made.body.isTest, made.body.event], [202, true, 'trade.created']);
  await node.work();
  clock.advance(WAITS[0]);
  await node.work();
  const [first, second] = c.receiver.received;
  assert.equal(first?.body, second?.body);
  assert.equal((JSON.parse(second?.body ?? '{}') as { event: string }).event, 'trade.created');
  assert.equal(second?.headers['x-service-attempt'], '2');
  assert.equal(second?.headers['x-service-test'], 'true');
  const tradeOf = (body = '{}'): unknown => (JSON.parse(body) as { tradeSessionId: unknown }).tradeSessionId;
  assert.equal(
    tradeOf(first?.body),
    `test_${made.body.eventId}`,
    'whoever deduplicates by trade takes the next one too',
  );
  assert.ok(second && verifiedByStripe(second, c.tenant.secret, clock.now()));
  assert.equal((await c.one()).status, 'DELIVERED');
  assert.equal((await node.ok(200, 'GET', '/v1/events?limit=1', { key: publisher.key })).data[0].id, before);

  assert.equal(
    (await send({ event: 'checkout.started' })).body.event,
    'checkout.started',
    'also one that is not subscribed to',
  );
  assert.equal((await send({ event: 'space_booking.paid' })).status, 400);
  assert.equal((await send({ event: 'nope' })).status, 400);
  const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${made.body.id}`, { key: c.tenant.key });
  assert.equal(detail.body, first?.body);
  const replay = await c.post(`deliveries/${made.body.id}/replay`);
  assert.deepEqual([replay.status, replay.body.isTest], [202, true]);
  await node.work();
  assert.equal(c.receiver.received.at(-1)?.headers['x-service-replay'], 'true');
  assert.equal(c.receiver.received.at(-1)?.headers['x-service-test'], 'true');
  await node.publish(publisher, [c.tenant], [{ event: 'trade.created' }]);
  await node.work();
  assert.equal(c.receiver.received.at(-1)?.headers['x-service-test'], undefined);
});

test('a delivery tells of its own replays, the newest first, and what became of each', async () => {
  const c = await given(node, (_r, nth) => (nth === 1 ? 500 : 200));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const { id } = await c.one();
  const replays = async (of: string | undefined): Promise<{ id: string; status: string; createdAt: string }[]> =>
    (await node.ok(200, 'GET', `/v1/webhooks/deliveries/${of ?? ''}`, { key: c.tenant.key })).replays;
  assert.deepEqual(await replays(id), []);
  const made: { id: string; createdAt: string }[] = [];
  for (let i = 0; i < 2; i++) {
    made.unshift((await c.post(`deliveries/${id}/replay`)).body);
    await node.work();
    clock.advance(1000);
  }
  const told = (await replays(id)).map((replay) => [replay.id, replay.status, replay.createdAt]);
  assert.deepEqual(told, [
    [made[0]?.id, 'DELIVERED', made[0]?.createdAt],
    [made[1]?.id, 'PENDING', made[1]?.createdAt],
  ]);
  assert.deepEqual(await replays(made[0]?.id), [], 'a replay has none of its own');
});

test('what another master key has sealed stops one account or endpoint, and nobody else', async () => {
  const [lost, closed, fine] = [
    await given(node, () => 200),
    await given(node, () => 200),
    await given(node, () => 200),
  ];
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${closed.endpoint.id}`, {
    key: closed.tenant.key,
    body: { headers: { 'X-Own': 'a' } },
  });
  const other = createCipher(Buffer.alloc(32, 7));
  const { db } = node;
  await sql`update api_keys set secret_sealed = ${other.seal('whsec_eA==', 'any')}, changed_in = changed_in + 1 where account_id = ${lost.tenant.id}`.execute(
    db,
  );
  await sql`update webhook_endpoints set headers_sealed = ${other.seal('{}', 'any')} where id = ${closed.endpoint.id}`.execute(
    db,
  );
  // Read anew, as every node does that has not read it.
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${closed.endpoint.id}`, {
    key: closed.tenant.key,
    body: { maxInFlight: 5 },
  });
  await node.publish(publisher, [lost.tenant, closed.tenant, fine.tenant], [{ event: 'trade.created' }]);
  await node.work();
  assert.equal(fine.receiver.received.length, 1);
  const [held, failed] = [await lost.one(), await closed.one()];
  assert.deepEqual([held.status, held.attempts, held.error_class], ['HELD', 0, 'NO_SIGNING_SECRET']);
  assert.deepEqual([failed.status, failed.attempts, failed.error_class], ['HELD', 0, 'UNREADABLE_HEADERS']);
  const obstacles = async (path: string): Promise<unknown> =>
    (await node.ok(200, 'GET', path, { key: publisher.key })).heldBy;
  const [lostPath, closedPath] = [`/v1/webhooks/deliveries/${held.id}`, `/v1/webhooks/deliveries/${failed.id}`];
  assert.deepEqual(await obstacles(lostPath), ['NO_SIGNING_SECRET']);
  assert.deepEqual(await obstacles(closedPath), ['UNREADABLE_HEADERS']);
  // The first obstacle is all that the engine meets, but whoever mends it has to know of the others.
  const pausing = { key: publisher.key };
  await node.ok(200, 'POST', `/v1/webhooks/endpoints/${closed.endpoint.id}/pause`, pausing);
  await node.ok(204, 'DELETE', `/v1/admin/api-keys/${closed.tenant.keyId}`, pausing);
  assert.deepEqual(await obstacles(closedPath), ['ENDPOINT_PAUSED', 'NO_SIGNING_SECRET', 'UNREADABLE_HEADERS']);
  const made = await node.ok(201, 'POST', '/v1/admin/api-keys', {
    key: publisher.key,
    body: { accountId: closed.tenant.id, name: 'new', scopes: ['webhooks:manage'] },
  });
  closed.tenant.key = made.key as string;
  await node.ok(200, 'POST', `/v1/webhooks/endpoints/${closed.endpoint.id}/resume`, pausing);
  assert.deepEqual(await obstacles(closedPath), ['UNREADABLE_HEADERS']);
  const again = { key: closed.tenant.key, body: { headers: { 'X-Own': 'b' } } };
  const shown = await node.ok(200, 'GET', `/v1/webhooks/endpoints/${closed.endpoint.id}`, { key: closed.tenant.key });
  assert.equal(shown.id, closed.endpoint.id);
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${closed.endpoint.id}`, again);
  await until(
    'what was held came',
    async () => (await node.keepUp(), await node.work(), closed.receiver.received.length === 1),
  );
  assert.equal(closed.receiver.received[0]?.headers['x-own'], 'b');
  // The keys still open the door, so the account can make itself a new one.
  assert.equal((await node.call('GET', '/v1/webhooks/endpoints', { key: lost.tenant.key })).status, 200);
});

test('an account whose keys are all revoked keeps its deliveries: there is nothing to sign with', async () => {
  const c = await given(node, () => 200);
  await node.ok(204, 'DELETE', `/v1/admin/api-keys/${c.tenant.keyId}`, { key: publisher.key });
  await node.publish(publisher, [c.tenant]);
  await node.work();
  const waiting = await c.one();
  assert.deepEqual([waiting.status, waiting.attempts, waiting.error_class], ['HELD', 0, 'NO_SIGNING_SECRET']);
  assert.equal(c.receiver.received.length, 0);
  const rewritten = async (): Promise<unknown> =>
    (await sql`select xmin::text, updated_at from webhook_deliveries where id = ${waiting.id}`.execute(node.db)).rows;
  const before = await rewritten();
  clock.advance(HOUR);
  await node.work();
  assert.deepEqual(await rewritten(), before, 'meanwhile its row is left as it is');
  await node.ok(201, 'POST', '/v1/admin/api-keys', {
    key: publisher.key,
    body: { accountId: c.tenant.id, name: 'new', scopes: ['webhooks:manage'] },
  });
  await node.work();
  assert.deepEqual([(await c.one()).status, (await c.one()).attempts], ['DELIVERED', 1]);
});

test('a secret that left memory to make room is read again: the delivery is not held', async () => {
  const c = await given(node, () => 200);
  const { accounts } = node.service.modules;
  const real = accounts.cachedSecretsOf;
  let asked = 0;
  accounts.cachedSecretsOf = (accountId) => (asked++ === 0 ? undefined : real(accountId));
  await node.publish(publisher, [c.tenant]);
  await node.work();
  accounts.cachedSecretsOf = real;
  assert.deepEqual([(await c.one()).status, (await c.one()).attempts], ['DELIVERED', 1]);
  assert.ok(asked >= 2);
});
