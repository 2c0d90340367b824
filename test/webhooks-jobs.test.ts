import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../src/lib/ids.ts';
import { withDatabase } from './helpers/database.ts';
import { DeadLetters } from './helpers/dead-letters.ts';
import { deliveriesOf, startNode, until } from './helpers/engine.ts';
import { keeperOfThePast } from './helpers/keeper.ts';

const node = await startNode({ database: await withDatabase(), settings: { WEBHOOK_MAX_ENDPOINTS: '100' } });
const { clock, db } = node;
const publisher = await node.tenant('PLATFORM');
const letters = new DeadLetters(node);

type Told = { endpointUrl: string | null; endpointIsDeleted: boolean };
const namesOf = ({ endpointUrl, endpointIsDeleted }: Told) => [endpointUrl, endpointIsDeleted];

describe('a job that replays', () => {
  test('a dry run counts and does nothing', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    const second = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    await letters.seed(one, { count: 5 });
    await letters.seed({ tenant, endpoint: second }, { count: 2 });
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
    await letters.work();
    assert.deepEqual(await letters.replaysOf(endpoint.id), []);
  });

  test('of an endpoint that is none of the account is refused, of one that was deleted made', async () => {
    const mine = await letters.shop();
    const other = await letters.shop();
    await letters.seed(mine, { count: 2 });
    const filterBy = (endpointId: string) => ({ filter: { status: 'DEAD', endpointId } });
    for (const endpointId of [other.endpoint.id, uuidv7(clock.now())]) {
      for (const path of ['replay', 'discard']) {
        const body = { ...filterBy(endpointId), ...(path === 'discard' ? { reason: 'not wanted' } : {}) };
        for (const dryRun of [true, false]) {
          const { error } = await node.ok(400, 'POST', `/v1/webhooks/deliveries/${path}`, {
            key: mine.tenant.key,
            body: { ...body, dryRun },
          });
          assert.deepEqual(error.details, [
            { path: 'body.filter.endpointId', message: 'is not an endpoint of this account' },
          ]);
        }
      }
    }
    const { data } = await node.ok(200, 'GET', '/v1/webhooks/replays', { key: mine.tenant.key });
    assert.deepEqual(data, [], 'no job was made');
    const { key } = mine.tenant;
    await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${mine.endpoint.id}`, { key });
    const body = { ...filterBy(mine.endpoint.id), reason: 'not wanted' };
    const made = await node.ok(202, 'POST', '/v1/webhooks/deliveries/discard', { key, body });
    assert.equal(made.total, 2);
  });

  test('of one event is about no others, and of an event that is none of the account refused', async () => {
    const [shop, other] = [await letters.shop(), await letters.shop()];
    const { key } = shop.tenant;
    const [mine, next] = await node.publish(
      publisher,
      [shop.tenant],
      [{ event: 'checkout.started' }, { event: 'checkout.failed' }],
    );
    const [theirs] = await node.publish(publisher, [other.tenant]);
    await node.work();
    const filter = { status: 'DELIVERED', eventId: mine };
    const body = { filter, dryRun: true };
    assert.equal((await node.ok(200, 'POST', '/v1/webhooks/deliveries/replay', { key, body })).count, 1);
    const made = await letters.begin(shop.tenant, { filter });
    assert.deepEqual(made.filter, filter);
    const ended = await letters.finish(shop.tenant, made.id);
    assert.deepEqual([ended.state, ended.done], ['COMPLETED', 1]);
    const { data } = await node.ok(200, 'GET', `/v1/webhooks/deliveries?eventId=${next}`, { key });
    assert.equal(data.length, 1, 'the other event was not replayed');
    const refused = await node.ok(400, 'POST', '/v1/webhooks/deliveries/replay', {
      key,
      body: { filter: { status: 'DELIVERED', eventId: theirs } },
    });
    assert.deepEqual(refused.error.details, [
      { path: 'body.filter.eventId', message: 'is not an event of this account' },
    ]);
  });

  test('makes one replay of each that fits, none of its own, at its rate', async () => {
    const one = await letters.shop();
    const { tenant, endpoint, receiver } = one;
    const ids = await letters.seed(one, { count: 25 });
    await letters.seed(one, { count: 3, errorClass: 'HTTP_5XX' });
    await letters.seed(one, { count: 3, age: 5_000_000 });
    const since = new Date(clock.now() - 100_000).toISOString();
    const filter = { status: 'DEAD', endpointId: endpoint.id, errorClass: 'TIMEOUT', since };
    const made = await letters.begin(tenant, { filter, ratePerSecond: 10 });
    assert.deepEqual(
      [made.kind, made.state, made.total, made.totalIsExact, made.done, made.filter],
      ['REPLAY', 'RUNNING', 25, true, 0, filter],
    );
    // What dies later is not of it, though it has the status, too.
    await letters.seed(one, { count: 2, age: -1000 });
    await letters.work();
    assert.equal((await letters.jobOf(tenant, made.id)).done, 10, 'as many as a second allows');
    clock.advance(999);
    await letters.work();
    assert.equal((await letters.jobOf(tenant, made.id)).done, 10);
    clock.advance(1);
    await letters.work();
    assert.equal((await letters.jobOf(tenant, made.id)).done, 20);
    const due = (await deliveriesOf(db, endpoint.id)).filter((d) => d.replay_of !== null && d.next_attempt_at !== null);
    const times = due.slice(10).map((d) => (d.next_attempt_at as Date).getTime() - clock.now());
    assert.deepEqual(
      times,
      Array.from({ length: 10 }, (_, i) => i * 100),
      'spread over the second',
    );
    const ended = await letters.finish(tenant, made.id);
    assert.deepEqual([ended.state, ended.done, ended.total, ended.skipped], ['COMPLETED', 25, 25, {}]);
    assert.deepEqual((await letters.replaysOf(endpoint.id)).toSorted(), ids.toSorted());
    clock.advance(1000);
    // A few at first: the endpoint shows how it bears them.
    await until('all were sent', async () => (await node.work(), receiver.received.length >= 25));
    assert.equal(receiver.received.length, 25);
    assert.ok(receiver.received.every((r) => r.headers['x-service-replay'] === 'true'));
    const [job] = (await node.ok(200, 'GET', '/v1/webhooks/replays', { key: tenant.key })).data;
    assert.deepEqual(job, ended);
    assert.deepEqual(namesOf(job), [endpoint.url, false]);
    await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${endpoint.id}`, { key: tenant.key });
    const after = await letters.jobOf(tenant, made.id);
    assert.deepEqual(namesOf(after), [endpoint.url, true], 'what it was about is told when it is deleted, too');
  });

  test('held ones are ended, what changed meanwhile or has no endpoint is left out, with the reason', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    const gone = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    const ids = await letters.seed(one, { status: 'HELD', count: 4 });
    await letters.seed({ tenant, endpoint: gone }, { status: 'HELD', count: 2 });
    const made = await letters.begin(tenant, { filter: { status: 'HELD' } });
    await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${gone.id}`, { key: tenant.key });
    await node.ok(200, 'POST', `/v1/webhooks/deliveries/${ids[1]}/discard`, {
      key: tenant.key,
      body: { reason: 'Not this one.' },
    });
    const ended = await letters.finish(tenant, made.id);
    assert.deepEqual([ended.state, ended.done, ended.skipped], ['COMPLETED', 3, { ENDPOINT_DELETED: 2 }]);
    assert.deepEqual([made.total, ended.total, ended.totalIsExact], [6, 3, true]);
    const statuses = (await deliveriesOf(db, endpoint.id))
      .filter((d) => d.replay_of === null)
      .map((d) => d.error_class);
    assert.deepEqual(statuses, ['REPLAYED', 'BY_REQUEST', 'REPLAYED', 'REPLAYED']);
  });

  test('what waits for its next attempt is sent at once in its place, but for what is under way', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    const ids = await letters.seed(one, { status: 'PENDING', count: 4 });
    const later = new Date(clock.now() + 3_600_000);
    await sql`update webhook_deliveries set next_attempt_at = ${later} where id = any(${ids}::uuid[])`.execute(db);
    await sql`update webhook_deliveries set lease_owner = 'x', lease_until = now() + interval '1 hour' where id = ${ids[2]}`.execute(
      db,
    );
    const ended = await letters.finish(tenant, (await letters.begin(tenant, { filter: { status: 'PENDING' } })).id);
    assert.deepEqual([ended.state, ended.done, ended.skipped], ['COMPLETED', 3, { UNDER_WAY: 1 }]);
    const all = await deliveriesOf(db, endpoint.id);
    const olds = all.filter((d) => d.replay_of === null).map((d) => [d.status, d.error_class]);
    const replayed = ['DISCARDED', 'REPLAYED'];
    assert.deepEqual(olds, [replayed, replayed, ['PENDING', 'TIMEOUT'], replayed]);
    const made = all.filter((d) => d.replay_of !== null);
    assert.ok(made.every((d) => d.attempts === 0 && (d.next_attempt_at as Date) < later));
    assert.deepEqual((await letters.replaysOf(endpoint.id)).toSorted(), ids.filter((id) => id !== ids[2]).toSorted());
    await sql`update webhook_deliveries set lease_owner = null, lease_until = null where id = ${ids[2]}`.execute(db);
  });

  test('a second one can leave out what the first has replayed', async () => {
    const { tenant, endpoint } = await letters.shop();
    await node.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
    await node.work();
    await sql`update webhook_deliveries set status = 'DEAD', attempts = 5, error_class = 'TIMEOUT' where endpoint_id = ${endpoint.id}`.execute(
      db,
    );
    const filter = { status: 'DEAD', event: 'offer.created' };
    await letters.finish(tenant, (await letters.begin(tenant, { filter })).id);
    const again = await letters.finish(
      tenant,
      (await letters.begin(tenant, { filter: { status: 'DEAD' }, skipReplayed: true })).id,
    );
    assert.deepEqual([again.done, again.skipped], [1, { REPLAYED: 1 }]);
    const third = await letters.finish(tenant, (await letters.begin(tenant, { filter: { status: 'DEAD' } })).id);
    assert.equal(third.done, 2, 'unless it is asked for: replays are not deduplicated');
  });

  test('that leaves out what was replayed makes one replay of an event, however many of its replays are dead letters', async () => {
    const { tenant, endpoint } = await letters.shop();
    const other = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    await node.publish(publisher, [tenant], [{ event: 'offer.created' }, { event: 'offer.accepted' }]);
    await node.work();
    const die = () =>
      sql`update webhook_deliveries set status = 'DEAD', attempts = 5, error_class = 'TIMEOUT', next_attempt_at = null
        where endpoint_id = any(${[endpoint.id, other.id]}::uuid[])`.execute(db);
    // The receivers are still down, each time, until the third.
    for (const ratePerSecond of [1, 50, 3]) {
      await die();
      const body = { filter: { status: 'DEAD' }, ratePerSecond, skipReplayed: true };
      assert.equal((await letters.finish(tenant, (await letters.begin(tenant, body)).id)).done, 4, `${ratePerSecond}`);
    }
    const last = (await deliveriesOf(db, endpoint.id)).findLast(({ webhook }) => webhook === 'offer.created');
    await die();
    await sql`update webhook_deliveries set status = 'DELIVERED' where id = ${last?.id}`.execute(db);
    const body = { filter: { status: 'DEAD', endpointId: endpoint.id }, skipReplayed: true };
    const path = '/v1/webhooks/deliveries/replay';
    const preview = await node.ok(200, 'POST', path, { key: tenant.key, body: { ...body, dryRun: true } });
    const endpoints = [{ endpointId: endpoint.id, count: 1 }];
    assert.deepEqual(preview, { count: 1, countIsExact: true, endpoints }, 'counted is what will be sent');
    const made = await letters.begin(tenant, body);
    assert.deepEqual([made.total, made.totalIsExact], [1, true]);
    const after = await letters.finish(tenant, made.id);
    assert.deepEqual([after.done, after.skipped], [1, { REPLAYED: 6 }], 'a replay of a replay has arrived');
    assert.deepEqual([after.total, after.totalIsExact], [1, true], 'as it was told to do');
  });

  test('counts what it goes over, without what it leaves out for a deleted endpoint; a discard counts that as well', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    const gone = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    await letters.seed(one, { count: 2 });
    await letters.seed({ tenant, endpoint: gone }, { count: 3 });
    await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${gone.id}`, { key: tenant.key });
    const groups = (await node.ok(200, 'GET', '/v1/webhooks/dead-letters', { key: tenant.key })).data;
    assert.deepEqual(
      groups.map(({ endpointId, ...group }: Told & { endpointId: string }) => [endpointId, ...namesOf(group)]),
      [
        [endpoint.id, endpoint.url, false],
        [gone.id, gone.url, true],
      ],
    );
    const listed = await node.ok(200, 'GET', `/v1/webhooks/deliveries?endpointId=${gone.id}`, { key: tenant.key });
    const shown = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${listed.data[0].id}`, { key: tenant.key });
    for (const told of [listed.data[0], shown]) assert.deepEqual(namesOf(told), [gone.url, true]);
    assert.equal(shown.url, null);
    const preview = (kind: string, body: object) =>
      node.ok(200, 'POST', `/v1/webhooks/deliveries/${kind}`, {
        key: tenant.key,
        body: { filter: { status: 'DEAD' }, dryRun: true, ...body },
      });
    const expected = { count: 2, countIsExact: true, endpoints: [{ endpointId: endpoint.id, count: 2 }] };
    for (const skipReplayed of [false, true]) assert.deepEqual(await preview('replay', { skipReplayed }), expected);
    assert.equal((await preview('discard', { reason: 'Too late.' })).count, 5);
    const made = await letters.begin(tenant, { filter: { status: 'DEAD' } });
    const ended = await letters.finish(tenant, made.id);
    assert.deepEqual([made.total, ended.total, ended.done, ended.skipped], [2, 2, 2, { ENDPOINT_DELETED: 3 }]);
  });

  test('counts nothing that is past its retention, which it leaves out, but what waited past it', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    const DAY = 86_400_000;
    const address = `/v1/admin/accounts/${tenant.id}/delivery-retention`;
    await node.ok(200, 'PUT', address, { key: publisher.key, body: { days: 7 } });
    await sql`update webhook_endpoints set created_at = now() - interval '60 days' where id = ${endpoint.id}`.execute(
      db,
    );
    for (const status of ['DELIVERED', 'DISCARDED']) {
      await letters.seed(one, { status, count: 2 });
      await letters.seed(one, { status, count: 3, age: 30 * DAY });
      const [late] = await letters.seed(one, { status, age: 20 * DAY });
      await sql`update webhook_deliveries set updated_at = now() where id = ${late}`.execute(db);
      const filter = { status, endpointId: endpoint.id };
      const endpoints = [{ endpointId: endpoint.id, count: 3 }];
      // Also who asks for all accounts, from a time on that others still keep.
      for (const key of [tenant.key, publisher.key]) {
        for (const since of [{}, { since: new Date(Date.now() - 40 * DAY).toISOString() }]) {
          const body = { filter: { ...filter, ...since }, dryRun: true };
          const preview = await node.ok(200, 'POST', '/v1/webhooks/deliveries/replay', { key, body });
          assert.deepEqual(preview, { count: 3, countIsExact: true, endpoints }, status);
        }
      }
      const made = await letters.begin(tenant, { filter });
      assert.deepEqual([made.total, made.totalIsExact], [3, true]);
      const ended = await letters.finish(tenant, made.id);
      assert.deepEqual([ended.done, ended.total, ended.skipped], [3, 3, { EXPIRED: 3 }]);
      await sql`delete from webhook_deliveries where endpoint_id = ${endpoint.id}`.execute(db);
    }
  });

  test('is of one trade', async () => {
    const { tenant, endpoint } = await letters.shop();
    const data = { tradeSessionId: 'ts-of-the-job' };
    await node.publish(publisher, [tenant], [{ event: 'checkout.started', data }, { event: 'checkout.started' }]);
    await node.work();
    const filter = { status: 'DELIVERED', tradeSessionId: 'ts-of-the-job' };
    const made = await letters.begin(tenant, { filter, ratePerSecond: 1 });
    assert.equal(made.total, 1);
    assert.equal((await letters.finish(tenant, made.id)).done, 1);
    assert.equal((await letters.replaysOf(endpoint.id)).length, 1);
    const body = { filter, skipReplayed: true, dryRun: true };
    const preview = await node.ok(200, 'POST', '/v1/webhooks/deliveries/replay', { key: tenant.key, body });
    assert.deepEqual(preview, { count: 0, countIsExact: true, endpoints: [] }, 'it was replayed');
  });

  test('is cancelled between two portions, and seen by nobody else', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    await letters.seed(one, { count: 3 });
    const made = await letters.begin(tenant, { filter: { status: 'DEAD' }, ratePerSecond: 1 });
    await letters.work();
    const path = `/v1/webhooks/replays/${made.id}`;
    const stranger = await node.tenant();
    assert.equal((await node.call('GET', path, { key: stranger.key })).status, 404);
    assert.equal((await node.call('POST', `${path}/cancel`, { key: stranger.key })).status, 404);
    const ended = await node.ok(200, 'POST', `${path}/cancel`, { key: tenant.key });
    assert.deepEqual([ended.state, ended.done], ['CANCELLED', 1]);
    assert.equal((await node.ok(200, 'POST', `${path}/cancel`, { key: tenant.key })).state, 'CANCELLED');
    clock.advance(60_000);
    await letters.work();
    assert.equal((await letters.replaysOf(endpoint.id)).length, 1);
  });

  test('of all accounts, by an operator; a member of several has to say which', async () => {
    const [a, b] = [await letters.shop(), await letters.shop()];
    await letters.seed(a, { errorClass: 'UNREADABLE_HEADERS' });
    await letters.seed(b, { errorClass: 'UNREADABLE_HEADERS' });
    const made = await letters.begin(publisher, { filter: { status: 'DEAD', errorClass: 'UNREADABLE_HEADERS' } });
    assert.deepEqual([made.accountId, made.total], [null, 2]);
    assert.equal((await letters.finish(publisher, made.id)).done, 2);
    assert.equal((await node.call('GET', `/v1/webhooks/replays/${made.id}`, { key: a.tenant.key })).status, 404);
    for (const what of ['replay', 'discard']) {
      const typo = {
        filter: { status: 'DEAD', errorClass: 'HTTP_404' },
        ...(what === 'discard' && { reason: 'None.' }),
      };
      const told = await node.call('POST', `/v1/webhooks/deliveries/${what}`, { key: a.tenant.key, body: typo });
      assert.deepEqual([told.status, told.body.error.details[0].path], [400, 'body.filter.errorClass']);
    }
    const foreign = { key: a.tenant.key, body: { filter: { status: 'DEAD' } } };
    const path = `/v1/webhooks/deliveries/replay?accountId=${b.tenant.id}`;
    assert.equal((await node.call('POST', path, foreign)).status, 404);
  });

  test('a clock that is set back neither stops it nor makes its replays part of it', async () => {
    const one = await letters.shop();
    const { tenant, endpoint } = one;
    const ids = await letters.seed(one, { count: 6, age: 86_400_000 });
    const made = await letters.begin(tenant, { filter: { status: 'DEAD' }, ratePerSecond: 2 });
    await letters.work();
    clock.advance(-3_600_000);
    const ended = await letters.finish(tenant, made.id);
    clock.advance(3_600_000);
    assert.equal(ended.done, 6);
    assert.deepEqual((await letters.replaysOf(endpoint.id)).toSorted(), ids.toSorted());
    const made2 = (await deliveriesOf(db, endpoint.id)).filter((d) => d.replay_of !== null);
    assert.ok(made2.every((d) => d.id > made.id));
  });

  test('a portion that takes too long for the database at every try stops no other job', async () => {
    const [slow, good] = [await letters.shop(), await letters.shop()];
    await letters.seed(slow, { webhook: 'slow' });
    await letters.seed(good);
    // What the server says when it ends a statement at `statement_timeout`.
    await sql`create function too_slow() returns trigger language plpgsql as $$
      begin raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled'; end $$`.execute(
      db,
    );
    await sql`create trigger too_slow before insert on webhook_deliveries for each row when (new.webhook = 'slow')
      execute function too_slow()`.execute(db);
    const stuck = await letters.begin(slow.tenant, { filter: { status: 'DEAD' } });
    const fine = await letters.begin(good.tenant, { filter: { status: 'DEAD' } });
    assert.equal((await letters.finish(good.tenant, fine.id)).state, 'COMPLETED');
    assert.match((await letters.jobOf(slow.tenant, stuck.id)).error, /failed/);
    await sql`drop trigger too_slow on webhook_deliveries`.execute(db);
    clock.advance(300_000);
    assert.equal((await letters.finish(slow.tenant, stuck.id)).state, 'COMPLETED');
  });

  test('a portion that fails is tried again, then given up, and stops no other job', async () => {
    const [bad, good] = [await letters.shop(), await letters.shop()];
    await letters.seed(bad, { webhook: 'broken' });
    await letters.seed(good);
    await sql`alter table webhook_deliveries add constraint no_replay check (replay_of is null or webhook <> 'broken')`.execute(
      db,
    );
    const broken = await letters.begin(bad.tenant, { filter: { status: 'DEAD' } });
    const fine = await letters.begin(good.tenant, { filter: { status: 'DEAD' } });
    assert.equal((await letters.finish(good.tenant, fine.id)).state, 'COMPLETED');
    const failing = await letters.jobOf(bad.tenant, broken.id);
    assert.equal(failing.state, 'RUNNING');
    assert.match(failing.error, /failed/);
    assert.doesNotMatch(failing.error, /constraint/, 'nothing of the inside');
    for (let i = 0; i < 10; i++) {
      clock.advance(300_000);
      await letters.work();
    }
    assert.equal((await letters.jobOf(bad.tenant, broken.id)).state, 'FAILED');
    await sql`alter table webhook_deliveries drop constraint no_replay`.execute(db);
  });
});

