import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { EVENTS, internalEvents } from '../src/contracts/events/index.ts';
import { ManualClock, systemClock } from '../src/lib/clock.ts';
import { uuidv7 } from '../src/lib/ids.ts';
import { selectAfter } from '../src/modules/events/store.ts';
import { inTransaction } from '../src/platform/db/index.ts';
import { withDatabase } from './helpers/database.ts';
import { type Answered, startNode } from './helpers/engine.ts';

const database = await withDatabase();
const node = await startNode({ database, settings: { EVENTS_BACKLOG_MAX: '1000' } });
const publisher = await node.tenant('PLATFORM', ['events:publish']);
const merchant = await node.tenant();

const data = EVENTS['checkout.started'].example;
const input = (tradeSessionId: string, more: Record<string, unknown> = {}) => ({
  event: 'checkout.started',
  data: { ...data, tradeSessionId },
  accountIds: [merchant.id],
  ...more,
});
const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
  node.call('POST', '/v1/events', { key: publisher.key, body, headers });
const countOf = async (tradeSessionId: string): Promise<number> => {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from events where trade_session_id = ${tradeSessionId}`.execute(node.db);
  return rows[0]?.n ?? 0;
};
const paths = (reply: Answered): string[] => reply.body.error.details.map((d: { path: string }) => d.path);

test('one event: 202 with its id, then in the audit trail as it was published, with the request id', async () => {
  const body = `{"event":"checkout.started","accountIds":["${merchant.id}"],"occurredAt":"2026-01-02T03:04:05.678+02:00",
    "data":{"side":"COUNTERPARTY","tradeAmount":10.50,"currency":"EUR","tradeSessionId":"one","originalPrice":1e2}}`;
  const reply = await post(body, { 'x-request-id': 'given-by-caller' });
  assert.equal(reply.status, 202);
  const [{ id, event }] = reply.body.data;
  assert.equal(event, 'checkout.started');
  const seen = await node.ok(200, 'GET', `/v1/events/${id}`, { key: merchant.key });
  assert.deepEqual(seen, {
    id,
    event: 'checkout.started',
    data: { side: 'COUNTERPARTY', tradeAmount: 10.5, currency: 'EUR', tradeSessionId: 'one', originalPrice: 100 },
    accountIds: [merchant.id],
    occurredAt: '2026-01-02T01:04:05.678Z',
    recordedAt: new Date(node.clock.now()).toISOString(),
    requestId: 'given-by-caller',
    causedBy: null,
  });
  const { rows } = await sql<{ text: string }>`select data::text as text from events where id = ${id}`.execute(node.db);
  assert.equal(
    rows[0]?.text,
    '{"side":"COUNTERPARTY","tradeAmount":10.5,"currency":"EUR","tradeSessionId":"one","originalPrice":100}',
  );
});

test('a publisher is believed by a node whose clock is days behind, as far as the database is', async () => {
  const now = node.clock.now();
  node.clock.advance(-3 * 86_400_000);
  try {
    const right = input('behind', { occurredAt: new Date(now).toISOString() });
    assert.equal((await post(right)).status, 202);
    assert.equal((await post({ events: [input('behind'), right] })).status, 202);
    const reply = await post(input('no', { occurredAt: new Date(now + 2 * 86_400_000).toISOString() }));
    assert.equal(reply.status, 400);
    const [, told = ''] =
      /^body\.occurredAt: is more than a day ahead: it is (\S+) here/.exec(reply.body.error.message) ?? [];
    assert.ok(Math.abs(Date.parse(told) - now) < 3_600_000, 'it tells the later of both');
  } finally {
    node.clock.set(now);
  }
});

test('a publisher whose clock is ahead by up to a day is believed', async () => {
  const occurredAt = new Date(node.clock.now() + 86_399_000).toISOString();
  const reply = await post(input('ahead', { occurredAt }));
  assert.equal(reply.status, 202);
  const seen = await node.ok(200, 'GET', `/v1/events/${reply.body.data[0].id}`, { key: merchant.key });
  assert.equal(seen.occurredAt, occurredAt);
});

test('every internal event can be published with its example', async () => {
  const events = internalEvents.map((event) => ({ event, data: EVENTS[event].example, accountIds: [merchant.id] }));
  const reply = await post({ events });
  assert.equal(reply.status, 202, JSON.stringify(reply.body));
  assert.deepEqual(
    reply.body.data.map((e: { event: string }) => e.event),
    internalEvents,
  );
});

test('a batch is all or nothing: one payload that does not fit names its place and nothing is kept', async () => {
  const bad = input('nothing', { data: { ...data, tradeSessionId: 'nothing', side: 'BOTH', extra: 1 } });
  const reply = await post({ events: [input('nothing'), input('nothing'), bad, input('nothing')] });
  assert.equal(reply.status, 400);
  assert.equal(reply.body.error.code, 'VALIDATION_ERROR');
  assert.deepEqual(paths(reply).toSorted(), ['body.events.2.data.extra', 'body.events.2.data.side']);
  assert.equal(await countOf('nothing'), 0);
});

test('what does not fit is refused, naming where and why', async () => {
  const cases: [unknown, string, RegExp][] = [
    [{ ...input('no'), event: 'trade.exploded' }, 'body.event', /"trade.exploded" is not an internal event/],
    // Derived webhooks are caused by other events and never published themselves.
    [
      { ...input('no'), event: 'reservation.failed' },
      'body.event',
      /which reservation.expired with `cause: "UNAVAILABLE"` causes/,
    ],
    [{ ...input('no'), event: 'constructor' }, 'body.event', /is not an internal event/],
    [{ ...input('no'), accountIds: [merchant.id, uuidv7(0)] }, 'body.accountIds.1', /no such account/],
    [{ ...input('no'), accountIds: ['acme'] }, 'body.accountIds.0', /UUID/],
    [{ ...input('no'), data: { ...data, tradeAmount: 1.005 } }, 'body.data.tradeAmount', /./],
    [{ ...input('no'), occurredAt: 'yesterday' }, 'body.occurredAt', /./],
    [{ ...input('no'), occurredAt: '2016-12-31T23:59:60Z' }, 'body.occurredAt', /./],
    [{ ...input('no'), occurredAt: '0001-01-01T00:00:00Z' }, 'body.occurredAt', /years 1000 to 9999/],
    [{ ...input('no'), occurredAt: '2999-01-01T00:00:00Z' }, 'body.occurredAt', /more than a day ahead/],
    [
      { events: [input('no'), input('no', { occurredAt: new Date(node.clock.now() + 90_000_000).toISOString() })] },
      'body.events.1.occurredAt',
      /more than a day ahead/,
    ],
    [{ ...input('no'), causedBy: uuidv7(0) }, 'body.causedBy', /not a field/],
    [{ event: 'checkout.started', data }, 'body', /^body\.accountIds: is required$/],
    [{ events: [] }, 'body.events', /./],
    [{ events: [input('no')], ...input('no') }, 'body.event', /by each event of a batch/],
    [[input('no')], 'body', /^body: must be object; body\.events: holds a batch, as \{"events": \[\{…\}, \{…\}\]\}$/],
    [{ events: [input('no')], occurredAt: '2020-01-01T00:00:00Z' }, 'body.occurredAt', /by each event of a batch/],
    [{ events: [input('no')], accountIds: [merchant.id] }, 'body.accountIds', /by each event of a batch/],
    [{}, 'body', /^body\.event: is required; body\.data: is required; body\.accountIds: is required$/],
    // A name that there is not is told beside what is missing.
    [
      { event: 'trade.exploded' },
      'body.event',
      /^body\.data: is required; body\.accountIds: is required; body\.event: "trade\.exploded" is not an internal event/,
    ],
    [
      { events: [input('no'), { event: 'trade.exploded', data }] },
      'body.events.1.event',
      /^body\.events\.1\.accountIds: is required; body\.events\.1\.event: "trade\.exploded" is not an internal event/,
    ],
    [
      { event: '' },
      'body.event',
      /^body\.data: is required; body\.accountIds: is required; body\.event: must not be empty$/,
    ],
    [{ events: 'no' }, 'body.events', /^body\.events: must be array$/],
    [{ events: [null] }, 'body.events.0', /^body\.events\.0: must be object$/],
  ];
  for (const [body, path, message] of cases) {
    const reply = await post(body);
    assert.equal(reply.status, 400, JSON.stringify(body));
    assert.ok(
      paths(reply).some((p) => p.startsWith(path)),
      `${JSON.stringify(body)}: ${paths(reply).join(', ')}`,
    );
    assert.match(reply.body.error.message, message);
  }
  assert.equal(await countOf('no'), 0);
});

test('of very many faults the first are named, and all are counted', async () => {
  const reply = await post({ events: Array.from({ length: 200 }, () => input('no', { data: {} })) });
  assert.equal(reply.body.error.details.length, 50);
  const faults = 200 * Object.keys(data).length;
  assert.match(reply.body.error.message, new RegExp(`; and ${faults - 5} more$`));
});

test('a batch holds up to 500 events', async () => {
  const many = (n: number) => ({ events: Array.from({ length: n }, () => input(`batch-${n}`)) });
  const tooMany = await post(many(501));
  assert.equal(tooMany.status, 400);
  assert.deepEqual(paths(tooMany), ['body.events']);
  assert.equal(await countOf('batch-501'), 0);
  assert.equal((await post(many(500))).status, 202);
  assert.equal(await countOf('batch-500'), 500);
});

test('publishing needs the scope events:publish', async () => {
  const reply = await node.call('POST', '/v1/events', { key: merchant.key, body: input('forbidden') });
  assert.deepEqual([reply.status, reply.body.error.code], [403, 'FORBIDDEN']);
  assert.equal((await node.call('POST', '/v1/events', { body: input('forbidden') })).status, 401);
  assert.equal(await countOf('forbidden'), 0);
});

test('an account is named by its id in any case, and once however often', async () => {
  const reply = await post({ ...input('case'), accountIds: [merchant.id.toUpperCase(), merchant.id] });
  assert.equal(reply.status, 202);
  const seen = await node.ok(200, 'GET', `/v1/events/${reply.body.data[0].id}`, { key: merchant.key });
  assert.deepEqual(seen.accountIds, [merchant.id]);
});

test('50 requests at once with one Idempotency-Key have one effect', async () => {
  const headers = { 'idempotency-key': 'the-same-50-times' };
  const replies = await Promise.all(Array.from({ length: 50 }, () => post(input('idempotent'), headers)));
  assert.equal(await countOf('idempotent'), 1);
  const kept = replies.filter((r) => r.status === 202);
  assert.ok(kept.length >= 1);
  assert.equal(new Set(kept.map((r) => r.body.data[0].id)).size, 1);
  for (const r of replies) {
    if (r.status !== 202)
      assert.deepEqual(
        [r.status, r.body.error.code, r.headers.get('retry-after')],
        [409, 'IDEMPOTENCY_IN_PROGRESS', '1'],
      );
  }
  const again = await post(input('idempotent'), headers);
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed'), again.body], [202, 'true', kept[0]?.body]);
  const otherBody = await post(input('idempotent', { occurredAt: '2026-01-01T00:00:00Z' }), headers);
  assert.deepEqual([otherBody.status, otherBody.body.error.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
  assert.equal(await countOf('idempotent'), 1);
});

test('keys of other requests in the same commit do not meet', async () => {
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => post(input('many-keys'), { 'idempotency-key': `key-${i >> 1}-${i & 1}` })),
  );
  assert.ok(replies.every((r) => r.status === 202));
  assert.equal(await countOf('many-keys'), 40);
});

test('a request that does not fit is not remembered under its key', async () => {
  const headers = { 'idempotency-key': 'mended-later' };
  assert.equal((await post({ ...input('mended'), event: 'nope' }, headers)).status, 400);
  assert.equal((await post(input('mended'), headers)).status, 202);
});

test('more than may wait for its commit: 503 with Retry-After, and nothing of it is kept', async () => {
  const batch = (name: string) => ({ events: Array.from({ length: 400 }, () => input(name)) });
  const replies = await Promise.all(
    ['full-1', 'full-2', 'full-3', 'full-4', 'full-5', 'full-6'].map((n) => post(batch(n))),
  );
  const refused = replies.filter((r) => r.status === 503);
  assert.ok(refused.length >= 1, 'six times 400 do not fit into 1000');
  for (const [i, r] of replies.entries()) {
    assert.equal(await countOf(`full-${i + 1}`), r.status === 202 ? 400 : 0);
    if (r.status === 202) continue;
    assert.deepEqual([r.status, r.body.error.code, r.headers.get('retry-after')], [503, 'UNAVAILABLE', '1']);
  }
  assert.equal((await post(input('room-again'))).status, 202);
});

test('while the fan-out is too far behind: 503 with Retry-After, but not for what the service publishes itself', async () => {
  const clock = new ManualClock(systemClock.now());
  const own = await withDatabase();
  const late = await startNode({ database: own, clock, settings: { EVENTS_LAG_MAX: '3' } });
  const [publisher, merchant] = [await late.tenant('PLATFORM'), await late.tenant()];
  const send = (headers: Record<string, string> = {}) =>
    late.call('POST', '/v1/events', {
      key: publisher.key,
      headers,
      body: { event: 'offer.created', data: EVENTS['offer.created'].example, accountIds: [merchant.id] },
    });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    statuses.push((await send(i === 0 ? { 'idempotency-key': 'first' } : {})).status);
    clock.advance(1000);
  }
  assert.deepEqual(statuses, [202, 202, 202, 202, 503, 503]);
  const refused = await send({ 'idempotency-key': 'refused' });
  assert.deepEqual(
    [refused.status, refused.body.error.code, refused.headers.get('retry-after')],
    [503, 'UNAVAILABLE', '5'],
  );
  assert.equal((await send({ 'idempotency-key': 'first' })).status, 202, 'what was taken before is answered again');
  const { publish } = late.service.modules.events;
  await inTransaction(late.db, (trx) =>
    publish(trx, 'offer.created', EVENTS['offer.created'].example, { accountIds: [merchant.id] }, late.env),
  );
  const count = async () => (await selectAfter(late.db, 0, 100)).positions.length;
  assert.equal(await count(), 5);
  await late.work();
  clock.advance(1000);
  assert.equal((await send({ 'idempotency-key': 'refused' })).status, 202);
  assert.equal(await count(), 6);
});
