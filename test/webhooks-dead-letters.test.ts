import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../src/lib/ids.ts';
import { withDatabase } from './helpers/database.ts';
import { deliveriesOf, startNode, type Tenant, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const database = await withDatabase();
const node = await startNode({ database, settings: { WEBHOOK_MAX_ENDPOINTS: '100' } });
const { clock, db } = node;
const publisher = await node.tenant('PLATFORM');
const { jobs } = node.service.modules.webhooks;
// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

interface Seed {
  status?: string;
  count?: number;
  errorClass?: string;
  webhook?: string;
  /** So long ago. Milliseconds. */
  age?: number;
}

/** Deliveries as they are when all attempts failed; they send the text `{}`. */
async function seed(tenant: Tenant, endpointId: string, more: Seed = {}): Promise<string[]> {
  const { status = 'DEAD', count = 1, errorClass = 'TIMEOUT', webhook = 'offer.created', age = 60_000 } = more;
  const ids = Array.from({ length: count }, (_, i) => oldId(clock.now() - age, i));
  const time = new Date(clock.now() - age);
  const log = JSON.stringify({
    attempt: 5,
    at: time.toISOString(),
    durationMs: 1,
    signature: '',
    standardSignature: '',
    responseStatus: null,
    responseHeaders: null,
    responseBody: null,
    errorClass,
    errorMessage: `said ${errorClass}`,
  });
  await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts, next_attempt_at,
      request_id, error_class, body, attempt_log, created_at, updated_at)
    select id, gen_random_uuid(), ${webhook}, ${endpointId}, ${tenant.id}, ${status}, 5,
      case when ${status} = 'PENDING' then ${time}::timestamptz end, 'r', ${errorClass}, '{}', ${`${log}\n`}, ${time}, ${time}
    from unnest(${ids}::uuid[]) as d (id)`.execute(db);
  return ids;
}

/** A new id of an earlier time; `uuidv7` gives none below its last. */
function oldId(ms: number, n: number): string {
  const hex = Math.floor(ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${n.toString(16).padStart(3, '0')}${uuidv7(clock.now()).slice(18)}`;
}

async function shop(): Promise<{
  tenant: Tenant;
  endpoint: Body;
  receiver: Awaited<ReturnType<typeof startReceiver>>;
}> {
  const [tenant, receiver] = [await node.tenant(), await startReceiver()];
  return { tenant, receiver, endpoint: await node.endpoint(tenant, receiver.url()) };
}

const begin = (tenant: Tenant, body: object, what = 'replay'): Promise<Body> =>
  node.ok(202, 'POST', `/v1/webhooks/deliveries/${what}`, { key: tenant.key, body });
const jobOf = (tenant: Tenant, id: string): Promise<Body> =>
  node.ok(200, 'GET', `/v1/webhooks/replays/${id}`, { key: tenant.key });
/** Portions until nothing is to be done at this moment. */
async function work(): Promise<void> {
  while (await jobs.step());
}
/** All portions, however slow they are to be. */
async function finish(tenant: Tenant, id: string): Promise<Body> {
  for (let i = 0; i < 100; i++) {
    await work();
    const job = await jobOf(tenant, id);
    if (job.state !== 'RUNNING') return job;
    clock.advance(1000);
  }
  return assert.fail('the job does not end');
}
const replaysOf = async (endpointId: string): Promise<string[]> =>
  (await deliveriesOf(db, endpointId)).flatMap((d) => d.replay_of ?? []);

describe('dead letters', () => {
  test('are grouped by endpoint and cause, with filters, for the account and for operators', async () => {
    const { tenant, endpoint } = await shop();
    const other = await shop();
    const timeouts = await seed(tenant, endpoint.id, { count: 3, age: 3_600_000 });
    const [late = ''] = await seed(tenant, endpoint.id, { webhook: 'trade.created', age: 1000 });
    await seed(tenant, endpoint.id, { errorClass: 'HTTP_5XX', count: 2 });
    await seed(other.tenant, other.endpoint.id);
    await seed(tenant, endpoint.id, { status: 'HELD' });
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
        oldest: timeouts[0],
        newest: late,
        lastMessage: 'said TIMEOUT',
      },
    );
    assert.deepEqual(told(await list('event=trade.created')), [[endpoint.id, 'TIMEOUT', 1]]);
    assert.deepEqual(told(await list('errorClass=HTTP_5XX')), [[endpoint.id, 'HTTP_5XX', 2]]);
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
});

