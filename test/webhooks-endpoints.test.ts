import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uuidv7 } from '../src/lib/ids.ts';
import { sql } from 'kysely';
import { withDatabase } from './helpers/database.ts';
import { deliveriesOf, type Method, startNode, type Tenant } from './helpers/engine.ts';
import type { Body } from './helpers/dead-letters.ts';
import { startReceiver } from './helpers/receiver.ts';

const node = await startNode({ database: await withDatabase(), settings: { WEBHOOK_MAX_ENDPOINTS: '3' } });
const { clock } = node;
const publisher = await node.tenant('PLATFORM');

test('a test event goes to a paused endpoint, too: who mends a receiver sees whether it answers', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const { id } = await node.endpoint(tenant, receiver.url());
  await node.ok(200, 'POST', `/v1/webhooks/endpoints/${id}/pause`, { key: tenant.key });
  await node.publish(publisher, [tenant]);
  await node.work();
  await node.ok(202, 'POST', `/v1/webhooks/endpoints/${id}/test`, { key: tenant.key, body: {} });
  await node.work();
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers['x-service-test']),
    ['true'],
  );
  const rows = await deliveriesOf(node.db, id);
  assert.deepEqual(rows.map((d) => d.status).toSorted(), ['DELIVERED', 'HELD']);
  const endpoint = await node.ok(200, 'GET', `/v1/webhooks/endpoints/${id}`, { key: tenant.key });
  assert.equal(endpoint.status, 'PAUSED');
});

test('past attempts show where they went, whatever the endpoint became since', async () => {
  const receiver = await startReceiver((_request, nth) => (nth === 0 ? 500 : 200));
  const tenant = await node.tenant();
  const made = await node.endpoint(tenant, receiver.url('/old'), { headers: { 'X-Old': 'secret' } });
  const detailOf = async (eventId: string | undefined) => {
    const row = (await deliveriesOf(node.db, made.id)).find((d) => d.event_id === eventId);
    return node.ok(200, 'GET', `/v1/webhooks/deliveries/${row?.id}`, { key: tenant.key });
  };
  const [failed] = await node.publish(publisher, [tenant]);
  await node.work();
  clock.advance(1000);
  const [arrived] = await node.publish(publisher, [tenant]);
  await node.work();
  const own = (logged: Body) => [logged.url, logged.requestHeaders['X-Old'], logged.requestHeaders['X-New']];
  const old = [receiver.url('/old'), '[redacted]', undefined];
  for (const id of [failed, arrived]) assert.deepEqual((await detailOf(id)).log.map(own), [old]);
  clock.advance(1000);
  const body = { url: receiver.url('/new'), headers: { 'X-New': 'secret' } };
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${made.id}`, { key: tenant.key, body });
  clock.advance(300_000);
  await node.work();
  const detail = await detailOf(failed);
  assert.equal(detail.url, receiver.url('/new'));
  assert.deepEqual(detail.log.map(own), [old, [receiver.url('/new'), undefined, '[redacted]']]);
  // The names of headers that arrived at once are not kept.
  assert.deepEqual((await detailOf(arrived)).log.map(own), [[receiver.url('/old'), undefined, undefined]]);
});

test('where a delivery went that arrived at once is known through every change of its endpoint, and its end', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const made = await node.endpoint(tenant, receiver.url('/first'), { headers: { 'X-Tenant': 'lamps' } });
  const path = `/v1/webhooks/endpoints/${made.id}`;
  const change = async (body: object): Promise<void> => {
    clock.advance(1000);
    await node.ok(200, 'PATCH', path, { key: tenant.key, body });
    clock.advance(1000);
  };
  const send = async (): Promise<string> => {
    const [eventId] = await node.publish(publisher, [tenant]);
    await node.work();
    return (await deliveriesOf(node.db, made.id)).find((d) => d.event_id === eventId)?.id ?? '';
  };
  const sentTo = async (id: string) => {
    const { log } = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, { key: tenant.key });
    return [log[0].url, log[0].requestHeaders['X-Tenant']];
  };
  const first = await send();
  clock.advance(1000);
  await node.ok(200, 'POST', `${path}/pause`, { key: tenant.key });
  await node.ok(200, 'POST', `${path}/resume`, { key: tenant.key });
  await change({ description: 'of the shop', maxInFlight: 3 });
  await change({ url: receiver.url('/first') });
  assert.deepEqual(await sentTo(first), [receiver.url('/first'), '[redacted]']);

  await change({ url: receiver.url('/second') });
  const second = await send();
  await change({ headers: {} });
  const third = await send();
  await change({ url: receiver.url('/first') });
  assert.deepEqual(await sentTo(first), [receiver.url('/first'), undefined]);
  // Sent just after a change, it says itself where it went.
  assert.deepEqual(await sentTo(second), [receiver.url('/second'), '[redacted]']);
  assert.deepEqual(await sentTo(third), [receiver.url('/second'), undefined]);
  clock.advance(1000);
  await node.ok(204, 'DELETE', path, { key: tenant.key });
  assert.deepEqual(await sentTo(third), [receiver.url('/second'), undefined]);

  // Of what was changed before this was kept nothing is known.
  await sql`update webhook_endpoint_former set url = null where endpoint_id = ${made.id}`.execute(node.db);
  assert.deepEqual(await sentTo(first), [null, undefined]);
});

test('of an attempt just after a change only who sent it knows where it went', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const made = await node.endpoint(tenant, receiver.url('/old'));
  const send = async (): Promise<[url: string | null, path: string | undefined]> => {
    const [eventId] = await node.publish(publisher, [tenant]);
    await node.work();
    const id = (await deliveriesOf(node.db, made.id)).find((d) => d.event_id === eventId)?.id;
    const { log } = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, { key: tenant.key });
    return [log[0].url, receiver.received.at(-1)?.path];
  };
  clock.advance(60_000);
  // A change that this node does not hear of: the version of endpoints stays.
  await sql`update webhook_endpoints set url = ${receiver.url('/new')}, updated_at = ${new Date(clock.now())} where id = ${made.id}`.execute(
    node.db,
  );
  clock.advance(9_000);
  assert.deepEqual(await send(), [null, '/old']);
  clock.advance(60_000);
  const body = { url: receiver.url('/newest') };
  await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${made.id}`, { key: tenant.key, body });
  assert.deepEqual(await send(), [receiver.url('/newest'), '/newest']);
});

