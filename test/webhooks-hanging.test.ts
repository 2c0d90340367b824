import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS } from '../src/contracts/events/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { withDatabase } from './helpers/database.ts';
import { startNode, untilAll } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const HEALTHY = 20;
const HANGING = 100;
const ROUNDS = 10;
/** Of a busy machine; without the bounds on the crowd it would be the timeout, a minute. Milliseconds. */
const SOON_MS = 10_000;

test('a crowd of new endpoints that never answer, more than there are slots, delays none of those that answer', async () => {
  const node = await startNode({
    database: await withDatabase(),
    settings: {
      WEBHOOK_TIMEOUT_SECONDS: '60',
      WEBHOOK_WORKER_IN_FLIGHT: '64',
      WEBHOOK_MAX_ENDPOINTS: '200',
      SHUTDOWN_SECONDS: '1',
    },
    loops: true,
  });
  const publisher = await node.tenant('PLATFORM');
  const arrived = new Map<string, number>();
  const healthy = await startReceiver(({ path, body }) => {
    arrived.set(`${path} ${(JSON.parse(body) as { listingId: string }).listingId}`, monotonicNow());
    return 200;
  });
  const hanging = await startReceiver(() => 'never');
  const both = await node.tenant();
  for (let i = 0; i < HEALTHY; i++) await node.endpoint(both, healthy.url(`/${i}`));
  const publish = (listingId: string): Promise<unknown> =>
    node.publish(
      publisher,
      [both],
      [{ event: 'listing.created', data: { ...EVENTS['listing.created'].example, listingId } }],
    );
  await publish('first');
  await untilAll('each has answered once', HEALTHY, () => arrived.size);

  for (let i = 0; i < HANGING; i++) await node.endpoint(both, hanging.url(`/${i}`));
  for (let round = 0; round < ROUNDS; round++) {
    const before = arrived.size;
    const startedAt = monotonicNow();
    await publish(`round-${round}`);
    await untilAll(`round ${round} has arrived`, before + HEALTHY, () => arrived.size, SOON_MS);
    assert.ok(monotonicNow() - startedAt < SOON_MS);
  }
  const { held } = hanging;
  assert.ok(held > 0 && held <= 48, `${held} of 64 slots hang`);
  hanging.script = () => 200;
  hanging.release();
});