describe('discarding one', () => {
  test('keeps the reason; what is under way is not discarded, what was is not sent', async () => {
    const { tenant, endpoint, receiver } = await shop();
    const discard = (id: string, reason = 'Made by hand.') =>
      node.call('POST', `/v1/webhooks/deliveries/${id}/discard`, { key: tenant.key, body: { reason } });
    for (const status of ['DEAD', 'HELD', 'PENDING']) {
      const [id = ''] = await seed(tenant, endpoint.id, { status });
      const { status: code, body } = await discard(id);
      assert.deepEqual(
        [code, body.status, body.errorClass, body.discardReason],
        [200, 'DISCARDED', 'BY_REQUEST', 'Made by hand.'],
      );
      assert.equal((await discard(id)).status, 409, 'not twice');
    }
    const [busy = ''] = await seed(tenant, endpoint.id, { status: 'PENDING' });
    await sql`update webhook_deliveries set lease_owner = 'x', lease_until = now() + interval '1 hour' where id = ${busy}`.execute(
      db,
    );
    assert.match((await discard(busy)).body.error.message, /being sent/);
    await sql`update webhook_deliveries set lease_until = now() - interval '1 hour' where id = ${busy}`.execute(db);
    assert.equal((await discard(busy)).status, 200, 'the lease is over');
    const stranger = await shop();
    const [theirs = ''] = await seed(stranger.tenant, stranger.endpoint.id);
    assert.equal((await discard(theirs)).status, 404);
    await node.work();
    assert.equal(receiver.received.length, 0);
    await node.ok(202, 'POST', `/v1/webhooks/deliveries/${busy}/replay`, { key: tenant.key });
    await node.work();
    assert.equal(receiver.received.length, 1, 'it can be replayed');
  });
});

