import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from './helpers/database.ts';
import { type Body, DeadLetters } from './helpers/dead-letters.ts';
import { startNode } from './helpers/engine.ts';

const node = await startNode({ database: await withDatabase(), settings: { WEBHOOK_MAX_ENDPOINTS: '100' } });
const { clock, db } = node;
const publisher = await node.tenant('PLATFORM');
const letters = new DeadLetters(node);

test('dead letters are grouped by endpoint and cause, with filters, for the account and for operators', async () => {
  const one = await letters.shop();
  const { tenant, endpoint } = one;
  const other = await letters.shop();
  const timeouts = await letters.seed(one, { count: 3, age: 3_600_000 });
  const [late = ''] = await letters.seed(one, { webhook: 'trade.created', age: 1000 });
  await letters.seed(one, { errorClass: 'HTTP_5XX', count: 2 });
  await letters.seed(other);
  await letters.seed(one, { status: 'HELD' });
  const list = (query = '', by = tenant): Promise<Body> =>
    node.ok(200, 'GET', `/v1/webhooks/dead-letters?${query}`, { key: by.key });
  const told = (page: Body): unknown[] => page.data.map((g: Body) => [g.endpointId, g.errorClass, g.count]);
  const whole = await list();
  assert.deepEqual(told(whole), [
    [endpoint.id, 'HTTP_5XX', 2],
    [endpoint.id, 'TIMEOUT', 4],
  ]);
  assert.deepEqual(
    { ...whole.data[1], oldest: whole.data[1].oldest.deliveryId, newest: whole.data[1].newest.deliveryId },
    {
      accountId: tenant.id,
      endpointId: endpoint.id,
      errorClass: 'TIMEOUT',
      count: 4,
      countIsExact: true,
      replayed: { count: 0, of: 4 },
      endpointUrl: endpoint.url,
      endpointIsDeleted: false,
      oldest: timeouts[0],
      newest: late,
      lastMessage: 'said TIMEOUT',
    },
  );
  assert.deepEqual(told(await list('event=trade.created')), [[endpoint.id, 'TIMEOUT', 1]]);
  assert.deepEqual(told(await list('errorClass=HTTP_5XX')), [[endpoint.id, 'HTTP_5XX', 2]]);
  for (const [list, name] of [
    ['dead-letters', 'FOO'],
    ['deliveries', 'HTTP_404'],
    // Of deliveries that are held, discarded or sent again: no dead letter ever has it.
    ['dead-letters', 'BY_REQUEST'],
    ['dead-letters', 'SHUTDOWN'],
    ['dead-letters', 'NO_SIGNING_SECRET'],
  ]) {
    const typo = await node.call('GET', `/v1/webhooks/${list}?errorClass=${name}`, { key: tenant.key });
    assert.equal(typo.status, 400, 'a typo is not the same as none');
    const last = list === 'deliveries' ? 'BY_REQUEST' : 'INTERNAL';
    assert.match(
      typo.body.error.details[0].message,
      new RegExp(`^must be one of BLOCKED_TARGET, .*HTTP_4XX, .*${last}$`),
    );
  }
  const small = await node.call('GET', '/v1/webhooks/dead-letters?errorClass=http_5xx', { key: tenant.key });
  assert.deepEqual([small.status, small.body.error.details[0].message], [400, 'is not known: did you mean HTTP_5XX?']);
  const since = new Date(clock.now() - 70_000).toISOString();
  assert.deepEqual(told(await list(`since=${since}`)), [
    [endpoint.id, 'HTTP_5XX', 2],
    [endpoint.id, 'TIMEOUT', 1],
  ]);
  assert.deepEqual(told(await list(`until=${since}`)), [[endpoint.id, 'TIMEOUT', 3]]);
  assert.deepEqual(told(await list(`endpointId=${other.endpoint.id}`)), [], 'nothing of somebody else');
  const first = await list('limit=1');
  assert.deepEqual(told(first), [[endpoint.id, 'HTTP_5XX', 2]]);
  const second = await list(`limit=1&cursor=${first.nextCursor}`);
  assert.deepEqual([told(second), second.nextCursor], [[[endpoint.id, 'TIMEOUT', 4]], null]);
  const all = told(await list(`endpointId=${other.endpoint.id}`, publisher));
  assert.deepEqual(all, [[other.endpoint.id, 'TIMEOUT', 1]], 'operators see all');
  const listed = await node.ok(200, 'GET', '/v1/webhooks/deliveries?errorClass=HTTP_5XX', { key: tenant.key });
  assert.deepEqual(
    listed.data.map((d: Body) => d.errorClass),
    ['HTTP_5XX', 'HTTP_5XX'],
  );
  for (const cursor of ['x', Buffer.from('a b c').toString('base64url')]) {
    assert.equal(
      (await node.call('GET', `/v1/webhooks/dead-letters?cursor=${cursor}`, { key: tenant.key })).status,
      400,
    );
  }
});

