import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode, type Tenant } from '../../../../test/helpers/engine.ts';
import { startReceiver } from '../../../../test/helpers/receiver.ts';
import type { InternalEvent } from '../../../contracts/events/index.ts';
import type { RoutedEndpoint, RoutingReply, Verdict } from './schemas.ts';

const node = await startNode({ database: await withDatabase() });
const publisher = await node.tenant('PLATFORM');
const receiver = await startReceiver((request) => (request.path === '/broken' ? 500 : 200));
const url = receiver.url();

async function publish(
  audience: readonly Tenant[],
  event: InternalEvent = 'checkout.started',
  data?: Record<string, unknown>,
): Promise<string> {
  // Times are compared: what comes later must be later by the clock.
  node.clock.advance(1000);
  const [id] = await node.publish(publisher, audience, [{ event, ...(data ? { data } : {}) }]);
  node.clock.advance(1000);
  return id as string;
}
const routing = (id: string, key = publisher.key, query = ''): Promise<RoutingReply> =>
  node.ok(200, 'GET', `/v1/events/${id}/routing${query}`, { key });

async function only(id: string, key?: string): Promise<RoutedEndpoint> {
  const { data } = await routing(id, key);
  assert.equal(data.length, 1, JSON.stringify(data));
  return data[0] as RoutedEndpoint;
}
async function verdict(id: string): Promise<Verdict> {
  const { verdicts } = await only(id);
  assert.equal(verdicts.length, 1);
  return verdicts[0] as Verdict;
}
const change = (tenant: Tenant, id: string, body: object) =>
  node.ok(200, 'PATCH', `/v1/webhooks/endpoints/${id}`, { key: tenant.key, body });

test('before the fan-out it is to come, after it there is a delivery, also a derived one', async () => {
  const tenant = await node.tenant();
  const endpoint = await node.endpoint(tenant, url, { events: ['trade.counterparty_hold_started'] });
  const id = await publish([tenant], 'checkout.completed', { counterpartyCompleted: false });
  const before = await routing(id);
  assert.equal(before.fannedOut, false);
  assert.deepEqual(before.webhooks, ['checkout.completed', 'trade.counterparty_hold_started']);
  const codes = (reply: RoutingReply) => reply.data[0]?.verdicts.map((v) => [v.webhook, v.code, v.subscribedNow]);
  assert.deepEqual(codes(before), [
    ['checkout.completed', 'NOT_SUBSCRIBED', false],
    ['trade.counterparty_hold_started', 'NOT_REACHED_YET', true],
  ]);
  await node.work();
  const after = await routing(id, tenant.key);
  assert.equal(after.fannedOut, true);
  assert.deepEqual(codes(after), [
    ['checkout.completed', 'NOT_SUBSCRIBED', false],
    ['trade.counterparty_hold_started', 'DELIVERED', true],
  ]);
  const delivery = after.data[0]?.verdicts[1]?.deliveries[0];
  assert.deepEqual([delivery?.endpointId, delivery?.eventId, delivery?.status], [endpoint.id, id, 'DELIVERED']);
  assert.match(after.data[0]?.verdicts[0]?.message ?? '', /was not changed since the event/);
});

test('endpoints that were gone by then come last, page by page', async () => {
  const tenant = await node.tenant();
  const made: string[] = [];
  for (let i = 0; i < 6; i++) made.push((await node.endpoint(tenant, url)).id);
  for (const id of made.slice(0, 3)) await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${id}`, { key: tenant.key });
  node.clock.advance(1000);
  const event = await publish([tenant]);
  await node.work();
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${made[3]}`, { key: tenant.key });
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await node.ok(200, 'GET', `/v1/events/${event}/routing?limit=2${cursor}`, { key: tenant.key });
    seen.push(...page.data.map((e: { endpointId: string }) => e.endpointId));
    cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  assert.deepEqual(seen, [...made.slice(3), ...made.slice(0, 3)]);
});

