import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { EVENTS } from '../src/contracts/events/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { createPublish } from '../src/modules/events/index.ts';
import { discardPulled, savePulled } from '../src/modules/webhooks/feed/store.ts';
import { inTransaction, type Trx } from '../src/platform/db/index.ts';
import { onlyPostgres, withDatabase } from './helpers/database.ts';
import { deliveriesOf, startNode, type Tenant, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const node = await startNode({ database: await withDatabase(), settings: { WEBHOOK_MAX_ENDPOINTS: '100' } });
const { db } = node;
const publisher = await node.tenant('PLATFORM');
const { feed } = node.service.modules.webhooks;
// oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
type Body = any;

const feedOf = (tenant: Tenant, id: string, query = '', kind = 'endpoints'): Promise<Body> =>
  node.ok(200, 'GET', `/v1/webhooks/${kind}/${id}/feed?${query}`, { key: tenant.key });

/** Reads page by page until there is no more; what was read, and where to go on. */
async function readAll(tenant: Tenant, id: string, from = '', limit = 3): Promise<{ items: Body[]; cursor: string }> {
  const items: Body[] = [];
  let cursor = from;
  for (let more = true; more; ) {
    const page = await feedOf(tenant, id, `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.ok(page.data.length <= limit);
    items.push(...page.data);
    cursor = page.nextCursor;
    more = page.hasMore;
  }
  return { items, cursor };
}

const ack = (tenant: Tenant, id: string, cursor: string): Promise<Body> =>
  node.ok(200, 'POST', `/v1/webhooks/endpoints/${id}/feed/ack`, { key: tenant.key, body: { cursor } });

async function shop(more: Record<string, unknown> = {}) {
  const [tenant, receiver] = [await node.tenant(), await startReceiver()];
  return { tenant, receiver, endpoint: await node.endpoint(tenant, receiver.url(), more) };
}

const publishMany = (tenant: Tenant, count: number, from = 0): Promise<string[]> =>
  node.publish(
    publisher,
    [tenant],
    Array.from({ length: count }, (_, i) => ({
      event: 'checkout.started' as const,
      data: { tradeSessionId: `ts-${from + i}` },
    })),
  );
const keyOf = (headers: Record<string, string | undefined>, body: string): string => `${headers['webhook-id']} ${body}`;

describe('what is read', () => {
  test('is what a push receiver of the same account got: bodies, ids, and signatures that the same code verifies', async () => {
    const { tenant, endpoint, receiver } = await shop();
    await node.publish(
      publisher,
      [tenant],
      [
        { event: 'offer.created' },
        { event: 'checkout.completed', data: { counterpartyCompleted: false } },
        { event: 'trade.cancelled', data: { reason: 'UNRECIPROCATED' } },
        { event: 'offer.expired' },
        { event: 'checkout.started' },
      ],
    );
    await node.publish(publisher, [await node.tenant()], [{ event: 'offer.created' }]);
    await node.work();
    for (const limit of [1, 2, 3, 100]) {
      const { items } = await readAll(tenant, endpoint.id, '', limit);
      assert.deepEqual(
        items.map((item) => item.event),
        [
          'offer.created',
          'checkout.completed',
          'trade.counterparty_hold_started',
          'trade.cancelled',
          'trade.closed_unreciprocated',
          'checkout.started',
        ],
      );
      const pushed = receiver.received.map(({ headers, body }) => keyOf(headers, body));
      assert.deepEqual(items.map(({ headers, body }) => keyOf(headers, body)).toSorted(), pushed.toSorted());
    }
    const stripe = new Stripe('sk_unused');
    const { data } = await feedOf(tenant, endpoint.id);
    for (const { headers, body, eventId } of data) {
      assert.deepEqual(new Webhook(tenant.secret).verify(body, headers), JSON.parse(body));
      assert.deepEqual(
        stripe.webhooks.constructEvent(body, headers['x-service-signature'], tenant.secret),
        JSON.parse(body),
      );
      assert.equal(headers['x-service-event-id'], eventId);
      assert.equal(headers['x-service-delivery-id'], undefined);
    }
    const [first] = receiver.received;
    const sent = Object.keys(first?.headers ?? {}).filter((name) =>
      /^(x-service-|webhook-|user-agent|content-type)/.test(name),
    );
    const ofDelivery = ['x-service-attempt', 'x-service-delivery-id'];
    assert.deepEqual(
      Object.keys(data[0].headers).toSorted(),
      sent.filter((name) => !ofDelivery.includes(name)).toSorted(),
    );
  });

  test('is by the subscription, from the creation on or from now on, also paused and disabled, and of businesses', async () => {
    const { tenant, endpoint } = await shop({ events: ['trade.counterparty_hold_started'] });
    await publishMany(tenant, 3);
    await node.publish(
      publisher,
      [tenant],
      [
        { event: 'checkout.completed', data: { counterpartyCompleted: true } },
        { event: 'checkout.completed', data: { counterpartyCompleted: false } },
      ],
    );
    const late = await node.endpoint(tenant, 'http://127.0.0.1:9/');
    assert.deepEqual((await readAll(tenant, late.id)).items, [], 'nothing of before its creation');
    const fromNow = await feedOf(tenant, endpoint.id, 'from=now');
    assert.deepEqual([fromNow.data, fromNow.hasMore], [[], false]);
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/pause`, { key: tenant.key });
    assert.deepEqual(
      (await readAll(tenant, endpoint.id)).items.map((item) => item.event),
      ['trade.counterparty_hold_started'],
    );
    await sql`update webhook_endpoints set status = 'DISABLED' where id = ${endpoint.id}`.execute(db);
    await node.publish(publisher, [tenant], [{ event: 'checkout.completed', data: { counterpartyCompleted: false } }]);
    assert.equal((await readAll(tenant, endpoint.id)).items.length, 2);
    assert.equal((await feedOf(tenant, endpoint.id, `cursor=${fromNow.nextCursor}`)).data.length, 1);
    assert.equal((await readAll(tenant, late.id)).items.length, 2);

    const business = await node.tenant('BUSINESS');
    const subscription = await node.endpoint(business, 'http://127.0.0.1:9/', {}, 'business-subscriptions');
    await node.publish(publisher, [business, tenant], [{ event: 'space_booking.created' }, { event: 'offer.created' }]);
    const page = await feedOf(business, subscription.id, '', 'business-subscriptions');
    assert.deepEqual(
      page.data.map((item: Body) => item.event),
      ['space_booking.created'],
    );
    assert.equal(
      (await node.call('GET', `/v1/webhooks/endpoints/${subscription.id}/feed`, { key: business.key })).status,
      404,
    );
  });

  test('goes on behind any cursor; one of somebody else is as bad as one that is none', async () => {
    const { tenant, endpoint } = await shop();
    const ids = await publishMany(tenant, 5);
    const { items, cursor } = await readAll(tenant, endpoint.id);
    assert.deepEqual(
      items.map((item) => item.eventId),
      ids,
    );
    for (const [i, item] of items.entries()) {
      const { data } = await feedOf(tenant, endpoint.id, `cursor=${item.cursor}`);
      assert.deepEqual(
        data.map((d: Body) => d.eventId),
        ids.slice(i + 1),
      );
    }
    const stranger = await shop();
    assert.deepEqual((await feedOf(stranger.tenant, stranger.endpoint.id)).data, []);
    const path = `/v1/webhooks/endpoints/${stranger.endpoint.id}/feed`;
    const said = [];
    for (const wrong of [cursor, 'x', Buffer.from('a b').toString('base64url')]) {
      const { status, body } = await node.call('GET', `${path}?cursor=${wrong}`, { key: stranger.tenant.key });
      said.push([status, body.error.message]);
    }
    assert.deepEqual(said, Array(3).fill(said[0]));
    assert.equal(said[0]?.[0], 400);
    assert.equal(
      (await node.call('GET', `${path}?cursor=${cursor}&from=now`, { key: stranger.tenant.key })).status,
      400,
    );
    const foreign = `/v1/webhooks/endpoints/${endpoint.id}/feed`;
    assert.equal((await node.call('GET', foreign, { key: stranger.tenant.key })).status, 404);
  });

  test('much that it does not take is passed over page by page', async () => {
    const { tenant, endpoint } = await shop({ events: ['seller.linked'] });
    await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
      select nextval('event_positions'), gen_random_uuid(), 'offer.created', ${JSON.stringify(EVENTS['offer.created'].example)}::json,
        array[${tenant.id}::uuid], now(), now(), 'r' from generate_series(1, 6000)`.execute(db);
    await node.publish(publisher, [tenant], [{ event: 'seller.linked' }]);
    const first = await feedOf(tenant, endpoint.id);
    assert.deepEqual([first.data, first.hasMore], [[], true]);
    const { items } = await readAll(tenant, endpoint.id, first.nextCursor);
    assert.deepEqual(
      items.map((item) => item.event),
      ['seller.linked'],
    );
  });

  test('is never skipped or repeated, whatever commits late', onlyPostgres, async () => {
    const { tenant, endpoint } = await shop();
    const publish = createPublish(() => undefined);
    const seen: Body[] = [];
    let cursor = '';
    const readMore = async (): Promise<void> => {
      const read = await readAll(tenant, endpoint.id, cursor, 7);
      seen.push(...read.items);
      cursor = read.cursor;
    };
    const open = [];
    const data = EVENTS['checkout.started'].example;
    for (let round = 0; round < 30; round++) {
      // A transaction that has its place in the log and commits some rounds later, or never.
      const gate = Promise.withResolvers<void>();
      const drawn = Promise.withResolvers<void>();
      const done = db
        .transaction()
        .execute(async (trx: Trx) => {
          await publish(
            trx,
            'checkout.started',
            { ...data, tradeSessionId: `late-${round}` },
            { accountIds: [tenant.id] },
            node.env,
          );
          drawn.resolve();
          await gate.promise;
          if (round % 5 === 4) throw new Error('rolled back');
        })
        .catch((error: Error) => assert.equal(error.message, 'rolled back'));
      await drawn.promise;
      open.push({ gate, done });
      await publishMany(tenant, 3, round * 3);
      await readMore();
      if (open.length > 3) {
        const [first] = open.splice(round % 2 === 0 ? 0 : 2, 1);
        first?.gate.resolve();
        await first?.done;
        await readMore();
      }
    }
    for (const { gate, done } of open) {
      gate.resolve();
      await done;
    }
    await readMore();
    const { rows } = await sql<{ id: string }>`
      select id from events where ${tenant.id}::uuid = any(account_ids) order by position`.execute(db);
    assert.equal(rows.length, 90 + 24);
    assert.deepEqual(
      seen.map((item) => item.eventId),
      rows.map((row) => row.id),
    );
    await node.work();
    await until('all were pushed, too', async () => (await deliveriesOf(db, endpoint.id)).length === rows.length);
  });
});

describe('waiting', () => {
  test('ends with the first event, and else with its time', async () => {
    const { tenant, endpoint } = await shop();
    const { nextCursor } = await feedOf(tenant, endpoint.id);
    const waiting = feedOf(tenant, endpoint.id, `cursor=${nextCursor}&wait=30`);
    await until('it waits', () => feed.seats.taken === 1);
    const began = monotonicNow();
    await publishMany(await node.tenant(), 1);
    const [id] = await publishMany(tenant, 1);
    const { data } = await waiting;
    assert.deepEqual(
      data.map((item: Body) => item.eventId),
      [id],
    );
    assert.ok(monotonicNow() - began < 10_000);
    assert.equal(feed.seats.taken, 0);
    const nothing = await feedOf(tenant, endpoint.id, `cursor=${data[0].cursor}&wait=1`);
    assert.deepEqual(nothing.data, []);
  });

  test('is for so many of an account at once', async () => {
    const { tenant, endpoint } = await shop();
    const path = `/v1/webhooks/endpoints/${endpoint.id}/feed?wait=30`;
    const waiting = Array.from({ length: 20 }, () => node.call('GET', path, { key: tenant.key }));
    await until('all wait', () => feed.seats.taken === 20);
    const { status, body, headers } = await node.call('GET', path, { key: tenant.key });
    assert.deepEqual([status, body.error.code, headers.get('retry-after')], [503, 'UNAVAILABLE', '2']);
    await publishMany(tenant, 1);
    const replies = await Promise.all(waiting);
    assert.ok(replies.every((reply) => reply.status === 200 && reply.body.data.length === 1));
    assert.equal(feed.seats.taken, 0);
  });

  test('ends when the caller hangs up, so that its place is free for the next', async () => {
    const { tenant, endpoint } = await shop();
    const path = `/v1/webhooks/endpoints/${endpoint.id}/feed?wait=30`;
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${tenant.key}` };
    const waiting = fetch(`${node.service.url}${path}`, { headers, signal: gone.signal });
    await until('it waits', () => feed.seats.taken === 1);
    const began = monotonicNow();
    gone.abort();
    await assert.rejects(waiting, { name: 'AbortError' });
    await until('it is free', () => feed.seats.taken === 0);
    assert.ok(monotonicNow() - began < 10_000);
  });

  test('ends when the service stops', async () => {
    const { tenant, endpoint } = await shop();
    const leaving = await startNode({ database: node.service.opened.platform.database });
    const { seats } = leaving.service.modules.webhooks.feed;
    const path = `/v1/webhooks/endpoints/${endpoint.id}/feed?wait=30`;
    const waiting = leaving.call('GET', path, { key: tenant.key });
    await until('it waits', () => seats.taken === 1);
    const began = monotonicNow();
    const stopped = leaving.service.stop();
    assert.deepEqual((await waiting).body.data, []);
    await stopped;
    assert.ok(monotonicNow() - began < 10_000);
  });
});