test('a job that discards: with the reason, in portions, but for what is under way', async () => {
  const mine = await letters.shop();
  const { tenant, endpoint } = mine;
  const ids = await letters.seed(mine, { status: 'PENDING', count: 1203 });
  await sql`update webhook_deliveries set lease_owner = 'x', lease_until = now() + interval '1 hour' where id = ${ids[700]}`.execute(
    db,
  );
  const body = { filter: { status: 'PENDING' }, reason: 'All of that day.' };
  const made = await letters.begin(tenant, body, 'discard');
  assert.deepEqual(
    [made.kind, made.total, made.reason, made.ratePerSecond],
    ['DISCARD', 1203, 'All of that day.', null],
  );
  const ended = await letters.finish(tenant, made.id);
  assert.deepEqual([ended.state, ended.done, ended.skipped], ['COMPLETED', 1202, { UNDER_WAY: 1 }]);
  const one = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${ids[0]}`, { key: tenant.key });
  assert.deepEqual([one.status, one.errorClass, one.discardReason], ['DISCARDED', 'BY_REQUEST', 'All of that day.']);
  const left = (await deliveriesOf(db, endpoint.id)).filter((d) => d.status !== 'DISCARDED');
  assert.deepEqual(
    left.map((d) => [d.id, d.status]),
    [[ids[700], 'PENDING']],
  );
});

test('of an account that does not exist there is no job, nor a count', async () => {
  const path = (what: string) => `/v1/webhooks/deliveries/${what}?accountId=${uuidv7(0)}`;
  const filter = { status: 'DEAD' };
  for (const [what, body] of [
    ['replay', { filter }],
    ['replay', { filter, dryRun: true }],
    ['discard', { filter, reason: 'r' }],
  ] as const) {
    const { status, body: said } = await node.call('POST', path(what), { key: publisher.key, body });
    assert.deepEqual([status, said.error.code], [404, 'NOT_FOUND']);
  }
});

test('of what a publisher calls one trade to which it gives all that it sends there is no job', async () => {
  const { tenant } = await letters.shop();
  await sql`insert into events (position, id, event, data, account_ids, trade_session_id, occurred_at, recorded_at, request_id)
    select nextval('event_positions'), gen_random_uuid(), 'checkout.started', '{}', '{}', 'of all', now(), now(), ''
    from generate_series(1, 10000)`.execute(db);
  const body = { filter: { status: 'DEAD', tradeSessionId: 'of all' } };
  for (const [path, more] of [
    ['replay', {}],
    ['replay', { dryRun: true }],
    ['discard', { reason: 'r' }],
  ] as const) {
    const said = await node.call('POST', `/v1/webhooks/deliveries/${path}`, {
      key: tenant.key,
      body: { ...body, ...more },
    });
    assert.equal(said.status, 400);
    assert.match(said.body.error.message, /^body\.filter\.tradeSessionId: has 10000 events or more: choose by since/);
  }
});

test('a job waits while deliveries are out of sight, which are moved out of a part past its retention', async () => {
  const one = await letters.shop();
  await letters.seed(one, { count: 7 });
  const made = await letters.begin(one.tenant, { filter: { status: 'DEAD', endpointId: one.endpoint.id } });
  await node.work();
  const keeper = await keeperOfThePast(db, clock);
  const seen = async (): Promise<number> => (await deliveriesOf(db, one.endpoint.id)).length;
  while ((await seen()) === 7) assert.equal(await keeper.step(), true);
  assert.ok((await seen()) < 7);
  for (let i = 0; i < 3; i++) {
    await letters.work();
    clock.advance(1000);
  }
  const waiting = await letters.jobOf(one.tenant, made.id);
  assert.deepEqual([waiting.state, waiting.done], ['RUNNING', 0]);
  const filter = { status: 'DEAD', endpointId: one.endpoint.id };
  const preview = async (): Promise<unknown[]> => {
    const { count, countIsExact } = await node.ok(200, 'POST', '/v1/webhooks/deliveries/replay', {
      key: one.tenant.key,
      body: { filter, dryRun: true },
    });
    return [count, countIsExact];
  };
  assert.deepEqual(await preview(), [await seen(), false]);
  while (await keeper.step());
  assert.equal(await seen(), 7);
  assert.deepEqual(await preview(), [7, true]);
  const ended = await letters.finish(one.tenant, made.id);
  assert.deepEqual([ended.state, ended.done], ['COMPLETED', 7]);
});
