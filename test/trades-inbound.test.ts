import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { withDatabase } from './helpers/database.ts';
import { startNode, type Tenant, until } from './helpers/engine.ts';
import { signatureOf, Trading } from './helpers/trading.ts';

const MINUTE = 60_000;

describe('reports of merchants', async () => {
  const node = await startNode({ database: await withDatabase(), loops: true });
  let t: Trading;
  let id: string;
  before(async () => {
    t = await Trading.open(node);
  });
  beforeEach(async () => {
    id = await t.open();
    await t.accept(id);
  });

  const paid = (more: object = {}): object => ({
    event: 'payment.completed',
    tradeSessionId: id,
    side: 'INITIATOR',
    ...more,
  });
  const post = (merchant: Tenant, body: string, signature?: string) =>
    node.call('POST', '/v1/webhooks/inbound', {
      key: merchant.key,
      body,
      headers: signature === undefined ? {} : { 'x-service-signature': signature },
    });
  const log = async (merchant: Tenant, query = '') =>
    (await node.ok(200, 'GET', `/v1/webhooks/inbound?limit=5${query}`, { key: merchant.key })).data;
  const last = async (merchant: Tenant) => (await log(merchant))[0];

  test('a report needs a signature over its bytes, of now, by this account', async () => {
    const raw = JSON.stringify(paid());
    const now = node.clock.now();
    const wrong: [string | undefined, RegExp][] = [
      [undefined, /no signature/],
      ['t=abc,v1=00', /must be of the form t=<unix seconds>/],
      [signatureOf(t.right.secret, raw, now), /wrong signature/],
      [signatureOf(t.left.secret, `${raw} `, now), /wrong signature/],
      [signatureOf(t.left.secret, raw, now - 5 * MINUTE - 1000), /outside of the 5-minute window/],
      [signatureOf(t.left.secret, raw, now + 5 * MINUTE + 1000), /outside of the 5-minute window/],
    ];
    for (const [signature, says] of wrong) {
      const reply = await post(t.left, raw, signature);
      assert.equal(reply.status, 401);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      const recorded = await last(t.left);
      assert.deepEqual([recorded.verdict, recorded.error.code], ['REFUSED', 'UNAUTHENTICATED']);
      assert.match(recorded.error.message, says);
    }
    assert.equal((await t.show(id)).status, 'CHECKOUT');
    const reply = await post(t.left, raw, signatureOf(t.left.secret, raw, now - 4 * MINUTE));
    assert.equal(reply.body.verdict, 'ACCEPTED');
  });

  test('a key without the scope may not report', async () => {
    const reader = await node.tenant('MERCHANT', ['webhooks:manage']);
    const reply = await t.send(reader, paid());
    assert.equal(reply.status, 403);
  });

  test('the same report again is answered with 200 and does nothing, whatever else it says', async () => {
    const first = await t.send(t.left, paid());
    const again = await t.send(t.left, paid({ occurredAt: new Date(node.clock.now()).toISOString(), more: 1 }));
    assert.deepEqual([again.status, again.body.verdict], [200, 'REPEATED']);
    const [repeated] = await log(t.left);
    assert.equal(repeated.repeats, first.body.id);
    assert.deepEqual(repeated.eventIds, []);
    const { data } = await node.ok(200, 'GET', `/v1/events?tradeSessionId=${id}&event=checkout.completed`, {
      key: t.platform.key,
    });
    assert.equal(data.length, 1);
  });

  test('fulfilled and fulfillment.completed are one and the same', async () => {
    await t.report(t.left, 'payment.completed', id, 'INITIATOR');
    await t.report(t.right, 'payment.completed', id, 'COUNTERPARTY');
    await t.report(t.left, 'fulfilled', id, 'INITIATOR');
    const again = await t.send(t.left, { event: 'fulfillment.completed', tradeSessionId: id, side: 'INITIATOR' });
    assert.equal(again.body.verdict, 'REPEATED');
  });

  test('what comes too early is refused, recorded, and taken later', async () => {
    await t.refused('INVALID_STATE', t.left, 'fulfillment.started', id, 'INITIATOR');
    const recorded = await last(t.left);
    assert.deepEqual([recorded.event, recorded.verdict], ['fulfillment.started', 'REFUSED']);
    assert.equal(recorded.error.code, 'INVALID_STATE');
    await t.report(t.left, 'payment.completed', id, 'INITIATOR');
    await t.report(t.right, 'payment.completed', id, 'COUNTERPARTY');
    await t.report(t.left, 'fulfillment.started', id, 'INITIATOR');
  });

  test('a body that does not fit is told field by field, and recorded as it came', async () => {
    for (const body of [
      { event: 'payment.lost', tradeSessionId: id, side: 'INITIATOR' },
      { event: 'payment.completed', tradeSessionId: id },
      { event: 'payment.completed', tradeSessionId: id, side: 'initiator' },
      { event: 'payment.completed', tradeSessionId: 7, side: 'INITIATOR' },
      paid({ occurredAt: 'yesterday' }),
      paid({ occurredAt: '-200000-01-01T00:00:00Z' }),
      paid({ occurredAt: '0000-01-01T00:00:00Z' }),
      paid({ occurredAt: new Date(node.clock.now() + 6 * MINUTE).toISOString() }),
      [],
      7,
    ]) {
      const raw = JSON.stringify(body);
      const reply = await t.send(t.left, raw);
      assert.deepEqual([reply.status, reply.body.error?.code], [400, 'VALIDATION_ERROR'], raw);
      const recorded = await last(t.left);
      assert.equal(recorded.verdict, 'REFUSED');
      const detail = await node.ok(200, 'GET', `/v1/webhooks/inbound/${recorded.id}`, { key: t.left.key });
      assert.equal(detail.body, raw);
      assert.equal(detail.requestId, reply.headers.get('x-request-id'));
    }
    assert.equal((await t.show(id)).status, 'CHECKOUT');
  });

  test('an address that does not fit is told, also with a body that does not', async () => {
    for (const query of ['accountId=zzz', `accountId=${t.left.id}&accountId=${t.left.id}`, 'foo=1']) {
      for (const body of [paid(), { event: 'payment.lost' }]) {
        const raw = JSON.stringify(body);
        const headers = { 'x-service-signature': signatureOf(t.left.secret, raw, node.clock.now()) };
        const reply = await node.call('POST', `/v1/webhooks/inbound?${query}`, { key: t.left.key, body: raw, headers });
        assert.deepEqual([reply.status, reply.body.error?.code], [400, 'VALIDATION_ERROR'], query);
        assert.match(reply.body.error.message, /^query/);
      }
    }
  });

  test('another side is forbidden, and another trade is none', async () => {
    await t.refused('FORBIDDEN', t.right, 'payment.completed', id, 'INITIATOR');
    const stranger = await node.tenant('MERCHANT', ['inbound:write', 'webhooks:manage']);
    await t.refused('NOT_FOUND', stranger, 'payment.completed', id, 'INITIATOR');
    await t.refused('NOT_FOUND', t.left, 'payment.completed', 'ts_none', 'INITIATOR');
    assert.deepEqual((await log(stranger))[0].verdict, 'REFUSED');
    const [of] = await log(t.right);
    assert.equal((await node.call('GET', `/v1/webhooks/inbound/${of.id}`, { key: stranger.key })).status, 404);
    assert.equal((await t.show(id)).status, 'CHECKOUT');
  });

  test('a trade that is named in capitals is that trade', async () => {
    const capitals = id.toUpperCase();
    assert.notEqual(capitals, id);
    const first = await t.send(t.left, paid({ tradeSessionId: capitals }));
    assert.deepEqual([first.status, first.body.verdict, first.body.tradeSessionId], [200, 'ACCEPTED', id]);
    assert.equal((await t.send(t.left, paid())).body.verdict, 'REPEATED');
    assert.equal((await t.send(t.left, paid({ tradeSessionId: capitals }))).body.verdict, 'REPEATED');
    const listed = await log(t.left, `&tradeSessionId=${capitals}`);
    assert.deepEqual(
      listed.map((report: { verdict: string; tradeSessionId: string }) => [report.verdict, report.tradeSessionId]),
      [
        ['REPEATED', id],
        ['REPEATED', id],
        ['ACCEPTED', id],
      ],
    );
    const shown = await t.show(capitals);
    assert.deepEqual([shown.tradeSessionId, shown.status], [id, 'HOLD']);
    const path = `/v1/trades/${capitals}/cancel`;
    assert.equal((await node.ok(200, 'POST', path, { key: t.platform.key })).status, 'CANCELLED');
  });

  test('the log of who has no part in a trade is the same whether there is one or not', async () => {
    const stranger = await node.tenant('MERCHANT', ['inbound:write', 'webhooks:manage']);
    const none = `0198C2A0-3F10-7C5E-8A51-${id.slice(-12).toUpperCase()}`;
    for (const tradeSessionId of [id.toUpperCase(), none]) {
      await t.refused('NOT_FOUND', stranger, 'payment.completed', tradeSessionId, 'INITIATOR');
      assert.equal((await last(stranger)).tradeSessionId, tradeSessionId);
      for (const asked of [tradeSessionId, tradeSessionId.toLowerCase()]) {
        const [of] = await log(stranger, `&tradeSessionId=${asked}`);
        assert.equal(of?.tradeSessionId, tradeSessionId, `its own report, by ${asked}`);
      }
    }
  });

  test('a session that the marketplace opened has its id as it was given, and is found by it in small letters', async () => {
    const own = `0198C2A0-3F10-7C5E-8A51-${id.slice(-12).toUpperCase()}`;
    await t.publish('trade.accepted', { tradeSessionId: own, offerId: `off_${own}`, ...t.terms() });
    await until('its checkouts', async () => {
      const reply = await node.call('GET', `/v1/trades/${own}`, { key: t.platform.key });
      return reply.status === 200 && reply.body.status === 'CHECKOUT';
    });
    for (const [n, tradeSessionId] of [own.toLowerCase(), own, own.toLowerCase()].entries()) {
      const { status, body } = await t.send(t.left, paid({ tradeSessionId }));
      assert.deepEqual([status, body.tradeSessionId, body.verdict], [200, own, n === 0 ? 'ACCEPTED' : 'REPEATED']);
    }
    assert.equal((await log(t.left, `&tradeSessionId=${own.toLowerCase()}`)).length, 3);
    const shown = await t.show(own.toLowerCase());
    assert.deepEqual([shown.tradeSessionId, shown.status], [own, 'HOLD']);
    const path = `/v1/trades/${own.toLowerCase()}/cancel`;
    assert.equal((await node.ok(200, 'POST', path, { key: t.platform.key })).status, 'CANCELLED');
  });

  test('what came of a session before it was opened is shown with it, in whichever case', async () => {
    const early = node.env.newId();
    await t.publish('trade.cancelled', { tradeSessionId: early, reason: 'DECLINED' });
    await t.settle();
    const terms = { tradeSessionId: early.toUpperCase(), offerId: node.env.newId(), ...t.terms() };
    await t.publish('trade.accepted', terms);
    await t.settle();
    const steps = (await t.timeline(early)).filter((line) => line.startsWith('STEP'));
    assert.equal(steps.filter((line) => line.includes('trade.cancelled')).length, 2, steps.join('\n'));
  });

  test('a listing that is told twice is refused: of two quantities none is known to be right', async () => {
    const listingId = 'lst-1';
    const items = [{ listingId, quantity: 2 }, { listingId: 'lst-2' }, { listingId, quantity: 0 }];
    for (const event of ['item.sold', 'item.unavailable']) {
      const reply = await t.send(t.left, { event, tradeSessionId: id, side: 'INITIATOR', items });
      assert.deepEqual(
        [reply.status, reply.body.error.details],
        [400, [{ path: 'body.items.2.listingId', message: 'is named twice' }]],
      );
      assert.equal((await last(t.left)).error.code, 'VALIDATION_ERROR');
    }
    assert.equal((await t.show(id)).status, 'CHECKOUT');
  });

  test('what was paid must be the amount of the trade', async () => {
    const reply = await t.send(t.left, paid({ amount: 29.89, currency: 'EUR' }));
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'INVALID_STATE']);
    assert.match(reply.body.error.message, /29\.9 EUR/);
    assert.equal((await t.send(t.left, paid({ amount: 29.9, currency: 'EUR' }))).body.verdict, 'ACCEPTED');
  });

  test('a payment that lost the race with the end of its trade is refused, and its refund is due', async () => {
    await t.report(t.right, 'cancelled', id, 'COUNTERPARTY');
    await t.settle();
    const seen = await t.show(id, t.right.key);
    const occurredAt = new Date(node.clock.now()).toISOString();
    for (const at of [occurredAt, '2025-12-24T18:00:00.000Z']) {
      const reply = await t.send(t.left, paid({ occurredAt: at }));
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'INVALID_STATE']);
      const { verdict, eventIds } = await last(t.left);
      assert.deepEqual([verdict, eventIds], ['REFUSED', []]);
      const { status, initiator, counterparty } = await t.show(id);
      assert.equal(status, 'CANCELLED');
      assert.deepEqual(initiator.checkout, { status: 'FAILED', paidAt: occurredAt, refundDue: true });
      assert.deepEqual(counterparty.checkout, { status: 'FAILED', paidAt: null, refundDue: false });
    }
    // Nothing of it is for the other side, and nothing is published.
    assert.deepEqual(await t.show(id, t.right.key), seen);
    const { data } = await node.ok(200, 'GET', `/v1/events?tradeSessionId=${id}&event=checkout.completed`, {
      key: t.platform.key,
    });
    assert.deepEqual(data, []);
    // The other side had nothing to pay: what it paid all the same is due, nothing is not.
    for (const [amount, refundDue] of [
      [0, false],
      [5, true],
    ] as const) {
      await t.send(t.right, paid({ side: 'COUNTERPARTY', amount }));
      assert.equal((await t.show(id)).counterparty.checkout.refundDue, refundDue, `${amount}`);
    }
  });

  test('it happened when the merchant says; deadlines are of the clock here', async () => {
    const occurredAt = '2025-12-24T18:00:00.000Z';
    await t.send(t.left, paid({ occurredAt }));
    const { data } = await node.ok(200, 'GET', `/v1/events?tradeSessionId=${id}&event=checkout.completed`, {
      key: t.platform.key,
    });
    assert.equal(data[0].occurredAt, occurredAt);
    const { expiresAt, initiator } = await t.show(id);
    assert.equal(Date.parse(expiresAt), node.clock.now() + 24 * 60 * MINUTE);
    assert.equal(initiator.checkout.paidAt, occurredAt);
  });

  test('an Idempotency-Key gives the same answer again, and the request is recorded', async () => {
    const headers = { 'idempotency-key': `${id}-paid` };
    const first = await t.send(t.left, paid(), headers);
    const again = await t.send(t.left, paid(), headers);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const recorded = await last(t.left);
    assert.deepEqual([recorded.verdict, recorded.repeats], ['REPEATED', first.body.id]);
    const other = await t.send(t.left, paid({ more: 1 }), headers);
    assert.deepEqual([other.status, other.body.error.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    assert.equal((await last(t.left)).error.code, 'IDEMPOTENCY_KEY_REUSED');
  });

  test('a stored answer is given to nobody who cannot sign', async () => {
    const headers = { 'idempotency-key': `${id}-paid` };
    await t.send(t.left, paid(), headers);
    const raw = JSON.stringify(paid());
    const forged = signatureOf(t.right.secret, raw, node.clock.now());
    const reply = await t.send(t.left, raw, { ...headers, 'x-service-signature': forged });
    assert.deepEqual([reply.status, reply.headers.get('idempotency-replayed')], [401, null]);
    assert.equal((await last(t.left)).error.code, 'UNAUTHENTICATED');
  });

  test('a refusal is not kept under an Idempotency-Key: the same is accepted later, once', async () => {
    const early = { event: 'fulfillment.started', tradeSessionId: id, side: 'INITIATOR' };
    const headers = { 'idempotency-key': `${id}-started` };
    for (let i = 0; i < 2; i++) {
      const reply = await t.send(t.left, early, headers);
      assert.deepEqual([reply.status, reply.headers.get('idempotency-replayed')], [409, null]);
    }
    await t.report(t.left, 'payment.completed', id, 'INITIATOR');
    await t.report(t.right, 'payment.completed', id, 'COUNTERPARTY');
    const accepted = await t.send(t.left, early, headers);
    assert.equal(accepted.body.verdict, 'ACCEPTED');
    assert.deepEqual((await t.send(t.left, early, headers)).body, accepted.body);
  });

  test('the same request many times at once under one key counts once, and each is recorded', async () => {
    const headers = { 'idempotency-key': `${id}-paid` };
    const replies = await Promise.all([1, 2, 3, 4, 5].map(() => t.send(t.left, paid(), headers)));
    for (const { status, body } of replies) {
      assert.ok(status === 200 || body.error.code === 'IDEMPOTENCY_IN_PROGRESS', JSON.stringify(body));
    }
    const recorded = await log(t.left, `&tradeSessionId=${id}`);
    assert.equal(recorded.length, 5);
    assert.equal(recorded.filter((report: { verdict: string }) => report.verdict === 'ACCEPTED').length, 1);
  });

  test('reports of both sides at the same moment both count, and one of them ends the hold', async () => {
    const send = (merchant: Tenant, side: string) =>
      t.send(merchant, { event: 'payment.completed', tradeSessionId: id, side });
    const copies = [1, 2, 3, 4];
    const replies = await Promise.all(copies.flatMap(() => [send(t.left, 'INITIATOR'), send(t.right, 'COUNTERPARTY')]));
    const verdicts = replies.map((reply) => reply.body.verdict as string).toSorted();
    assert.deepEqual(verdicts, [...Array<string>(2).fill('ACCEPTED'), ...Array<string>(6).fill('REPEATED')]);
    assert.equal((await t.show(id)).status, 'FULFILLMENT');
    const { data } = await node.ok(200, 'GET', `/v1/events?tradeSessionId=${id}&event=checkout.completed`, {
      key: t.platform.key,
    });
    const completed = data.map(
      (event: { data: { counterpartyCompleted: boolean } }) => event.data.counterpartyCompleted,
    );
    assert.deepEqual(completed.toSorted(), [false, true]);
  });

  test('the log of reports is paged and filtered', async () => {
    await t.report(t.left, 'item.reserved', id, 'INITIATOR');
    await t.report(t.left, 'item.unreserved', id, 'INITIATOR');
    await t.refused('INVALID_STATE', t.left, 'item.sold', id, 'INITIATOR');
    const page = async (query: string) =>
      node.ok(200, 'GET', `/v1/webhooks/inbound?tradeSessionId=${id}&limit=2${query}`, { key: t.left.key });
    const first = await page('');
    const second = await page(`&cursor=${first.nextCursor}`);
    assert.deepEqual(
      [...first.data, ...second.data].map((report: { event: string }) => report.event),
      ['item.sold', 'item.unreserved', 'item.reserved'],
    );
    assert.equal(second.nextCursor, null);
    assert.equal((await page('&verdict=REFUSED')).data.length, 1);
    const events = async (query: string): Promise<string[]> =>
      (await page(query)).data.map((report: { event: string }) => report.event);
    assert.deepEqual(await events('&event=item.reserved'), ['item.reserved']);
    assert.deepEqual(await events('&event=item.reserved&verdict=REFUSED'), []);
    assert.equal((await node.call('GET', '/v1/webhooks/inbound?event=fulfilled', { key: t.left.key })).status, 400);
    assert.equal((await node.call('GET', '/v1/webhooks/inbound?cursor=x', { key: t.left.key })).status, 400);
  });

  test('the log of reports is narrowed to a time, and to an event of it', async () => {
    const times: string[] = [];
    for (const event of ['item.reserved', 'item.unreserved', 'payment.completed']) {
      node.clock.advance(MINUTE);
      await t.report(t.left, event, id, 'INITIATOR');
      times.push((await last(t.left)).receivedAt);
    }
    const [first, second, third] = times;
    const events = async (query: string): Promise<string[]> =>
      (await log(t.left, query)).map((report: { event: string }) => report.event);
    assert.deepEqual(await events(`&since=${second}`), ['payment.completed', 'item.unreserved']);
    assert.deepEqual(await events(`&since=${first}&until=${third}`), ['item.unreserved', 'item.reserved']);
    assert.deepEqual(await events(`&since=${first}&event=item.reserved`), ['item.reserved']);
    assert.deepEqual(await events(`&since=${second}&event=item.reserved`), []);
    assert.deepEqual(await events(`&since=${second}&until=${second}`), []);
    const mixedUp = await node.call('GET', `/v1/webhooks/inbound?since=${third}&until=${first}`, { key: t.left.key });
    assert.deepEqual(
      [mixedUp.status, mixedUp.body.error.details],
      [400, [{ path: 'query.since', message: 'must not be after `until`' }]],
    );
  });
});
