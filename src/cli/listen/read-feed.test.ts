import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testService } from '../../../test/helpers/service.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { findEndpoint } from '../connection/endpoints.ts';
import { readFeed } from './read-feed.ts';

const clock = new ManualClock(systemClock.now());
const service = await testService({ clock });
const client = await service.operatorClient();
const { accountId, key } = await service.key(['webhooks:manage']);
const shop = service.client(key);
const { id } = await shop.createEndpoint({ body: { url: 'https://shop.example.com/hooks' } });
await shop.pauseEndpoint({ id });

async function publish(count: number): Promise<string[]> {
  const { example: data } = EVENTS['checkout.started'];
  const events = Array.from({ length: count }, () => ({
    event: 'checkout.started',
    data,
    accountIds: [accountId],
  }));
  const published = await client.publishEvents({ body: { events } });
  return published.data.map((event) => event.id);
}

describe('a feed whose items take long', () => {
  test('has each once, in order, and signed within about a minute', async () => {
    const published = await publish(60);
    const { calls } = await findEndpoint(shop, id);
    let pages = 0;
    const counted = { ...calls, feed: (...args: Parameters<typeof calls.feed>) => (pages++, calls.feed(...args)) };
    const read: string[] = [];
    for await (const { eventId, headers } of readFeed({ id, calls: counted }, { from: 'start' }, clock)) {
      read.push(eventId);
      const signature = headers['x-service-signature'] as string;
      const age = clock.now() / 1000 - Number(/t=(\d+)/.exec(signature)?.[1]);
      assert.ok(age <= 62, `${age} s`);
      // As long as the receiver may take: 60 of them are a quarter of an hour.
      clock.advance(15_000);
      if (read.length === published.length) break;
    }
    assert.deepEqual(read, published);
    assert.ok(pages >= 12, `${pages} pages`);
  });
});
