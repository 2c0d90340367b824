import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import { withDatabase } from './helpers/database.ts';
import { startNode, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';
import { arrived, type Merchant, sortedNames, Trading } from './helpers/trading.ts';

const HOUR = 3_600_000;

/** What each merchant has got of one trade. */
const gotOf = (merchant: Merchant, id: string): string[] =>
  arrived(merchant)
    .filter((body) => body.tradeSessionId === id)
    .map((body) => body.event)
    .toSorted();

const words = (list: string): string[] => list.trim().split(/\s+/).toSorted();

/** Nothing that came to a merchant names a side's fault, or is of the other merchant alone. */
function assertNoBlame(merchant: Merchant, other: Merchant): void {
  for (const body of arrived(merchant)) {
    if (body.event === 'checkout.failed' || body.event === 'trade.cancelled') {
      assert.deepEqual(Object.keys(body).toSorted(), ['event', 'reason', 'timestamp', 'tradeSessionId']);
    }
    if (body.merchantAccountId !== undefined) assert.notEqual(body.merchantAccountId, other.id, body.event);
  }
}

describe('a trade through HTTP alone', async () => {
  const node = await startNode({ database: await withDatabase(), loops: true });
  let t: Trading;
  before(async () => {
    t = await Trading.open(node);
  });

  const show = async (ctx: TestContext, id: string): Promise<string[]> => {
    await t.settle();
    const lines = await t.timeline(id);
    ctx.diagnostic(`trade ${id}\n  ${lines.join('\n  ')}`);
    assertNoBlame(t.left, t.right);
    assertNoBlame(t.right, t.left);
    return lines;
  };

  test('from the offer to its completion', async (ctx) => {
    const id = await t.open();
    await t.accept(id);
    await t.report(t.left, 'item.reserved', id, 'INITIATOR');
    await t.report(t.right, 'item.reserved', id, 'COUNTERPARTY');
    // Too early: refused, recorded, and taken when it comes again.
    await t.refused('INVALID_STATE', t.left, 'fulfillment.started', id, 'INITIATOR');
    await t.report(t.left, 'payment.completed', id, 'INITIATOR', { amount: 29.9, currency: 'EUR' });
    const held = await t.show(id);
    assert.equal(held.status, 'HOLD');
    assert.equal(Date.parse(held.expiresAt) - node.clock.now(), 24 * HOUR);
    await t.report(t.right, 'payment.completed', id, 'COUNTERPARTY');
    await t.report(t.left, 'item.sold', id, 'INITIATOR');
    await t.report(t.right, 'item.sold', id, 'COUNTERPARTY', { items: [{ listingId: 'lst_chair', quantity: 3 }] });
    const shipment = { carrier: 'DHL', trackingNumber: '0034', estimatedDeliveryAt: '2026-03-05T12:00:00.000Z' };
    await t.report(t.left, 'fulfillment.started', id, 'INITIATOR', shipment);
    await t.report(t.left, 'fulfilled', id, 'INITIATOR');
    assert.equal((await t.show(id)).status, 'FULFILLMENT');
    await t.report(t.right, 'fulfillment.completed', id, 'COUNTERPARTY');
    await t.report(t.right, 'returned', id, 'COUNTERPARTY');

    const lines = await show(ctx, id);
    const done = await t.show(id);
    assert.equal(done.status, 'COMPLETED');
    assert.deepEqual(done.initiator.checkout.status, 'COMPLETED');
    assert.equal(done.initiator.fulfillment.trackingNumber, '0034');
    assert.notEqual(done.counterparty.fulfillment.returnedAt, null);
    assert.deepEqual(
      done.reservations.map((one: { status: string }) => one.status),
      ['SOLD', 'SOLD'],
    );
    const both = `trade.created trade.accepted checkout.started reservation.created checkout.completed
      fulfillment.completed trade.completed`;
    assert.deepEqual(gotOf(t.left, id), words(`${both} trade.counterparty_hold_started fulfillment.started`));
    assert.deepEqual(gotOf(t.right, id), words(both));
    assert.deepEqual(
      sortedNames(t.left).filter((name) => name.startsWith('offer.')),
      ['offer.accepted', 'offer.created'],
    );
    const listings = [...arrived(t.left), ...arrived(t.right)].filter((body) => body.event === 'listing.updated');
    assert.deepEqual(
      listings
        .map(({ listingId, status, quantity }) => [listingId, status, quantity])
        .toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
      [
        ['lst_chair', 'AVAILABLE', 3],
        ['lst_lamp', 'SOLD', undefined],
      ],
    );
    const started = arrived(t.left).find((body) => body.event === 'checkout.started');
    assert.deepEqual(Object.keys(started as object), [
      'event',
      'tradeSessionId',
      'side',
      'originalPrice',
      'tradeAmount',
      'currency',
      'timestamp',
    ]);
    assert.ok(lines.some((line) => line.startsWith('REPUTATION') && line.includes('usr_ines 10')));
    assert.ok(
      lines.some((line) => line.startsWith('NOTIFICATION') && line.includes('usr_tomas Your trade is completed.')),
    );
    assert.ok(lines.some((line) => line.includes('fulfillment.started INITIATOR by left REFUSED')));
  });

  test('each event of the trade names the one that it follows from', async () => {
    const id = await t.open();
    await t.accept(id);
    await t.settle();
    const { timeline } = await t.show(id);
    const of = (name: string) =>
      timeline.filter((e: { event: string; kind: string }) => e.kind === 'EVENT' && e.event === name);
    assert.equal(of('trade.created')[0].causedBy, of('offer.accepted')[0].eventId);
    assert.equal(of('checkout.started').length, 2);
    for (const one of [...of('checkout.started'), ...of('reservation.created')]) {
      assert.equal(one.causedBy, of('trade.accepted')[0].eventId);
    }
  });

  test('a reservation outlasts its first time once a side has paid, and its holder can ask for that', async () => {
    const id = await t.open();
    await t.accept(id);
    await t.report(t.left, 'payment.completed', id, 'INITIATOR');
    node.clock.advance(HOUR);
    await t.settle();
    const [created, ...more] = arrived(t.right).filter(
      (body) => body.tradeSessionId === id && body.event.startsWith('reservation.'),
    );
    assert.deepEqual([created?.event, more], ['reservation.created', []]);
    assert.ok(Date.parse(created?.expiresAt as string) < node.clock.now());
    const asked = await t.show(id, t.right.key);
    assert.deepEqual(
      asked.reservations.map((one: { status: string }) => one.status),
      ['RESERVED'],
    );
    assert.ok(Date.parse(asked.expiresAt) > node.clock.now());
    await node.ok(200, 'POST', `/v1/trades/${id}/cancel`, { key: t.platform.key });
  });

  test('what the marketplace publishes in capitals is of the same trade, and stands in its timeline', async () => {
    const [offerId, left, right] = [node.env.newId(), node.env.newId(), node.env.newId()];
    const terms = { offerId, ...t.terms({ initiator: left, counterparty: right }) };
    const id = await t.open(terms);
    const capital = {
      tradeSessionId: id.toUpperCase(),
      offerId: offerId.toUpperCase(),
      ...t.terms({ initiator: left.toUpperCase(), counterparty: right.toUpperCase() }),
    };
    await t.publish('trade.accepted', capital);
    await t.reaches(id, 'CHECKOUT');
    const { tradeSessionId, ...offer } = capital;
    await t.publish('offer.accepted', offer);
    await t.publish('trade.cancelled', { tradeSessionId, reason: 'DECLINED' });
    await t.reaches(id, 'CANCELLED');
    await t.settle();
    const lines = await t.timeline(id);
    for (const [event, times] of Object.entries({ 'offer.accepted': 2, 'trade.accepted': 1, 'trade.cancelled': 1 })) {
      assert.equal(lines.filter((line) => line === `EVENT        ${event}`).length, times, event);
    }
    for (const asked of [offerId, capital.offerId]) {
      const path = `/v1/trades?offerId=${asked}`;
      const { data } = await node.ok(200, 'GET', path, { key: t.platform.key });
      assert.deepEqual(
        data.map((trade: { tradeSessionId: string }) => trade.tradeSessionId),
        [id],
        asked,
      );
    }
  });

  test('the other side does not pay: the hold runs out', async (ctx) => {
    const id = await t.open();
    await t.accept(id);
    await t.report(t.left, 'payment.completed', id, 'INITIATOR');
    node.clock.advance(24 * HOUR);
    await t.reaches(id, 'CANCELLED');
    await show(ctx, id);
    const ended = await t.show(id);
    assert.equal(ended.reason, 'UNRECIPROCATED');
    assert.equal(ended.initiator.checkout.refundDue, true);
    assert.equal(ended.counterparty.checkout.status, 'FAILED');
    for (const merchant of [t.left, t.right]) {
      const got = gotOf(merchant, id);
      for (const event of [
        'trade.closed_unreciprocated',
        'trade.cancelled',
        'checkout.failed',
        'reservation.expired',
      ]) {
        assert.equal(got.filter((name) => name === event).length, 1, event);
      }
    }
    await t.refused('INVALID_STATE', t.right, 'payment.completed', id, 'COUNTERPARTY');
  });

  test('nobody pays: the reservations run out', async (ctx) => {
    const id = await t.open();
    await t.accept(id);
    node.clock.advance(HOUR / 2 - 1);
    await t.settle();
    assert.equal((await t.show(id)).status, 'CHECKOUT');
    node.clock.advance(1);
    await t.reaches(id, 'CANCELLED');
    await show(ctx, id);
    assert.equal((await t.show(id)).reason, 'RESERVATION_EXPIRED');
    const causes = arrived(t.right).filter(
      (body) => body.event === 'reservation.expired' && body.tradeSessionId === id,
    );
    assert.deepEqual(
      causes.map((body) => body.cause),
      ['TIMEOUT'],
    );
  });

  test('a payment fails', async (ctx) => {
    const id = await t.open();
    await t.accept(id);
    await t.report(t.right, 'payment.completed', id, 'COUNTERPARTY');
    const failure = {
      event: 'payment.failed',
      tradeSessionId: id,
      side: 'INITIATOR',
      occurredAt: '2025-12-24T18:00:00Z',
    };
    const failed = await t.send(t.left, failure, { 'x-request-id': 'left-has-failed' });
    assert.equal(failed.body.verdict, 'ACCEPTED');
    await show(ctx, id);
    const ended = await t.show(id);
    assert.deepEqual([ended.status, ended.reason], ['CANCELLED', 'PAYMENT_FAILED']);
    for (const merchant of [t.left, t.right]) {
      const failed = arrived(merchant).filter((body) => body.event === 'checkout.failed' && body.tradeSessionId === id);
      assert.deepEqual(
        failed.map((body) => body.reason),
        ['PAYMENT_FAILED'],
      );
    }
    // The merchant of the other side sees that it ended, and nothing of who ended it.
    const seen = await t.show(id, t.right.key);
    assert.equal(seen.initiator.checkout, null);
    const kinds = new Set<string>(seen.timeline.map((entry: { kind: string }) => entry.kind));
    assert.deepEqual([...kinds].toSorted(), ['DELIVERY', 'EVENT', 'REPORT']);
    const own = seen.timeline.filter((entry: { accountId?: string }) => entry.accountId !== undefined);
    for (const entry of own) assert.equal(entry.accountId, t.right.id);
    assert.ok(!JSON.stringify(seen.timeline).includes('payment.failed'));
    const { data: events } = await node.ok(200, 'GET', `/v1/events?tradeSessionId=${id}`, { key: t.right.key });
    const deliveries = await node.ok(200, 'GET', `/v1/webhooks/deliveries?tradeSessionId=${id}`, { key: t.right.key });
    for (const told of [seen, events, deliveries, arrived(t.right)]) {
      assert.ok(!/left-has-failed|2025-12-24/.test(JSON.stringify(told)), 'nothing leads to the report');
    }
    const { data } = await node.ok(200, 'GET', `/v1/webhooks/inbound?tradeSessionId=${id}`, { key: t.right.key });
    assert.deepEqual(
      data.map((report: { event: string }) => report.event),
      ['payment.completed'],
    );
  });

  test('an item is gone', async (ctx) => {
    const id = await t.open();
    await t.accept(id);
    const receipt = await t.report(t.right, 'item.unavailable', id, 'COUNTERPARTY');
    assert.equal(receipt.tradeStatus, 'CANCELLED');
    await show(ctx, id);
    assert.equal((await t.show(id)).reason, 'ITEM_UNAVAILABLE');
    assert.ok(gotOf(t.right, id).includes('reservation.failed'));
    assert.ok(!gotOf(t.left, id).includes('reservation.failed'));
    const expired = arrived(t.left).filter(
      (body) => body.event === 'reservation.expired' && body.tradeSessionId === id,
    );
    assert.deepEqual(
      expired.map((body) => body.cause),
      ['RELEASED'],
    );
    const report = await node.ok(200, 'GET', `/v1/webhooks/inbound/${receipt.id}`, { key: t.right.key });
    assert.equal(report.eventIds.length, 5);
    const caused = await node.ok(200, 'GET', `/v1/events?causedBy=${report.eventIds[0]}`, { key: t.platform.key });
    // Its own; what others get of it does not name it.
    assert.deepEqual(
      caused.data.map((event: { event: string }) => event.event),
      ['listing.updated'],
    );
  });

  test('the marketplace cancels, and an operator does', async () => {
    const [declined, stopped] = [await t.open(), await t.open()];
    await t.publish('trade.cancelled', { tradeSessionId: declined, reason: 'DECLINED' });
    await t.reaches(declined, 'CANCELLED');
    await t.accept(stopped);
    const path = `/v1/trades/${stopped}/cancel`;
    assert.equal((await node.ok(200, 'POST', path, { key: t.platform.key })).reason, 'OPERATOR_CANCELLED');
    assert.equal((await node.call('POST', path, { key: t.platform.key })).status, 409);
    assert.equal((await node.call('POST', path, { key: t.left.key })).status, 403);
    await t.settle();
    const cancelled = gotOf(t.left, declined).filter((name) => name === 'trade.cancelled');
    assert.equal(cancelled.length, 1, 'what the marketplace has told is not told again');
  });

  test('a host declines a booking', async () => {
    const business = await node.tenant('BUSINESS');
    const receiver = await startReceiver();
    await node.endpoint(business, receiver.url(), {}, 'business-subscriptions');
    const booking = { bookingId: 'bk_1', spaceId: 'spc_1', businessAccountId: business.id, guestUserId: 'usr_ines' };
    const { data: types } = await node.ok(200, 'GET', '/v1/event-types', { key: t.platform.key });
    const example = (name: string): object => {
      const {
        event: _e,
        timestamp: _t,
        ...data
      } = types.find((type: { event: string }) => type.event === name).example;
      return { ...data, ...Object.fromEntries(Object.entries(booking).filter(([field]) => field in data)) };
    };
    await t.publish('space_booking.approval_requested', example('space_booking.approval_requested'), [business]);
    const declined = { ...example('space_booking.cancelled'), reason: 'HOST_DECLINED' };
    await t.publish('space_booking.cancelled', declined, [business]);
    await until('both webhooks', () => receiver.received.length === 2);
    const bodies = receiver.received.map((request) => JSON.parse(request.body) as Record<string, unknown>);
    const cancelled = bodies.find((body) => body.event === 'space_booking.cancelled');
    assert.equal(cancelled?.reason, 'HOST_DECLINED');
    assert.equal(cancelled?.businessAccountId, business.id);
  });

  test('a session that the marketplace opened itself is adopted; an offer has one session', async () => {
    const terms = { offerId: 'off_own', ...t.terms() };
    await t.publish('trade.accepted', { tradeSessionId: 'ts_own', ...terms });
    await until('its checkouts', async () => {
      const reply = await node.call('GET', '/v1/trades/ts_own', { key: t.platform.key });
      return reply.status === 200 && reply.body.status === 'CHECKOUT';
    });
    await t.publish('trade.accepted', { tradeSessionId: 'ts_other', ...terms });
    await t.publish('offer.accepted', terms);
    await t.settle();
    assert.equal((await node.call('GET', '/v1/trades/ts_other', { key: t.platform.key })).status, 404);
    const lines = await t.timeline('ts_own');
    assert.equal(lines.filter((line) => /^STEP.*(has this trade session)/.test(line)).length, 2);
    assert.equal(lines.filter((line) => /^EVENT +trade.created/.test(line)).length, 0);
  });

  test('trades are listed to those whom they concern', async () => {
    const stranger = await node.tenant('MERCHANT');
    const list = async (key: string, query = '') => await node.ok(200, 'GET', `/v1/trades?limit=3${query}`, { key });
    assert.deepEqual((await list(stranger.key)).data, []);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(t.left.key, cursor === '' ? '' : `&cursor=${cursor}`);
      ids.push(...page.data.map((trade: { tradeSessionId: string }) => trade.tradeSessionId));
      cursor = page.nextCursor;
    }
    assert.equal(new Set(ids).size, ids.length);
    const all = await node.ok(200, 'GET', '/v1/trades?limit=100', { key: t.platform.key });
    assert.deepEqual(
      ids,
      all.data.map((trade: { tradeSessionId: string }) => trade.tradeSessionId),
    );
    const [first] = ids;
    assert.equal((await node.call('GET', `/v1/trades/${first}`, { key: stranger.key })).status, 404);
    const cancelled = await list(t.left.key, '&status=CANCELLED');
    assert.ok(cancelled.data.every((trade: { status: string }) => trade.status === 'CANCELLED'));
    assert.equal(cancelled.data.length, 3);
    const [from, to] = [5, 2].map((i) => all.data[i].createdAt);
    const between = await node.ok(200, 'GET', `/v1/trades?limit=100&since=${from}&until=${to}`, { key: t.left.key });
    const times = all.data.map((trade: { createdAt: string }) => trade.createdAt);
    assert.deepEqual(
      between.data.map((trade: { createdAt: string }) => trade.createdAt),
      times.filter((at: string) => at >= from && at < to),
    );
    const mixedUp = await node.call('GET', `/v1/trades?since=${to}&until=${from}`, { key: t.left.key });
    assert.deepEqual(
      [mixedUp.status, mixedUp.body.error.details],
      [400, [{ path: 'query.since', message: 'must not be after `until`' }]],
    );
  });
});
