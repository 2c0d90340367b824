import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../../src/app/demo/api.ts';
import type { Demo } from '../../src/app/demo/demo-file.ts';
import { accountOf } from '../../src/app/demo/stage.ts';
import { start } from '../../src/app/start.ts';
import { EVENTS, type InternalEvent } from '../../src/contracts/events/index.ts';
import { ManualClock, systemClock } from '../../src/lib/clock.ts';
import { parseConfig } from '../../src/platform/config/index.ts';
import { createLog } from '../../src/platform/log/log.ts';

const STEP_MS = 15 * 60_000;
const STEPS = 96;
/** After a step, for what it sends to arrive. Milliseconds. */
const PAUSE_MS = 60;
/** The steps in which the receiver of the warehouse is out of order: in the morning, and now. */
const isOutage = (step: number): boolean => (step >= 8 && step < 12) || step >= 91;
const KINDS: readonly InternalEvent[] = [
  'offer.created',
  'checkout.started',
  'listing.updated',
  'trade.created',
  'checkout.completed',
];

export interface Day {
  url: string;
  demo: Demo;
  merchantId: string;
  /** One with three attempts. */
  deliveryId: string;
  stop: () => Promise<void>;
}

/** Answers with what `status` says. */
async function receiver(status: (path: string) => number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    request.resume();
    const code = status(request.url ?? '/');
    const body = code < 400 ? { received: true } : { error: 'The warehouse is being moved.' };
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A service with the demo, a day of whose webhooks has happened: its clock began yesterday and is set to now step by step. */
export async function liveOneDay(dataDir: string): Promise<Day> {
  const clock = new ManualClock(systemClock.now() - STEPS * STEP_MS);
  const config = parseConfig({
    POSTHORN_ENV: 'development',
    POSTHORN_DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    // The clock reaches no thread.
    WEBHOOK_SENDER_THREADS: '0',
  });
  const service = await start(config, createLog('silent'), { clock });
  const { demo, url } = service;
  if (!demo) throw new Error('there is no demo');
  const api = new Api(url);
  const [merchant, platform] = [accountOf(demo, 'merchant'), accountOf(demo, 'platform')];
  let step = 0;
  const shop = await receiver((path) => (path === '/warehouse' && isOutage(step) ? 503 : 200));
  for (const [path, description, events] of [
    ['/shop', 'Orders and payments of the shop', undefined],
    ['/warehouse', 'Stock of the warehouse', ['listing.updated', 'checkout.completed', 'trade.created']],
  ] as const) {
    const body = { url: shop.url + path, description, ...(events && { events }) };
    await api.call('POST', '/v1/webhooks/endpoints', merchant.key, { body });
  }
  for (; step < STEPS; step++) {
    // More by day than by night.
    const count = 1 + Math.round(3 * Math.sin((step / STEPS) * Math.PI)) + (step % 3);
    const events = Array.from({ length: count }, (_, i) => KINDS[(step + i) % KINDS.length] as InternalEvent);
    const body = { events: events.map((event) => ({ event, data: EVENTS[event].example, accountIds: [merchant.id] })) };
    await api.call('POST', '/v1/events', platform.key, { body });
    await sleep(PAUSE_MS);
    clock.advance(STEP_MS);
  }
  clock.set(systemClock.now());
  await sleep(20 * PAUSE_MS);
  const { data } = await api.call<{ data: { id: string; attempts: number }[] }>(
    'GET',
    `/v1/webhooks/deliveries?accountId=${merchant.id}&errorClass=HTTP_5XX&limit=100`,
    merchant.key,
  );
  const deliveryId = data.find(({ attempts }) => attempts >= 3)?.id ?? data[0]?.id ?? '';
  const stop = async (): Promise<void> => {
    shop.server.close();
    await service.stop();
  };
  return { url, demo, merchantId: merchant.id, deliveryId, stop };
}