test('pending, held, dead, replayed and discarded deliveries', async () => {
  const tenant = await node.tenant();
  const endpoint = await node.endpoint(tenant, receiver.url('/broken'));
  const pending = await publish([tenant]);
  await node.work();
  assert.equal((await verdict(pending)).code, 'PENDING');
  assert.match(
    (await verdict(pending)).message,
    /^1 of 5 attempts failed, the last with HTTP_5XX; the next is due at /,
  );
  await sql`update webhook_deliveries set status = 'DEAD', attempts = 5 where event_id = ${pending}`.execute(node.db);
  const dead = await verdict(pending);
  assert.deepEqual([dead.code, dead.deliveryCount], ['DEAD', 1]);
  // Replays: whichever arrived says it; ten are shown, and the first always.
  const first = dead.deliveries[0]?.id as string;
  for (let i = 0; i < 11; i++) {
    node.clock.advance(10);
    await node.ok(202, 'POST', `/v1/webhooks/deliveries/${first}/replay`, { key: tenant.key });
  }
  const replayed = await verdict(pending);
  assert.deepEqual([replayed.code, replayed.deliveryCount, replayed.deliveries.length], ['PENDING', 12, 10]);
  assert.equal(replayed.message, 'Its first attempt is to come.');
  assert.equal(replayed.deliveries.at(-1)?.id, first);
  await sql`update webhook_deliveries set status = 'DELIVERED', next_attempt_at = null
    where id = ${replayed.deliveries.at(-2)?.id ?? ''}`.execute(node.db);
  assert.equal((await verdict(pending)).code, 'DELIVERED');

  await node.ok(200, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/pause`, { key: tenant.key });
  const held = await publish([tenant]);
  await node.work();
  const addressOf = async (id: string) => {
    const { endpointUrl, endpointIsDeleted } = await only(id);
    return [endpointUrl, endpointIsDeleted];
  };
  assert.deepEqual(await addressOf(held), [receiver.url('/broken'), false]);
  assert.deepEqual(await verdict(held).then((v) => [v.code, v.message]), [
    'HELD',
    'It is kept: the endpoint is paused or disabled.',
  ]);
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${endpoint.id}`, { key: tenant.key });
  await node.keepUp();
  assert.deepEqual(await verdict(held).then((v) => [v.code, v.subscribedNow]), ['DISCARDED', false]);
  assert.deepEqual(await addressOf(held), [receiver.url('/broken'), true], 'the deliveries to it are still there');
  assert.deepEqual(await addressOf(await publish([tenant])), [null, true]);
});

test('an endpoint that came later, and one that was gone', async () => {
  const tenant = await node.tenant();
  const early = await publish([tenant]);
  const endpoint = await node.endpoint(tenant, url);
  await node.work();
  assert.equal((await verdict(early)).code, 'ENDPOINT_CREATED_LATER');
  assert.equal((await verdict(early)).subscribedNow, true);
  const between = await publish([tenant]);
  await node.ok(204, 'DELETE', `/v1/webhooks/endpoints/${endpoint.id}`, { key: tenant.key });
  const late = await publish([tenant]);
  await node.work();
  assert.deepEqual([(await verdict(between)).code, (await verdict(late)).code], Array(2).fill('ENDPOINT_DELETED'));
  assert.match((await verdict(between)).message, /which of the two is not kept/);
  assert.match((await verdict(late)).message, /before the event\.$/);
});

test('a subscription that was changed afterwards is told as such', async () => {
  const tenant = await node.tenant();
  const { id } = await node.endpoint(tenant, url, { events: ['offer.created'] });
  const event = await publish([tenant]);
  await node.work();
  await change(tenant, id, { description: 'Something else' });
  assert.match(
    (await verdict(event)).message,
    /was changed at .*, after the event; what it was like before is not kept/,
  );
  await change(tenant, id, { events: null });
  assert.deepEqual(await verdict(event).then((v) => [v.code, v.subscribedNow]), ['SUBSCRIBED_LATER', true]);
  const next = await publish([tenant]);
  await node.work();
  await change(tenant, id, { events: ['offer.created'] });
  // What was sent stays told as it was.
  assert.deepEqual(await verdict(next).then((v) => [v.code, v.subscribedNow]), ['DELIVERED', false]);
});

test('the other kind, no webhook, no endpoint, no audience', async () => {
  const [merchant, business, none] = [await node.tenant(), await node.tenant('BUSINESS'), await node.tenant()];
  await node.endpoint(merchant, url);
  await node.endpoint(business, url, {}, 'business-subscriptions');
  const booking = await publish([merchant], 'space_booking.created');
  const trade = await publish([business]);
  const internal = await publish([merchant, none], 'moderation.flagged');
  const unheard = await publish([none]);
  const nobody = await publish([]);
  await node.work();
  assert.equal((await verdict(booking)).code, 'WRONG_KIND');
  assert.equal((await verdict(trade)).code, 'WRONG_KIND');
  const { data, webhooks } = await routing(internal);
  assert.deepEqual(webhooks, []);
  assert.deepEqual(new Set(data.map((d) => d.accountId)), new Set([merchant.id, none.id]));
  for (const { verdicts } of data) assert.deepEqual([verdicts[0]?.webhook, verdicts[0]?.code], [null, 'NO_WEBHOOK']);
  assert.deepEqual(await only(unheard).then((d) => [d.accountId, d.endpointId, d.verdicts[0]?.code]), [
    none.id,
    null,
    'NO_ENDPOINT',
  ]);
  assert.deepEqual(await only(nobody).then((d) => [d.accountId, d.verdicts[0]?.code]), [null, 'NO_AUDIENCE']);
});