describe('what was acknowledged', () => {
  test('is not sent after a resume, what came later is', async () => {
    const { tenant, endpoint, receiver } = await shop();
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/pause`, { key: tenant.key });
    const ids = await publishMany(tenant, 4);
    await node.work();
    const { items } = await readAll(tenant, endpoint.id);
    assert.deepEqual(await ack(tenant, endpoint.id, items[1]?.cursor ?? ''), { discarded: 2, hasMore: false });
    assert.deepEqual(await ack(tenant, endpoint.id, items[0]?.cursor ?? ''), { discarded: 0, hasMore: false });
    assert.deepEqual(
      (await deliveriesOf(db, endpoint.id)).map((d) => `${d.status} ${d.error_class}`),
      ['DISCARDED PULLED', 'DISCARDED PULLED', 'HELD null', 'HELD null'],
    );
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/resume`, { key: tenant.key });
    await node.work();
    await until('the others came', () => receiver.received.length === 2);
    const sent = receiver.received.map((r) => r.headers['x-service-event-id'] ?? '');
    assert.deepEqual(sent.toSorted(), ids.slice(2).toSorted());
    const routing = await node.ok(200, 'GET', `/v1/events/${ids[0]}/routing`, { key: tenant.key });
    assert.match(routing.data[0].verdicts[0].message, /read from the feed/);
  });

  /** A paused shop that got these, and takes `checkout.started` alone since; with the ids of the events. */
  async function narrowed(names: readonly ('offer.created' | 'checkout.started')[]) {
    const one = await shop();
    const { tenant, endpoint } = one;
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/pause`, { key: tenant.key });
    const ids = await node.publish(
      publisher,
      [tenant],
      names.map((event) => ({ event })),
    );
    await node.work();
    const body = { events: ['checkout.started'] };
    await node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${endpoint.id}`, { key: tenant.key, body });
    return { ...one, ids };
  }

  test('is what the feed had: held webhooks that the endpoint has not subscribed to any more are sent', async () => {
    const { tenant, endpoint, receiver, ids } = await narrowed(['offer.created', 'checkout.started']);
    const { cursor, items } = await readAll(tenant, endpoint.id);
    assert.deepEqual(
      items.map(({ event }) => event),
      ['checkout.started'],
    );
    assert.deepEqual(await ack(tenant, endpoint.id, cursor), { discarded: 1, hasMore: false });
    while (await feed.loop.step(true));
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/resume`, { key: tenant.key });
    await node.work();
    assert.deepEqual(
      receiver.received.map((r) => r.headers['x-service-event-id']),
      ids.slice(0, 1),
    );
  });

  test('is found also behind what stays held', async () => {
    const { endpoint } = await narrowed(['offer.created', 'offer.created', 'offer.created', 'checkout.started']);
    const { rows } = await sql<{ last: number }>`select max(position) as last from events`.execute(db);
    await inTransaction(db, (trx) => savePulled(trx, endpoint.id, rows[0]?.last ?? 0));
    const one = { endpointId: endpoint.id, limit: 1, now: new Date(node.clock.now()) };
    assert.deepEqual([await discardPulled(db, one), await discardPulled(db, one)], [1, 0]);
  });

  test('is discarded also where it is held only later, or is much; nothing of it is sent in between', async () => {
    const { tenant, endpoint, receiver } = await shop();
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/pause`, { key: tenant.key });
    const ids = await publishMany(tenant, 20);
    // Read ahead of the fan-out.
    const { cursor, items } = await readAll(tenant, endpoint.id, '', 100);
    assert.deepEqual(
      items.map((item) => item.eventId),
      ids,
    );
    assert.deepEqual(await ack(tenant, endpoint.id, cursor), { discarded: 0, hasMore: false });
    await node.fanOut();
    await node.quiet();
    assert.equal((await deliveriesOf(db, endpoint.id)).filter((d) => d.status === 'HELD').length, 20);
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/resume`, { key: tenant.key });
    await node.work();
    assert.equal(receiver.received.length, 0);
    while (await feed.loop.step(true));
    assert.deepEqual(
      new Set((await deliveriesOf(db, endpoint.id)).map((d) => `${d.status} ${d.error_class}`)),
      new Set(['DISCARDED PULLED']),
    );
    await publishMany(tenant, 1, 20);
    await node.work();
    await until('what is new is sent', () => receiver.received.length === 1);
  });
});