describe('a job that replays', () => {
  test('a dry run counts and does nothing', async () => {
    const { tenant, endpoint } = await shop();
    const second = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    await seed(tenant, endpoint.id, { count: 5 });
    await seed(tenant, second.id, { count: 2 });
    const body = { filter: { status: 'DEAD' }, dryRun: true };
    const preview = await node.ok(200, 'POST', '/v1/webhooks/deliveries/replay', { key: tenant.key, body });
    assert.deepEqual(preview, {
      count: 7,
      countIsExact: true,
      endpoints: [
        { endpointId: endpoint.id, count: 5 },
        { endpointId: second.id, count: 2 },
      ],
    });
    const page = await node.ok(200, 'GET', '/v1/webhooks/replays', { key: tenant.key });
    assert.deepEqual(page, { data: [], nextCursor: null });
    await work();
    assert.deepEqual(await replaysOf(endpoint.id), []);
  });

  test('makes one replay of each that fits, none of its own, at its rate', async () => {
    const { tenant, endpoint, receiver } = await shop();
    const ids = await seed(tenant, endpoint.id, { count: 25 });
    await seed(tenant, endpoint.id, { count: 3, errorClass: 'HTTP_5XX' });
    await seed(tenant, endpoint.id, { count: 3, age: 5_000_000 });
    const since = new Date(clock.now() - 100_000).toISOString();
    const filter = { status: 'DEAD', endpointId: endpoint.id, errorClass: 'TIMEOUT', since };
    const made = await begin(tenant, { filter, ratePerSecond: 10 });
    assert.deepEqual(
      [made.kind, made.state, made.total, made.totalIsExact, made.done, made.filter],
      ['REPLAY', 'RUNNING', 25, true, 0, filter],
    );
    // What dies later is not of it, though it has the status, too.
    await seed(tenant, endpoint.id, { count: 2, age: -1000 });
    await work();
    assert.equal((await jobOf(tenant, made.id)).done, 10, 'as many as a second allows');
    clock.advance(999);
    await work();
    assert.equal((await jobOf(tenant, made.id)).done, 10);
    clock.advance(1);
    await work();
    assert.equal((await jobOf(tenant, made.id)).done, 20);
    const due = (await deliveriesOf(db, endpoint.id)).filter((d) => d.replay_of !== null && d.next_attempt_at !== null);
    const times = due.slice(10).map((d) => (d.next_attempt_at as Date).getTime() - clock.now());
    assert.deepEqual(
      times,
      Array.from({ length: 10 }, (_, i) => i * 100),
      'spread over the second',
    );
    const ended = await finish(tenant, made.id);
    assert.deepEqual([ended.state, ended.done, ended.total, ended.skipped], ['COMPLETED', 25, 25, {}]);
    assert.deepEqual((await replaysOf(endpoint.id)).toSorted(), ids.toSorted());
    clock.advance(1000);
    await node.work();
    assert.equal(receiver.received.length, 25);
    assert.ok(receiver.received.every((r) => r.headers['x-service-replay'] === 'true'));
    const [job] = (await node.ok(200, 'GET', '/v1/webhooks/replays', { key: tenant.key })).data;
    assert.deepEqual(job, ended);
  });

  test('held ones are ended, what changed meanwhile or has no endpoint is left out, with the reason', async () => {
    const { tenant, endpoint } = await shop();
    const gone = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    const ids = await seed(tenant, endpoint.id, { status: 'HELD', count: 4 });
    await seed(tenant, gone.id, { status: 'HELD', count: 2 });
    const made = await begin(tenant, { filter: { status: 'HELD' } });
    await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${gone.id}`, { key: tenant.key });
    await node.ok(200, 'POST', `/v1/webhooks/deliveries/${ids[1]}/discard`, {
      key: tenant.key,
      body: { reason: 'Not this one.' },
    });
    const ended = await finish(tenant, made.id);
    assert.deepEqual([ended.state, ended.done, ended.skipped], ['COMPLETED', 3, { ENDPOINT_DELETED: 2 }]);
    const statuses = (await deliveriesOf(db, endpoint.id))
      .filter((d) => d.replay_of === null)
      .map((d) => d.error_class);
    assert.deepEqual(statuses, ['REPLAYED', 'BY_REQUEST', 'REPLAYED', 'REPLAYED']);
  });

  test('a second one can leave out what the first has replayed', async () => {
    const { tenant, endpoint } = await shop();
    await node.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
    await node.work();
    await sql`update webhook_deliveries set status = 'DEAD', attempts = 5, error_class = 'TIMEOUT' where endpoint_id = ${endpoint.id}`.execute(
      db,
    );
    const filter = { status: 'DEAD', event: 'offer.created' };
    await finish(tenant, (await begin(tenant, { filter })).id);
    const again = await finish(tenant, (await begin(tenant, { filter: { status: 'DEAD' }, skipReplayed: true })).id);
    assert.deepEqual([again.done, again.skipped], [1, { REPLAYED: 1 }]);
    const third = await finish(tenant, (await begin(tenant, { filter: { status: 'DEAD' } })).id);
    assert.equal(third.done, 2, 'unless it is asked for: replays are not deduplicated');
  });

  test('is of one trade', async () => {
    const { tenant, endpoint } = await shop();
    const data = { tradeSessionId: 'ts-of-the-job' };
    await node.publish(publisher, [tenant], [{ event: 'checkout.started', data }, { event: 'checkout.started' }]);
    await node.work();
    const filter = { status: 'DELIVERED', tradeSessionId: 'ts-of-the-job' };
    const made = await begin(tenant, { filter, ratePerSecond: 1 });
    assert.equal(made.total, 1);
    assert.equal((await finish(tenant, made.id)).done, 1);
    assert.equal((await replaysOf(endpoint.id)).length, 1);
  });

  test('is cancelled between two portions, and seen by nobody else', async () => {
    const { tenant, endpoint } = await shop();
    await seed(tenant, endpoint.id, { count: 3 });
    const made = await begin(tenant, { filter: { status: 'DEAD' }, ratePerSecond: 1 });
    await work();
    const path = `/v1/webhooks/replays/${made.id}`;
    const stranger = await node.tenant();
    assert.equal((await node.call('GET', path, { key: stranger.key })).status, 404);
    assert.equal((await node.call('POST', `${path}/cancel`, { key: stranger.key })).status, 404);
    const ended = await node.ok(200, 'POST', `${path}/cancel`, { key: tenant.key });
    assert.deepEqual([ended.state, ended.done], ['CANCELLED', 1]);
    assert.equal((await node.ok(200, 'POST', `${path}/cancel`, { key: tenant.key })).state, 'CANCELLED');
    clock.advance(60_000);
    await work();
    assert.equal((await replaysOf(endpoint.id)).length, 1);
  });

  test('of all accounts, by an operator; a member of several has to say which', async () => {
    const [a, b] = [await shop(), await shop()];
    await seed(a.tenant, a.endpoint.id, { errorClass: 'EVERYWHERE' });
    await seed(b.tenant, b.endpoint.id, { errorClass: 'EVERYWHERE' });
    const made = await begin(publisher, { filter: { status: 'DEAD', errorClass: 'EVERYWHERE' } });
    assert.deepEqual([made.accountId, made.total], [null, 2]);
    assert.equal((await finish(publisher, made.id)).done, 2);
    assert.equal((await node.call('GET', `/v1/webhooks/replays/${made.id}`, { key: a.tenant.key })).status, 404);
    const foreign = { key: a.tenant.key, body: { filter: { status: 'DEAD' } } };
    const path = `/v1/webhooks/deliveries/replay?accountId=${b.tenant.id}`;
    assert.equal((await node.call('POST', path, foreign)).status, 403);
  });

  test('a clock that is set back neither stops it nor makes its replays part of it', async () => {
    const { tenant, endpoint } = await shop();
    const ids = await seed(tenant, endpoint.id, { count: 6, age: 86_400_000 });
    const made = await begin(tenant, { filter: { status: 'DEAD' }, ratePerSecond: 2 });
    await work();
    clock.advance(-3_600_000);
    const ended = await finish(tenant, made.id);
    clock.advance(3_600_000);
    assert.equal(ended.done, 6);
    assert.deepEqual((await replaysOf(endpoint.id)).toSorted(), ids.toSorted());
    const made2 = (await deliveriesOf(db, endpoint.id)).filter((d) => d.replay_of !== null);
    assert.ok(made2.every((d) => d.id > made.id));
  });

  test('a portion that fails is tried again, then given up, and stops no other job', async () => {
    const [bad, good] = [await shop(), await shop()];
    await seed(bad.tenant, bad.endpoint.id, { webhook: 'broken' });
    await seed(good.tenant, good.endpoint.id);
    await sql`alter table webhook_deliveries add constraint no_replay check (replay_of is null or webhook <> 'broken')`.execute(
      db,
    );
    const broken = await begin(bad.tenant, { filter: { status: 'DEAD' } });
    const fine = await begin(good.tenant, { filter: { status: 'DEAD' } });
    assert.equal((await finish(good.tenant, fine.id)).state, 'COMPLETED');
    const failing = await jobOf(bad.tenant, broken.id);
    assert.equal(failing.state, 'RUNNING');
    assert.match(failing.error, /failed/);
    assert.doesNotMatch(failing.error, /constraint/, 'nothing of the inside');
    for (let i = 0; i < 10; i++) {
      clock.advance(300_000);
      await work();
    }
    assert.equal((await jobOf(bad.tenant, broken.id)).state, 'FAILED');
    await sql`alter table webhook_deliveries drop constraint no_replay`.execute(db);
  });
});

test('a job that discards: with the reason, in portions, but for what is under way', async () => {
  const { tenant, endpoint, receiver } = await shop();
  const ids = await seed(tenant, endpoint.id, { status: 'PENDING', count: 1203 });
  await sql`update webhook_deliveries set lease_owner = 'x', lease_until = now() + interval '1 hour' where id = ${ids[700]}`.execute(
    db,
  );
  const body = { filter: { status: 'PENDING' }, reason: 'All of that day.' };
  const made = await begin(tenant, body, 'discard');
  assert.deepEqual(
    [made.kind, made.total, made.reason, made.ratePerSecond],
    ['DISCARD', 1203, 'All of that day.', null],
  );
  const ended = await finish(tenant, made.id);
  assert.deepEqual([ended.state, ended.done, ended.skipped], ['COMPLETED', 1202, { UNDER_WAY: 1 }]);
  const one = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${ids[0]}`, { key: tenant.key });
  assert.deepEqual([one.status, one.errorClass, one.discardReason], ['DISCARDED', 'BY_REQUEST', 'All of that day.']);
  await node.claim();
  await node.quiet();
  assert.equal(receiver.received.length, 0);
});

describe('sending an event of the past to one endpoint', () => {
  test('that was created later, or has not subscribed; what was sent already is replayed', async () => {
    const { tenant, endpoint, receiver } = await shop();
    const [id = ''] = await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    await node.work();
    const late = await node.endpoint(tenant, receiver.url('/late'), { events: ['trade.created'] });
    const send = (to: string, body: object, key = tenant.key) =>
      node.call('POST', `/v1/webhooks/endpoints/${to}/deliveries`, { key, body });
    const first = await send(late.id, { eventId: id });
    assert.deepEqual([first.status, first.body.event, first.body.replayOf], [202, 'offer.created', null]);
    await node.work();
    assert.deepEqual(
      receiver.at('/late').map((r) => [r.headers['x-service-event-id'], r.body]),
      [[id, receiver.at('/hook')[0]?.body]],
    );
    const again = await send(late.id, { eventId: id, event: 'offer.created' });
    assert.equal(again.body.replayOf, first.body.id);
    const replay = await send(endpoint.id, { eventId: id });
    assert.notEqual(replay.body.replayOf, null);
    const routing = await node.ok(200, 'GET', `/v1/events/${id}/routing`, { key: tenant.key });
    const shown = routing.data.find((e: Body) => e.endpointId === late.id);
    assert.deepEqual(
      shown.verdicts.map((v: Body) => [v.code, v.deliveryCount]),
      [['DELIVERED', 2]],
    );
    assert.equal((await send(late.id, { eventId: id, event: 'trade.created' })).status, 409, 'not of this event');
    const business = await node.tenant('BUSINESS');
    const [booking = ''] = await node.publish(publisher, [tenant, business], [{ event: 'space_booking.created' }]);
    await node.work();
    assert.equal((await send(late.id, { eventId: booking })).status, 409, 'of the other kind');
    const stranger = await node.tenant();
    const [theirs = ''] = await node.publish(publisher, [stranger], [{ event: 'offer.created' }]);
    const [hidden, none] = [
      await send(late.id, { eventId: theirs }),
      await send(late.id, { eventId: uuidv7(clock.now()) }),
    ];
    const said = ({ body }: typeof hidden) => [body.error.code, body.error.message];
    assert.deepEqual([hidden.status, said(hidden)], [404, said(none)]);
    assert.equal((await send(late.id, { eventId: theirs }, publisher.key)).status, 404, 'not even by an operator');
    assert.equal((await send(late.id, { eventId: id }, stranger.key)).status, 404);
  });

  test('not before the fan-out has passed it; at the same time twice is one and a replay', async () => {
    const { tenant, receiver } = await shop();
    const [id = ''] = await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    const late = await node.endpoint(tenant, receiver.url('/late'));
    const send = () =>
      node.call('POST', `/v1/webhooks/endpoints/${late.id}/deliveries`, { key: tenant.key, body: { eventId: id } });
    assert.equal((await send()).status, 409);
    await node.work();
    const sent = await Promise.all([send(), send(), send()]);
    assert.deepEqual(
      sent.map(({ status }) => status),
      [202, 202, 202],
    );
    await node.work();
    await until('all three came', () => receiver.at('/late').length === 3);
    assert.equal((await replaysOf(late.id)).length, 2);
  });
});
