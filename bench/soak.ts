/**
 * An hour at half load (SOAK_MINUTES): what the service and its database use must not grow. Writes bench/soak.svg and prints the
 * section of RESULTS.md.
 */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { SMALL } from './lib/event.ts';
import { fillPosts } from './lib/posts.ts';
import { account, type BenchService, child, countOf, freshDatabase, service } from './lib/processes.ts';
import type { PublisherJob } from './lib/publisher.ts';
import { receiver, settled } from './lib/receivers.ts';
import { publishTo } from './lib/wrk.ts';
import { plot, type Series } from './soak/plot.ts';
import { type Sample, sample } from './soak/samples.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const EVERY_MS = 15_000;
const MERCHANTS = 50;
/** Of these, the last ones' receivers refuse everything: their deliveries are tried again, which is what makes dead rows. */
const FAILING = 5;
const READS_PER_SECOND = 100;
const VIEWS_PER_SECOND = 10;
const FULL_SECONDS = 20;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

async function refusing(): Promise<{ url: string; stop(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(500).end('no'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () => void (server.closeAllConnections(), server.close()),
  };
}

/** Lists, details, searches, and views, at a steady rate. */
function readers(s: BenchService, key: string): { failed: () => number; stop(): void } {
  let failed = 0;
  let turn = 0;
  let visit = 0;
  const ask = (method: string, path: string): void => {
    const init = {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(method === 'POST' ? { 'idempotency-key': `visit-${visit++}` } : {}),
      },
    };
    fetch(`http://127.0.0.1:${s.port}${path}`, init)
      .then(async (reply) => {
        await reply.arrayBuffer();
        if (reply.status >= 400) failed++;
      })
      .catch(() => failed++);
  };
  const paths = ['?limit=20', '/post-number-7', '?tag=tag-1', '?q=sentence', '?sort=most_viewed', '/post-number-900'];
  const timers = [
    setInterval(() => ask('GET', `/v1/blog/posts${paths[turn++ % paths.length]}`), 1000 / READS_PER_SECOND),
    setInterval(() => ask('POST', `/v1/blog/posts/post-number-${turn % 1000}/view`), 1000 / VIEWS_PER_SECOND),
  ];
  return { failed: () => failed, stop: () => timers.forEach((timer) => clearInterval(timer)) };
}

export interface SoakResult {
  minutes: number;
  eventsPerSecond: number;
  samples: readonly Sample[];
  failedReads: number;
  lost: number;
}

/** Runs it on a fresh database. */
export async function soak(): Promise<SoakResult> {
  const to = await receiver();
  const no = await refusing();
  const databaseUrl = await freshDatabase('posthorn_bench_soak');
  const s = await service(databaseUrl, 3996);
  try {
    const platform = await account(s, 'PLATFORM', ['events:publish']);
    const site = await account(s, 'SITE', ['blog:read']);
    await fillPosts(s);
    const audiences: string[][] = [];
    for (let i = 0; i < MERCHANTS; i++) {
      const merchant = await account(s, 'MERCHANT', ['webhooks:manage']);
      const url = i < MERCHANTS - FAILING ? `http://127.0.0.1:${to.port}/` : no.url;
      await s.call('POST', '/v1/webhooks/endpoints', { url, maxInFlight: 64 }, merchant.key);
      audiences.push([merchant.id]);
    }
    const load = { key: platform.key, event: SMALL, audiences, connections: 64, seconds: FULL_SECONDS };
    const full = await publishTo(`http://127.0.0.1:${s.port}`, load);
    await settled(to);
    const eventsPerSecond = Math.round(full / 2);
    const job: PublisherJob = {
      port: s.port,
      key: platform.key,
      audiences,
      event: SMALL,
      connections: 64,
      seconds: MINUTES * 60,
      rate: eventsPerSecond,
    };
    console.error(`full load ${Math.round(full)} events/s; ${MINUTES} minutes at ${eventsPerSecond}/s`);
    const publisher = child('./publisher.ts', [JSON.stringify(job)]);
    const reading = readers(s, site.key);
    const samples: Sample[] = [];
    await to.ask('reset');
    for (let i = 0; i < (MINUTES * 60_000) / EVERY_MS; i++) {
      await pause(EVERY_MS);
      const { p50, p99 } = await to.ask('reset');
      const one = { ...(await sample(databaseUrl, s.pid)), p50, p99 };
      samples.push(one);
      console.error(JSON.stringify(one));
    }
    await publisher.line();
    reading.stop();
    await settled(to);
    const due = await countOf(databaseUrl, 'events e');
    const rows = await countOf(databaseUrl, 'webhook_deliveries where replay_of is null');
    return { minutes: MINUTES, eventsPerSecond, samples, failedReads: reading.failed(), lost: due - rows };
  } finally {
    await s.stop();
    await to.stop();
    no.stop();
  }
}

const NAMES: Readonly<Record<keyof Sample, readonly [title: string, unit: string]>> = {
  rssMb: ['Memory of the service', 'MB'],
  handles: ['Open handles', 'number'],
  connections: ['Connections of PostgreSQL', 'number'],
  eventBytes: ['Table of events', 'bytes a row'],
  eventIndexBytes: ['Indexes of events', 'bytes a row'],
  deliveryBytes: ['Tables of deliveries', 'bytes a row'],
  deliveryIndexBytes: ['Indexes of deliveries', 'bytes a row'],
  changingKb: ['Tables whose rows change', 'kB'],
  deadThousands: ['Dead rows', 'thousands'],
  p50: ['Publish to receive, p50', 'ms'],
  p99: ['Publish to receive, p99', 'ms'],
};

const seriesOf = (samples: readonly Sample[]): Series[] =>
  Object.entries(NAMES).map(([name, [title, unit]]) => ({
    title,
    unit,
    values: samples.map((s) => s[name as keyof Sample]),
  }));

const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / Math.max(1, values.length);

/** As RESULTS.md has it: the second quarter beside the last one, since the first one fills caches and pools. */
export function soakSection({ minutes, eventsPerSecond, samples, failedReads, lost }: SoakResult): string {
  const quarter = Math.floor(samples.length / 4);
  const lines = seriesOf(samples).map(({ title, unit, values }) => {
    const [early, late] = [mean(values.slice(quarter, 2 * quarter)), mean(values.slice(-quarter))];
    const figures = [early, late, Math.max(...values)].map((v) => v.toFixed(v < 100 ? 1 : 0));
    return `| ${title}, ${unit} | ${figures.join(' | ')} | ${(late / early).toFixed(2)} |`;
  });
  return `## Soak

\`node bench/soak.ts\`: one process with everything on PostgreSQL for ${minutes} minutes, at half of the events that it took at full load: ${eventsPerSecond} a second for
${MERCHANTS} merchants, of whom ${FAILING} refuse everything, and ${READS_PER_SECOND} reads and ${VIEWS_PER_SECOND} views of the blog a second; on ${cpus().length} cores. Failed reads: ${failedReads}; events without a
delivery: ${lost}. Means of the second quarter of the time and of the last one.

| What | second quarter | last quarter | greatest | last / second |
|---|---|---|---|---|
${lines.join('\n')}

![What was used over the time](soak.svg)
`;
}

/** Writes the picture that the section shows. */
export const keepPlot = ({ samples, minutes }: SoakResult): Promise<void> =>
  writeFile(new URL('./soak.svg', import.meta.url), plot(seriesOf(samples), minutes));

if (import.meta.main) {
  const result = await soak();
  await keepPlot(result);
  console.log(soakSection(result));
  process.exit(0);
}
