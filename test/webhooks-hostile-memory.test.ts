import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS } from '../src/contracts/events/index.ts';
import { startReceiver } from '../src/platform/outbound/test-receiver.ts';
import { newPlace } from './helpers/child.ts';
import { cleanup } from './helpers/cleanup.ts';
import { testDb } from './helpers/database.ts';
import { untilAll } from './helpers/engine.ts';
import { ENDLESS, SLOW } from './helpers/hostile-receivers.ts';
import { ServiceProcess } from './helpers/process.ts';
import { startReceiver as startHealthy } from './helpers/receiver.ts';

/** Events before the first measurement: code is compiled, pools and buffers are filled. */
const WARM_UP = 20;
const EVENTS_MEASURED = 40;
/**
 * A single reply that was read for as long as an attempt may take would be 900 MB; here are 480. Measured: 26 MiB at most,
 * and no more after 3,600 replies.
 */
const MAX_GROWTH = 64 * 1024 * 1024;
/** Little room for garbage, so that what is measured is what is held. */
const SMALL = { NODE_OPTIONS: '--max-semi-space-size=2 --max-old-space-size=128', MALLOC_ARENA_MAX: '2' };

/** The embedded database takes its memory in the same process, and grows with what is stored. */
const skip = testDb !== 'postgres' && 'the embedded database is in the same process';

test('the memory of a process stays flat while receivers give without end', { skip }, async (t) => {
  const service = new ServiceProcess({ ...(await newPlace()), ...SMALL });
  cleanup(() => service.kill());
  await service.start();
  const operator = await service.operator();
  const newKey = async (type: string, scope: string): Promise<{ accountId: string; key: string }> => {
    const { id } = await service.call('POST', '/v1/admin/accounts', { name: type, type }, operator);
    const body = { accountId: id, name: 'key', scopes: [scope] };
    return { ...(await service.call('POST', '/v1/admin/api-keys', body, operator)), accountId: id };
  };
  const merchant = await newKey('MERCHANT', 'webhooks:manage');
  const publisher = await newKey('PLATFORM', 'events:publish');
  const healthy = await startHealthy();
  const endless = await Promise.all(ENDLESS.map(({ script }) => startReceiver(t, script)));
  const slow = await Promise.all(SLOW.map(({ script }) => startReceiver(t, script)));
  for (const url of [...endless, ...slow].map((r) => r.url).concat(healthy.url()))
    await service.call('POST', '/v1/webhooks/endpoints', { url }, merchant.key);

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  };
  const attempts = (): number => endless.reduce((sum, r) => sum + r.requests.length, 0);
  let published = 0;
  const publish = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 20) {
      const event = {
        event: 'checkout.started',
        data: EVENTS['checkout.started'].example,
        accountIds: [merchant.accountId],
      };
      await service.call('POST', '/v1/events', { events: Array.from({ length: 20 }, () => event) }, publisher.key);
      published += 20;
      await untilAll('the healthy one has them', published, () => healthy.received.length);
      await untilAll('and so has each that is endless', published * endless.length, attempts);
    }
  };
  await publish(WARM_UP);
  const before = await metric('posthorn_process_resident_memory_bytes');
  await publish(EVENTS_MEASURED);
  const after = await metric('posthorn_process_resident_memory_bytes');
  const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
  t.diagnostic(`${attempts()} endless replies: resident memory ${mib(before)}, then ${mib(after)}`);
  assert.ok(after - before < MAX_GROWTH, `from ${mib(before)} to ${mib(after)}`);
});