test('accounts see their own endpoints only, and nothing of events that do not name them', async () => {
  const [mine, other, stranger] = [await node.tenant(), await node.tenant(), await node.tenant()];
  const endpoint = await node.endpoint(mine, url);
  await node.endpoint(other, url);
  const id = await publish([mine, other]);
  assert.equal((await only(id, mine.key)).endpointId, endpoint.id);
  assert.equal((await routing(id)).data.length, 2);
  for (const event of [id, node.env.newId()]) {
    const reply = await node.call('GET', `/v1/events/${event}/routing`, { key: stranger.key });
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'NOT_FOUND']);
  }
});

test('pages show each endpoint once, and each account without one', async () => {
  const tenants = [await node.tenant(), await node.tenant(), await node.tenant(), await node.tenant()];
  const ids: string[] = [];
  for (const tenant of tenants.slice(1, 3)) {
    for (let i = 0; i < 3; i++) ids.push((await node.endpoint(tenant, url)).id);
  }
  const event = await publish(tenants);
  for (const limit of [1, 2, 3, 5]) {
    const seen: RoutedEndpoint[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 20; page++) {
      const reply = await routing(event, publisher.key, `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      assert.ok(reply.data.length <= limit);
      seen.push(...reply.data);
      cursor = reply.nextCursor;
    }
    assert.deepEqual(seen.flatMap((d) => d.endpointId ?? []).toSorted(), ids.toSorted());
    const without = seen.flatMap((d) => (d.endpointId === null && d.accountId !== null ? [d.accountId] : []));
    const empty = [tenants[0], tenants[3]].flatMap((tenant) => (tenant ? [tenant.id] : []));
    assert.deepEqual(without.toSorted(), empty.toSorted());
  }
  const wrong = await node.call('GET', `/v1/events/${event}/routing?cursor=nonsense`, { key: publisher.key });
  assert.equal(wrong.status, 400);
});

test('what is past its retention is told as such, and not as never sent', async () => {
  const tenant = await node.tenant();
  await node.endpoint(tenant, url);
  const young = await publish([tenant]);
  const [old, older] = [node.env.newId(), node.env.newId()];
  for (const [id, days] of [
    [old, 31],
    [older, 91],
  ] as const) {
    await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
      select nextval('event_positions'), ${id}::uuid, event, data, account_ids, occurred_at,
        now() - ${days}::int * interval '1 day', request_id from events where id = ${young}`.execute(node.db);
  }
  const codes = (): Promise<string[]> => Promise.all([young, old, older].map(async (id) => (await verdict(id)).code));
  assert.deepEqual(await codes(), ['NOT_REACHED_YET', 'NOT_REACHED_YET', 'NOT_REACHED_YET']);
  await node.work();
  assert.deepEqual(await codes(), ['DELIVERED', 'DELIVERED', 'DELIVERED']);
  // As if they were made when the events were.
  await sql`update webhook_deliveries d set created_at = e.recorded_at, updated_at = e.recorded_at from events e where e.id = d.event_id`.execute(
    node.db,
  );
  assert.deepEqual(await codes(), ['DELIVERED', 'DELIVERED', 'EXPIRED']);
  await node.ok(200, 'PUT', `/v1/admin/accounts/${tenant.id}/delivery-retention`, {
    key: publisher.key,
    body: { days: 30 },
  });
  const { code, deliveryCount, deliveries } = await verdict(old);
  assert.deepEqual([code, deliveryCount, deliveries], ['EXPIRED', 0, []]);
  await sql`delete from webhook_deliveries where event_id = any(${[young, old]}::uuid[])`.execute(node.db);
  assert.deepEqual(await codes(), ['SUBSCRIBED_LATER', 'EXPIRED', 'EXPIRED']);
});

test('an event that this version does not know', async () => {
  const tenant = await node.tenant();
  const id = await publish([tenant]);
  const unknown = node.env.newId();
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select nextval('event_positions'), ${unknown}::uuid, 'offer.renamed', data, account_ids, occurred_at, recorded_at, request_id
    from events where id = ${id}`.execute(node.db);
  const reply = await routing(unknown);
  assert.deepEqual([reply.fannedOut, reply.data[0]?.verdicts[0]?.code], [false, 'UNKNOWN_EVENT']);
});
