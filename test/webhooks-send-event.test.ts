import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { uuidv7 } from '../src/lib/ids.ts';
import { withDatabase } from './helpers/database.ts';
import { type Body, DeadLetters } from './helpers/dead-letters.ts';
import { deliveriesOf, startNode, until } from './helpers/engine.ts';
import { keeperOfThePast } from './helpers/keeper.ts';
import { discardPulled } from '../src/modules/webhooks/feed/store.ts';
import { inTransaction } from '../src/platform/db/index.ts';

const node = await startNode({ database: await withDatabase(), settings: { WEBHOOK_MAX_ENDPOINTS: '100' } });
const { clock } = node;
const publisher = await node.tenant('PLATFORM');
const letters = new DeadLetters(node);

describe('sending an event of the past to one endpoint', () => {
  test('that was created later, or has not subscribed; what was sent already is replayed', async () => {
    const { tenant, endpoint, receiver } = await letters.shop();
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
    assert.match(hidden.body.error.message, /^There is no such event, /, 'not of the address, which there is');
    assert.equal((await send(late.id, { eventId: theirs }, publisher.key)).status, 404, 'not even by an operator');
    assert.equal((await send(late.id, { eventId: id }, stranger.key)).status, 404);
  });

  test('to a paused endpoint: a held one goes out as a replay and ends, and what the feed never had is not ended by it', async () => {
    const { tenant, endpoint, receiver } = await letters.shop();
    const [old = ''] = await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    await node.work();
    const late = await node.endpoint(tenant, receiver.url('/paused'));
    for (const { id } of [endpoint, late])
      await node.ok(200, 'POST', `/v1/webhooks/endpoints/${id}/pause`, { key: tenant.key });
    const [id = ''] = await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    await node.work();
    const send = (to: string, eventId: string) =>
      node.ok(202, 'POST', `/v1/webhooks/endpoints/${to}/deliveries`, { key: tenant.key, body: { eventId } });
    const held = (await deliveriesOf(node.db, endpoint.id)).find((d) => d.status === 'HELD');
    const replay = await send(endpoint.id, id);
    assert.equal(replay.replayOf, held?.id);
    await node.work();
    const statuses = async (of: string): Promise<string[]> => (await deliveriesOf(node.db, of)).map((d) => d.status);
    assert.deepEqual((await statuses(endpoint.id)).toSorted(), ['DELIVERED', 'DELIVERED', 'DISCARDED']);

    // The feed of the other one is read to its end; the event from before it was created is not in that.
    const feed = await node.ok(200, 'GET', `/v1/webhooks/endpoints/${late.id}/feed`, { key: tenant.key });
    assert.deepEqual(
      feed.data.map((e: Body) => e.eventId),
      [id],
    );
    const ack = { key: tenant.key, body: { cursor: feed.nextCursor } };
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${late.id}/feed/ack`, ack);
    assert.equal((await send(late.id, old)).status, 'PENDING');
    await node.work();
    await inTransaction(node.db, (trx) => discardPulled(trx, { limit: 100, now: new Date(clock.now()) }));
    assert.deepEqual((await statuses(late.id)).toSorted(), ['DISCARDED', 'HELD']);
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${late.id}/resume`, { key: tenant.key });
    await until('what was asked for came', async () => (await node.work(), receiver.at('/paused').length === 1));
    assert.equal(receiver.at('/paused')[0]?.headers['x-service-event-id'], old);
  });

  test('not while the one that is held may be out of sight, as a resume would send it a second time', async () => {
    const { tenant, endpoint } = await letters.shop();
    await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/pause`, { key: tenant.key });
    for (let i = 0; i < 5; i++) await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    await node.work();
    const before = (await deliveriesOf(node.db, endpoint.id)).filter((d) => d.status === 'HELD');
    assert.equal(before.length, 5);
    const keeper = await keeperOfThePast(node.db, clock);
    const seen = async (): Promise<Set<string>> => new Set((await deliveriesOf(node.db, endpoint.id)).map((d) => d.id));
    while ((await seen()).size === 5) assert.equal(await keeper.step(), true);
    const visible = await seen();
    const held = before.find((d) => !visible.has(d.id));
    const send = () =>
      node.call('POST', `/v1/webhooks/endpoints/${endpoint.id}/deliveries`, {
        key: tenant.key,
        body: { eventId: held?.event_id },
      });
    const refused = await send();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    while (await keeper.step());
    assert.equal((await seen()).size, 5);
    const sent = await send();
    assert.deepEqual([sent.status, sent.body.replayOf], [202, held?.id]);
  });

  test('not before the fan-out has passed it; at the same time twice is one', async () => {
    const { tenant, receiver } = await letters.shop();
    const [id = ''] = await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    const late = await node.endpoint(tenant, receiver.url('/late'));
    const send = () =>
      node.call('POST', `/v1/webhooks/endpoints/${late.id}/deliveries`, { key: tenant.key, body: { eventId: id } });
    assert.equal((await send()).status, 409);
    await node.work();
    const sent = await Promise.all([send(), send(), send()]);
    assert.deepEqual(
      sent.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, 409, 409],
    );
    await until('it came', async () => (await node.work(), receiver.at('/late').length === 1));
    assert.equal((await letters.replaysOf(late.id)).length, 0);
    assert.equal((await send()).status, 202, 'what came is sent again');
  });

  test('not while it waits for its retry, which would bring it a second time', async () => {
    const { tenant, endpoint, receiver } = await letters.shop();
    receiver.script = () => 503;
    const [eventId = ''] = await node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
    await node.work();
    const [waiting] = await deliveriesOf(node.db, endpoint.id);
    const send = () =>
      node.call('POST', `/v1/webhooks/endpoints/${endpoint.id}/deliveries`, { key: tenant.key, body: { eventId } });
    const isRefusedFor = async (id: string | undefined): Promise<void> => {
      const { status, body } = await send();
      assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE']);
      assert.ok(id !== undefined && body.error.message.includes(id), body.error.message);
    };
    await isRefusedFor(waiting?.id);
    // What took its place waits as well.
    const replay = await node.ok(202, 'POST', `/v1/webhooks/deliveries/${waiting?.id}/replay`, { key: tenant.key });
    await node.work();
    await isRefusedFor(replay.id);
    receiver.script = () => 200;
    const discard = { key: tenant.key, body: { reason: 'now' } };
    await node.ok(200, 'POST', `/v1/webhooks/deliveries/${replay.id}/discard`, discard);
    assert.equal((await send()).body.replayOf, waiting?.id);
    await node.work();
    clock.advance(300_000);
    await node.work();
    assert.equal(receiver.received.length, 3);
  });
});