test('a change by a node whose clock is behind leaves the time of the one before it', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const { id } = await node.endpoint(tenant, receiver.url('/old'));
  const change = async (body: object): Promise<string> =>
    (await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${id}`, { key: tenant.key, body })).updatedAt;
  clock.advance(60_000);
  const changedAt = await change({ url: receiver.url('/new') });
  clock.advance(-59_000);
  assert.equal(await change({ description: 'of the shop' }), changedAt);
  assert.equal(
    (await node.ok(200, 'POST', `/v1/webhooks/endpoints/${id}/pause`, { key: tenant.key })).updatedAt,
    changedAt,
  );
  // But for one that is wrong by far.
  clock.advance(-600_000);
  assert.ok((await change({ description: 'of lamps' })) < changedAt);
  clock.advance(600_000);
  await change({ description: 'of lamps and chairs' });
  // For who sends the address is new as long as what is known of former ones goes by that time.
  const [eventId] = await node.publish(publisher, [tenant]);
  await node.ok(200, 'POST', `/v1/webhooks/endpoints/${id}/resume`, { key: tenant.key });
  await node.work();
  const sent = (await deliveriesOf(node.db, id)).find((d) => d.event_id === eventId);
  const { log } = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${sent?.id}`, { key: tenant.key });
  assert.equal(log[0].url, receiver.url('/new'));
  clock.advance(59_000);
});

