import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS } from '../src/contracts/events/index.ts';
import { uuidv7 } from '../src/lib/ids.ts';
import { createPublish } from '../src/modules/events/index.ts';
import { inTransaction } from '../src/platform/db/index.ts';
import { withDatabase } from './helpers/database.ts';
import { startNode, type Tenant } from './helpers/engine.ts';

const database = await withDatabase();
const node = await startNode({ database });
const publisher = await node.tenant('PLATFORM', ['events:publish']);
const merchant = await node.tenant();
const other = await node.tenant();

/** Follows the cursor to the end; `each` is called after every page. */
async function pageThrough(
  path: string,
  key: string,
  each: () => Promise<unknown> = async () => undefined,
): Promise<{ id: string; recordedAt: string }[]> {
  const all: { id: string; recordedAt: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await node.ok(
      200,
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`,
      { key },
    );
    all.push(...page.data);
    cursor = page.nextCursor;
    await each();
  }
  return all;
}

test('the audit trail, paged while it grows, neither repeats nor skips', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 5; i++)
    ids.push(
      ...(await node.publish(
        publisher,
        [merchant],
        Array.from({ length: 9 }, () => ({ event: 'seller.linked' })),
      )),
    );
  const seen = await pageThrough('/v1/events?event=seller.linked', merchant.key, () =>
    node.publish(publisher, [merchant], [{ event: 'seller.linked' }, { event: 'seller.linked' }]),
  );
  const old = seen.map((e) => e.id).filter((id) => ids.includes(id));
  assert.deepEqual(old, ids.toReversed(), 'newest first, each once');
  assert.equal(new Set(seen.map((e) => e.id)).size, seen.length);
});

test('the audit trail is filtered by event and by trade', async () => {
  await node.publish(
    publisher,
    [merchant],
    [
      { event: 'checkout.started', data: { tradeSessionId: 'trade-77' } },
      { event: 'checkout.failed', data: { tradeSessionId: 'trade-77' } },
      { event: 'checkout.failed', data: { tradeSessionId: 'trade-78' } },
    ],
  );
  const of = async (query: string): Promise<string[]> =>
    (await node.ok(200, 'GET', `/v1/events?${query}`, { key: merchant.key })).data.map(
      (e: { event: string; data: { tradeSessionId: string } }) => `${e.event} ${e.data.tradeSessionId}`,
    );
  assert.deepEqual(await of('tradeSessionId=trade-77'), ['checkout.failed trade-77', 'checkout.started trade-77']);
  assert.deepEqual(await of('tradeSessionId=trade-77&event=checkout.failed'), ['checkout.failed trade-77']);
  assert.deepEqual(await of('tradeSessionId=trade-79'), []);
});

test('the audit trail is filtered by subject, cause and request, all together', async () => {
  const [first] = await node.publish(
    publisher,
    [merchant],
    [
      { event: 'checkout.started', data: { tradeSessionId: 'subject-1' } },
      { event: 'offer.created', data: { offerId: 'subject-1' } },
      { event: 'offer.created', data: { offerId: 'subject-2' } },
      { event: 'trade.created', data: { tradeSessionId: 'subject-1' } },
    ],
  );
  const data = { ...EVENTS['offer.accepted'].example, offerId: 'subject-1' };
  await inTransaction(database.db, (trx) =>
    createPublish(() => undefined)(
      trx,
      'offer.accepted',
      data,
      { accountIds: [merchant.id], causedBy: first ?? '' },
      { ...node.env, requestId: 'request-of-subject' },
    ),
  );
  const of = async (query: string): Promise<string[]> =>
    (await node.ok(200, 'GET', `/v1/events?${query}`, { key: merchant.key })).data.map(
      (e: { event: string }) => e.event,
    );
  assert.deepEqual(await of('subjectId=subject-1'), [
    'offer.accepted',
    'trade.created',
    'offer.created',
    'checkout.started',
  ]);
  assert.deepEqual(await of('subjectId=subject-1&limit=1'), ['offer.accepted']);
  assert.deepEqual(await of('subjectId=subject-1&event=offer.created'), ['offer.created']);
  assert.deepEqual(await of('subjectId=subject-1&tradeSessionId=subject-1'), ['trade.created', 'checkout.started']);
  assert.deepEqual(await of(`causedBy=${first}`), ['offer.accepted']);
  assert.deepEqual(await of('requestId=request-of-subject'), ['offer.accepted']);
  const { requestId } = await node.ok(200, 'GET', `/v1/events/${first}`, { key: merchant.key });
  assert.equal((await of(`requestId=${requestId}`)).length, 4);
  assert.deepEqual(await of(`requestId=${requestId}&subjectId=subject-2`), ['offer.created']);
  assert.deepEqual(await of('requestId=another-request'), []);
  const before = await pageThrough('/v1/events?subjectId=subject-1', merchant.key, () =>
    node.publish(publisher, [merchant], [{ event: 'trade.completed', data: { tradeSessionId: 'subject-1' } }]),
  );
  assert.equal(before.length, 4);
});

test('the audit trail is filtered by when an event was recorded', async () => {
  const at = (all: { recordedAt: string }[]): string[] => all.map((e) => e.recordedAt);
  for (let second = 0; second < 30; second++) {
    await node.publish(publisher, [merchant], [{ event: 'seller.linked' }]);
    node.clock.advance(1000);
  }
  const all = await pageThrough('/v1/events?event=seller.linked', merchant.key);
  const [since, until] = [all.at(20)?.recordedAt ?? '', all.at(9)?.recordedAt ?? ''];
  assert.ok(since < until);
  const between = await pageThrough(`/v1/events?event=seller.linked&since=${since}&until=${until}`, merchant.key);
  assert.deepEqual(
    at(between),
    at(all).filter((time) => time >= since && time < until),
  );
  assert.ok(between.length > 0 && between.length < all.length);
});

test('accountId takes one of the accounts that the caller may act for', async () => {
  const operator = await node.tenant('PLATFORM', ['admin']);
  const [shared] = await node.publish(publisher, [merchant, other], [{ event: 'fulfillment.completed' }]);
  const of = (account: string, key: string) =>
    node.call('GET', `/v1/events?event=fulfillment.completed&accountId=${account}`, { key });
  for (const who of [other, operator]) {
    const { status, body } = await of(other.id, who.key);
    assert.deepEqual([status, body.data.map((e: { id: string }) => e.id)], [200, [shared]]);
  }
  assert.equal((await of(merchant.id, other.key)).status, 404);
  assert.deepEqual((await of(uuidv7(0), operator.key)).body.data, []);
});

test('an account sees only events whose audience names it; a key with scope admin sees all', async () => {
  const operator = await node.tenant('PLATFORM', ['admin']);
  const [mine] = await node.publish(publisher, [merchant], [{ event: 'fulfillment.started' }]);
  const [shared] = await node.publish(publisher, [merchant, other], [{ event: 'fulfillment.started' }]);
  const [none] = await node.publish(publisher, [], [{ event: 'fulfillment.started' }]);
  const list = async (who: Tenant): Promise<string[]> =>
    (await pageThrough('/v1/events?event=fulfillment.started', who.key)).map((e) => e.id);
  assert.ok((await list(merchant)).includes(mine as string));
  assert.deepEqual(await list(other), [shared]);
  assert.ok((await list(operator)).includes(none as string));
  assert.equal((await node.call('GET', `/v1/events/${mine}`, { key: other.key })).status, 404);
  assert.equal((await node.call('GET', `/v1/events/${none}`, { key: merchant.key })).status, 404);
  assert.equal((await node.call('GET', `/v1/events/${shared}`, { key: other.key })).status, 200);
  assert.equal((await node.call('GET', `/v1/events/${uuidv7(0)}`, { key: operator.key })).status, 404);
});

test('a cursor that is none, an unknown parameter and a bad limit are 400', async () => {
  for (const query of ['cursor=abc', 'cursor=', 'limit=0', 'limit=101', 'limit=x', 'evnt=a']) {
    assert.equal((await node.call('GET', `/v1/events?${query}`, { key: merchant.key })).status, 400, query);
  }
});

test('what no event can fit is 400 and says why, wherever events are asked for', async () => {
  const { key } = await node.tenant('PLATFORM');
  const span = 'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z';
  for (const path of ['/v1/events', '/v1/events/export', '/v1/insights/events']) {
    for (const [query, message] of [
      [
        'event=trade.createdd',
        /^query.event: "trade.createdd" is not an internal event; GET \/v1\/event-types lists them$/,
      ],
      ['event=reservation.failed', /^query.event: .* but a webhook, which reservation.expired with/],
      [span, /^query.since: must/],
    ] as const) {
      const { status, body } = await node.call('GET', `${path}?${query}`, { key });
      assert.equal(status, 400, `${path}?${query}`);
      assert.match(body.error.message, message);
    }
  }
  const moment = 'since=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00Z';
  assert.deepEqual((await node.ok(200, 'GET', `/v1/events?${moment}`, { key: other.key })).data, []);
});

test('the catalogue of events is given to any key', async () => {
  const { data: types } = await node.ok(200, 'GET', '/v1/event-types', { key: other.key });
  type EventType = {
    event: string;
    internal: boolean;
    derivedFrom: string | null;
    webhook: string | null;
    schema: object;
    example: Record<string, unknown>;
  };
  const all = types as EventType[];
  assert.equal(all.filter((t) => t.internal).length, 31);
  assert.equal(all.filter((t) => t.webhook === 'MERCHANT').length, 20);
  assert.equal(all.filter((t) => t.webhook === 'BUSINESS').length, 9);
  assert.deepEqual(
    all
      .filter((t) => t.derivedFrom !== null)
      .map((t) => t.event)
      .toSorted(),
    ['reservation.failed', 'trade.closed_unreciprocated', 'trade.counterparty_hold_started'],
  );
  const started = all.find((t) => t.event === 'checkout.started');
  assert.deepEqual(Object.keys(started?.example ?? {}), [
    'event',
    'tradeSessionId',
    'side',
    'originalPrice',
    'tradeAmount',
    'currency',
    'timestamp',
  ]);
  assert.equal((await node.call('GET', '/v1/event-types')).status, 401);
});
