import { SMALL } from '../lib/event.ts';
import { account, type BenchService, type Child, child, freshDatabase, service, withClient } from '../lib/processes.ts';
import type { PublisherJob } from '../lib/publisher.ts';
import type { Receiver } from '../lib/receivers.ts';
import { untilRead } from '../lib/until-read.ts';
import { startWorkers, untilShared } from '../lib/workers.ts';

export const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
/** At the low rate, so that it is some of each. */
const LOW_SECONDS = 3 * SECONDS;
export const PORT = 3981;
const ACCOUNTS = 64;
/** The same for one worker and for several, so that what they cost differs by nothing else. */
const PARTS = 16;
/** At the low rate each wake-up finds one event; at the high one everything comes in portions. Per second. */
export const RATES = { low: 30, check: 400, high: 1500 } as const;
export const secondsAt = (rate: number): number => (rate === RATES.low ? LOW_SECONDS : SECONDS);

export interface System {
  databaseUrl: string;
  front: BenchService;
  workers: Child[];
  platform: string;
  site: string;
}

export async function start(workers: number): Promise<System> {
  const databaseUrl = await freshDatabase('posthorn_bench_costs');
  const front = await service(databaseUrl, PORT, {}, ['--role', 'api']);
  const shared = { databaseUrl, workers, partitions: PARTS };
  const started = startWorkers({ ...shared, port: PORT + 1 });
  await untilShared(shared).catch(async (error: unknown) => {
    await Promise.all([front.stop(), ...started.map((worker) => worker.stop())]);
    throw error;
  });
  return {
    databaseUrl,
    front,
    workers: started,
    platform: (await account(front, 'PLATFORM', ['events:publish'])).key,
    site: (await account(front, 'SITE', ['blog:read'])).key,
  };
}

export async function stop({ front, workers }: System): Promise<void> {
  for (const worker of workers) await worker.stop();
  await front.stop();
}

/** Merchants with so many endpoints each. */
export async function audiences({ front }: System, endpoints: number, to: Receiver): Promise<string[][]> {
  const all: string[][] = [];
  for (let a = 0; a < ACCOUNTS; a++) {
    const merchant = await account(front, 'MERCHANT', ['webhooks:manage']);
    for (let e = 0; e < endpoints; e++) {
      const body = { url: `http://127.0.0.1:${to.port}/`, maxInFlight: 64 };
      await front.call('POST', '/v1/webhooks/endpoints', body, merchant.key);
    }
    all.push([merchant.id]);
  }
  return all;
}

/** What earlier work left to be done is done: read, vacuumed, written to the disk. */
export async function settle(databaseUrl: string): Promise<void> {
  await untilRead(databaseUrl);
  await withClient(databaseUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}

export async function publish({ platform }: System, to: string[][], rate: number): Promise<void> {
  const job: PublisherJob & { rate: number } = {
    port: PORT,
    key: platform,
    audiences: to,
    event: SMALL,
    connections: 64,
    seconds: secondsAt(rate),
    rate,
  };
  const said = JSON.parse(await child('./publisher.ts', [JSON.stringify(job)]).line()) as { answered: number };
  const wanted = rate * secondsAt(rate);
  if (said.answered < wanted * 0.98) throw new Error(`only ${said.answered} of ${wanted} were taken`);
}