test('a dead letter that was replayed is marked in both lists, whoever replayed it, as long as the replay is stored', async () => {
  const { tenant, endpoint } = await letters.shop();
  await node.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
  await node.work();
  await sql`update webhook_deliveries set status = 'DEAD', error_class = 'TIMEOUT', next_attempt_at = null where endpoint_id = ${endpoint.id}`.execute(
    db,
  );
  const { key } = tenant;
  const listed = async (query: string): Promise<Body> =>
    (await node.ok(200, 'GET', `/v1/webhooks/${query}`, { key })).data;
  const grouped = async (): Promise<Body> => (await listed('dead-letters')).map((g: Body) => g.replayed);
  const marks = async (): Promise<Body> =>
    (await listed('deliveries?status=DEAD')).map((d: Body) => [d.event, d.lastReplay?.status ?? null]);
  const none = [
    ['offer.accepted', null],
    ['offer.created', null],
  ];
  assert.deepEqual([await marks(), await grouped()], [none, [{ count: 0, of: 2 }]]);
  const { id } = (await listed('deliveries?status=DEAD'))[1];
  const replayOnce = () => node.ok(202, 'POST', `/v1/webhooks/deliveries/${id}/replay`, { key });
  const made = await Promise.all([replayOnce(), replayOnce()]);
  assert.deepEqual([await marks(), await grouped()], [[none[0], ['offer.created', 'PENDING']], [{ count: 1, of: 2 }]]);
  await node.work();
  assert.deepEqual(await marks(), [none[0], ['offer.created', 'DELIVERED']]);
  const of = await listed(`deliveries?event=offer.created&endpointId=${endpoint.id}`);
  assert.deepEqual(
    of.map((d: Body) => [d.status, d.lastReplay !== null]),
    [
      ['DELIVERED', false],
      ['DELIVERED', true],
      ['DEAD', true],
    ],
    'the newest has none',
  );
  // Past their retention, of which a dead letter has none: nobody finds them any more, but a second replay would send it twice.
  const ids = made.map((d) => d.id);
  await sql`update webhook_deliveries set created_at = '2020-01-01', updated_at = '2020-01-01' where id = any(${ids}::uuid[])`.execute(
    db,
  );
  assert.equal((await node.call('GET', `/v1/webhooks/deliveries/${ids[0]}`, { key })).status, 404);
  const both = [[none[0], ['offer.created', 'DELIVERED']], [{ count: 1, of: 2 }]];
  assert.deepEqual([await marks(), await grouped()], both);
  const itself = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, { key });
  assert.deepEqual(new Set(itself.replays.map((d: Body) => d.id)), new Set(ids), 'it tells the same');
  const filter = { status: 'DEAD', event: 'offer.created' };
  const job = await letters.begin(tenant, { filter, skipReplayed: true });
  assert.deepEqual((await letters.finish(tenant, job.id)).skipped, { REPLAYED: 1 }, 'a job goes by the same');
  await sql`delete from webhook_deliveries where id = any(${ids}::uuid[])`.execute(db);
  assert.deepEqual([await marks(), await grouped()], [none, [{ count: 0, of: 2 }]]);
});