test('the same headers again change nothing: earlier attempts keep their names', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const headers = { Authorization: 'Bearer a', 'X-Shop': 'north' };
  const made = await node.endpoint(tenant, receiver.url(), { headers });
  await node.publish(publisher, [tenant]);
  await node.work();
  const [delivery] = await deliveriesOf(node.db, made.id);
  const change = async (to: object): Promise<void> => {
    clock.advance(60_000);
    const body = { headers: to };
    await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${made.id}`, { key: tenant.key, body });
  };
  const named = async (): Promise<string[]> => {
    const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${delivery?.id}`, { key: tenant.key });
    return Object.keys(headers).filter((name) => detail.log[0].requestHeaders[name] === '[redacted]');
  };
  await change(headers);
  await change({ 'X-Shop': 'north', Authorization: 'Bearer a' });
  assert.deepEqual(await named(), Object.keys(headers));
  await change({ ...headers, Authorization: 'Bearer b' });
  assert.deepEqual(await named(), []);
  await node.publish(publisher, [tenant]);
  await node.work();
  assert.equal(receiver.received.at(-1)?.headers.authorization, 'Bearer b');
});

test('custom headers are sent along and never shown; reserved ones are refused', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const headers = { Authorization: 'Bearer of-the-receiver', 'X-Shop': 'north' };
  const made = await node.endpoint(tenant, receiver.url(), { headers });
  assert.deepEqual(made.headerNames.toSorted(), ['Authorization', 'X-Shop']);
  await node.publish(publisher, [tenant]);
  await node.work();
  assert.equal(receiver.received[0]?.headers.authorization, 'Bearer of-the-receiver');
  assert.equal(receiver.received[0]?.headers['x-shop'], 'north');
  const [delivery] = await deliveriesOf(node.db, made.id);
  const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${delivery?.id}`, { key: tenant.key });
  assert.equal(detail.log[0].requestHeaders['X-Shop'], '[redacted]');
  assert.ok(!JSON.stringify([made, detail]).includes('of-the-receiver'));
  assert.equal(
    detail.log[0].requestHeaders['X-Service-Signature'],
    receiver.received[0]?.headers['x-service-signature'],
  );
  assert.equal(detail.body, receiver.received[0]?.body);

  for (const name of [
    'Host',
    'content-length',
    'Content-Type',
    'transfer-encoding',
    'X-Service-Signature',
    'X-SERVICE-Anything',
    'webhook-id',
    'User-Agent',
    'traceparent',
  ]) {
    const reply = await node.call('POST', '/v1/webhooks/endpoints', {
      key: tenant.key,
      body: { url: receiver.url(), headers: { [name]: 'x' } },
    });
    assert.equal(reply.status, 400, name);
    assert.equal(reply.body.error.details[0].path, `body.headers.${name}`);
    assert.match(reply.body.error.details[0].message, /reserved|set by the connection/);
  }
  for (const name of ['Bad Name', 'X-ü', 'X_Service_Signature', '', 'Authorization ', 'x'.repeat(65)]) {
    const body = { url: receiver.url(), headers: { [name]: 'x' } };
    const reply = await node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body });
    assert.deepEqual(
      [reply.status, reply.body.error.details],
      [400, [{ path: `body.headers.${name}`, message: 'is not a name of up to 64 letters, digits and hyphens' }]],
    );
  }
  for (const bad of [
    { 'X-Line': 'a\r\nX-Service-Signature: forged' },
    { Authorization: 'Basic a', authorization: 'Basic b' },
  ]) {
    const reply = await node.call('POST', '/v1/webhooks/endpoints', {
      key: tenant.key,
      body: { url: receiver.url(), headers: bad },
    });
    assert.equal(reply.status, 400, JSON.stringify(bad));
  }
});

test('each kind of account has its kind of endpoint', async () => {
  const [merchant, business] = [await node.tenant('MERCHANT'), await node.tenant('BUSINESS')];
  const create = (kind: string, who: Tenant, body: object) =>
    node.call('POST', `/v1/webhooks/${kind}`, { key: who.key, body: { url: 'http://127.0.0.1:9/', ...body } });
  assert.equal((await create('endpoints', business, {})).body.error.code, 'FORBIDDEN');
  const nobody = `endpoints?accountId=${uuidv7(0)}`;
  for (const who of [publisher, merchant]) {
    const { code, message } = (await create(nobody, who, {})).body.error;
    assert.deepEqual([code, message], ['NOT_FOUND', 'There is no such account.']);
  }
  assert.equal((await create('endpoints', merchant, { description: 'half \udfff' })).status, 400);
  assert.equal((await create('business-subscriptions', merchant, {})).body.error.code, 'FORBIDDEN');
  assert.equal((await create('endpoints', merchant, { events: ['space_booking.paid'] })).status, 400);
  assert.equal((await create('business-subscriptions', business, { events: ['offer.created'] })).status, 400);
  assert.equal(
    (await create('endpoints', merchant, { events: ['offer.expired'] })).status,
    400,
    'an event without webhook',
  );
  const made = await create('endpoints', merchant, {});
  assert.equal(made.status, 201);
  assert.equal(
    (await node.call('GET', `/v1/webhooks/business-subscriptions/${made.body.id}`, { key: merchant.key })).status,
    404,
  );
});

test('addresses that may not be called are refused', async () => {
  const tenant = await node.tenant();
  for (const url of [
    'ftp://example.com/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest',
    'http://user:pw@example.com/',
    'example.com',
    'http://example.com/\ud800',
  ]) {
    const reply = await node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body: { url } });
    assert.equal(reply.status, 400, url);
    assert.equal(reply.body.error.details[0].path, 'body.url');
  }
});

test('an account has as many endpoints as the setting says, also when they are made at once', async () => {
  const tenant = await node.tenant();
  const create = () =>
    node.call('POST', '/v1/webhooks/endpoints', { key: tenant.key, body: { url: 'http://127.0.0.1:9/' } });
  const replies = await Promise.all([create(), create(), create(), create(), create()]);
  assert.deepEqual(
    replies.map((r) => r.status).toSorted((a, b) => a - b),
    [201, 201, 201, 409, 409],
  );
  const refused = replies.filter((r) => r.status === 409).map((r) => r.body.error);
  assert.ok(refused.every((e) => e.code === 'ENDPOINT_LIMIT_REACHED' && /may have \(3\); delete one/.test(e.message)));
  const [first] = replies.filter((r) => r.status === 201);
  assert.equal(
    (await node.call('DELETE', `/v1/webhooks/endpoints/${first?.body.id}`, { key: tenant.key })).status,
    204,
  );
  assert.equal((await create()).status, 201, 'a deleted one does not count');
});

test('a merchant can neither see nor touch what belongs to another', async () => {
  const receiver = await startReceiver();
  const [mine, theirs] = [await node.tenant(), await node.tenant()];
  const endpoint = await node.endpoint(theirs, receiver.url());
  await node.publish(publisher, [theirs]);
  await node.work();
  const [delivery] = await deliveriesOf(node.db, endpoint.id);
  const one = `/v1/webhooks/endpoints/${endpoint.id}`;
  const attempts: [Method, string, unknown?][] = [
    ['GET', one],
    ['PATCH', one, { description: 'mine now' }],
    ['DELETE', one],
    ['POST', `${one}/pause`],
    ['POST', `${one}/resume`],
    ['POST', `${one}/test`, {}],
    ['GET', `/v1/webhooks/deliveries/${delivery?.id}`],
    ['POST', `/v1/webhooks/deliveries/${delivery?.id}/replay`],
  ];
  for (const [method, path, body] of attempts) {
    const reply = await node.call(method, path, { key: mine.key, ...(body === undefined ? {} : { body }) });
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'NOT_FOUND'], `${method} ${path}`);
  }
  for (const list of [
    '/v1/webhooks/endpoints',
    '/v1/webhooks/deliveries',
    `/v1/webhooks/deliveries?endpointId=${endpoint.id}`,
  ]) {
    assert.deepEqual((await node.ok(200, 'GET', list, { key: mine.key })).data, [], list);
  }
  const onBehalf = await node.call('POST', `/v1/webhooks/endpoints?accountId=${theirs.id}`, {
    key: mine.key,
    body: { url: receiver.url() },
  });
  assert.equal(onBehalf.status, 404);
  await node.work();
  assert.equal(receiver.received.length, 1);
  assert.equal((await node.ok(200, 'GET', one, { key: theirs.key })).description, '');
});

test('deliveries are listed newest first, by cursor, and filtered', async () => {
  const receiver = await startReceiver((r) => (r.path === '/bad' ? 500 : 200));
  const tenant = await node.tenant();
  const good = await node.endpoint(tenant, receiver.url('/good'));
  const bad = await node.endpoint(tenant, receiver.url('/bad'));
  const [started, failed] = await node.publish(
    publisher,
    [tenant],
    [
      { event: 'checkout.started', data: { tradeSessionId: 'list-1' } },
      { event: 'checkout.failed', data: { tradeSessionId: 'list-1' } },
      { event: 'checkout.failed', data: { tradeSessionId: 'list-2' } },
    ],
  );
  await node.work();
  type Item = { id: string; event: string; endpointId: string; status: string; createdAt: string };
  const list = async (query: string): Promise<{ data: Item[]; nextCursor: string | null }> =>
    node.ok(200, 'GET', `/v1/webhooks/deliveries?${query}`, { key: tenant.key });
  const all: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  assert.equal(all.length, 6);
  assert.deepEqual(
    all.map((d) => d.id),
    all
      .map((d) => d.id)
      .toSorted()
      .toReversed(),
  );
  const count = async (query: string): Promise<number> => (await list(query)).data.length;
  assert.equal(await count('status=DELIVERED'), 3);
  assert.equal(await count(`status=PENDING&endpointId=${bad.id}`), 3);
  assert.equal(await count(`status=PENDING&endpointId=${good.id}`), 0);
  assert.equal(await count('event=checkout.failed'), 4);
  assert.equal(await count('tradeSessionId=list-1'), 4);
  assert.equal(await count(`since=${new Date(clock.now() + 1).toISOString()}`), 0);
  assert.equal(await count(`until=${new Date(clock.now() + 1).toISOString()}&tradeSessionId=list-2`), 2);
  assert.equal(await count(`eventId=${started}`), 2);
  assert.equal(await count(`eventId=${started}&endpointId=${good.id}&status=DELIVERED`), 1);
  assert.equal(await count(`eventId=${failed}&tradeSessionId=list-1`), 2);
  assert.equal(await count(`eventId=${failed}&tradeSessionId=list-2`), 0);
  assert.equal(await count(`eventId=${all[0]?.id}`), 0, 'there is no such event');
  const { key } = await node.tenant();
  const others = await node.ok(200, 'GET', `/v1/webhooks/deliveries?eventId=${started}`, { key });
  assert.deepEqual(others.data, []);
  const [first] = (await list(`eventId=${started}&endpointId=${good.id}`)).data;
  const replay = await node.ok(202, 'POST', `/v1/webhooks/deliveries/${first?.id}/replay`, { key: tenant.key });
  const found = (await list(`eventId=${started}&endpointId=${good.id}`)).data.map(({ id }) => id);
  assert.deepEqual(found, [replay.id, first?.id], 'its replays are of the event, too');
});

test('every attempt shows how long connecting took, and when the reply began', async () => {
  const receiver = await startReceiver();
  const tenant = await node.tenant();
  const { id } = await node.endpoint(tenant, receiver.url());
  for (let i = 0; i < 2; i++) {
    await node.publish(publisher, [tenant]);
    await node.work();
  }
  const [opened, kept] = await Promise.all(
    (await deliveriesOf(node.db, id)).map(async (delivery) => {
      const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${delivery.id}`, { key: tenant.key });
      return detail.log[0] as { durationMs: number; connectMs: number | null; firstByteMs: number | null };
    }),
  );
  assert.ok(opened && kept);
  assert.ok(opened.connectMs !== null && opened.connectMs > 0, 'a connection was opened');
  assert.ok(opened.firstByteMs !== null && opened.firstByteMs >= opened.connectMs);
  assert.ok(opened.durationMs >= opened.firstByteMs);
  assert.equal(kept.connectMs, null, 'it was kept');
  assert.ok(kept.firstByteMs !== null && kept.firstByteMs > 0);
  // A row of a version that did not measure.
  await sql`update webhook_deliveries set attempt_log = regexp_replace(attempt_log, '"(connectMs|firstByteMs)":[0-9.]+,', '', 'g')
    where endpoint_id = ${id}`.execute(node.db);
  const [old] = await deliveriesOf(node.db, id);
  const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${old?.id}`, { key: tenant.key });
  assert.deepEqual([detail.log[0].connectMs, detail.log[0].firstByteMs], [null, null]);
});