test('what became of it is told of the newest replay, also of one of a replay, and rather of one that arrived; what did not arrive counts as not replayed', async () => {
  const one = await letters.shop();
  const { key } = one.tenant;
  await node.publish(publisher, [one.tenant], [{ event: 'offer.created' }]);
  await node.work();
  const kill = (id: string) =>
    sql`update webhook_deliveries set status = 'DEAD', error_class = 'TIMEOUT', next_attempt_at = null where id = ${id}`.execute(
      db,
    );
  const list = async (): Promise<Body[]> => (await node.ok(200, 'GET', '/v1/webhooks/deliveries', { key })).data;
  const replayed = async (): Promise<Body> =>
    (await node.ok(200, 'GET', '/v1/webhooks/dead-letters', { key })).data[0].replayed;
  const replay = (id: string) => node.ok(202, 'POST', `/v1/webhooks/deliveries/${id}/replay`, { key });
  const [{ id: first }] = (await list()) as [Body];
  await kill(first);
  const { id: second } = await replay(first);
  await node.work();
  await kill(second);
  const told = async () => (await list()).map((d) => [d.id, d.lastReplay?.status ?? null]);
  assert.deepEqual(await told(), [
    [second, null],
    [first, 'DEAD'],
  ]);
  assert.deepEqual(await replayed(), { count: 0, of: 2 });
  const { id: third } = await replay(second);
  await node.work();
  assert.deepEqual(await told(), [
    [third, null],
    [second, 'DELIVERED'],
    [first, 'DELIVERED'],
  ]);
  assert.deepEqual(await replayed(), { count: 2, of: 2 });
  // Somebody replays the first once more, and that fails: it was sent all the same.
  const { id: fourth } = await replay(first);
  await node.work();
  await kill(fourth);
  assert.deepEqual(await told(), [
    [fourth, null],
    [third, 'DEAD'],
    [second, 'DELIVERED'],
    [first, 'DELIVERED'],
  ]);
  assert.deepEqual(await replayed(), { count: 2, of: 3 });
});

test('of many dead letters the newest are looked at for replays', async () => {
  const one = await letters.shop();
  await letters.seed(one, { count: 130 });
  await letters.seed(one, { webhook: 'trade.created', count: 3 });
  const { data } = await node.ok(200, 'GET', '/v1/webhooks/dead-letters', { key: one.tenant.key });
  assert.deepEqual([data.length, data[0].count, data[0].replayed], [1, 133, { count: 0, of: 28 }]);
});

test('what no delivery can fit is 400 and says why, wherever deliveries are asked for', async () => {
  const { key } = publisher;
  const typo = /event: "trade.createdd" is not a webhook; GET \/v1\/event-types lists them$/;
  const none = /event: "offer.expired" is an event that causes no webhook of its name/;
  const span = { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' };
  for (const [filter, message] of [
    [{ event: 'trade.createdd' }, typo],
    [{ event: 'offer.expired' }, none],
    [span, /since: must/],
  ] as const) {
    for (const path of ['webhooks/deliveries', 'webhooks/dead-letters', 'insights/deliveries']) {
      const { status, body } = await node.call('GET', `/v1/${path}?${new URLSearchParams(filter)}`, { key });
      assert.equal(status, 400, path);
      assert.match(body.error.message, message);
      assert.match(body.error.message, /^query\./);
    }
    for (const [path, more] of [
      ['replay', {}],
      ['replay', { dryRun: true }],
      ['discard', { reason: 'r' }],
    ] as const) {
      const asked = { filter: { status: 'DEAD', ...filter }, ...more };
      const { status, body } = await node.call('POST', `/v1/webhooks/deliveries/${path}`, { key, body: asked });
      assert.equal(status, 400, path);
      assert.match(body.error.message, message);
      assert.match(body.error.message, /^body\.filter\./);
    }
  }
});

test('discarding one keeps the reason; what is under way is not discarded, what was is not sent', async () => {
  const one = await letters.shop();
  const { tenant, receiver } = one;
  const discard = (id: string, reason = 'Made by hand.') =>
    node.call('POST', `/v1/webhooks/deliveries/${id}/discard`, { key: tenant.key, body: { reason } });
  for (const status of ['DEAD', 'HELD', 'PENDING']) {
    const [id = ''] = await letters.seed(one, { status });
    const { status: code, body } = await discard(id);
    assert.deepEqual(
      [code, body.status, body.errorClass, body.discardReason],
      [200, 'DISCARDED', 'BY_REQUEST', 'Made by hand.'],
    );
    assert.equal((await discard(id)).status, 409, 'not twice');
  }
  const [busy = ''] = await letters.seed(one, { status: 'PENDING' });
  await sql`update webhook_deliveries set lease_owner = 'x', lease_until = now() + interval '1 hour' where id = ${busy}`.execute(
    db,
  );
  assert.match((await discard(busy)).body.error.message, /being sent/);
  await sql`update webhook_deliveries set lease_until = now() - interval '1 hour' where id = ${busy}`.execute(db);
  assert.equal((await discard(busy)).status, 200, 'the lease is over');
  const stranger = await letters.shop();
  const [theirs = ''] = await letters.seed(stranger);
  assert.equal((await discard(theirs)).status, 404);
  await node.work();
  assert.equal(receiver.received.length, 0);
  await node.ok(202, 'POST', `/v1/webhooks/deliveries/${busy}/replay`, { key: tenant.key });
  await node.work();
  assert.equal(receiver.received.length, 1, 'it can be replayed');
});
