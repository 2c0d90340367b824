/**
 * 200 endpoints, of which a fifth accepts requests and never answers: what the others notice of it. Each round publishes at the
 * same rate, first undisturbed, then with the fifth hanging; latency is from the publisher's write to the receiver's read.
 * `node bench/hanging.ts`, with BENCH_RATE (events a second, default 400), BENCH_SECONDS (default 20), BENCH_ROUNDS (default 3).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EVENTS } from '../src/contracts/events/index.ts';
import { account, freshDatabase, service } from './lib/processes.ts';

const RATE = Number(process.env.BENCH_RATE ?? 400);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ENDPOINTS = 200;
const HANGING = 40;
const TICK_MS = 25;
const PORT = Number(process.env.BENCH_PORT ?? 3411);

interface Measured {
  p50: number;
  p99: number;
  max: number;
  lost: number;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

/** One service over a new database, with `hanging` of the endpoints never answering. */
async function measure(hanging: number): Promise<Measured> {
  const sentAt = new Map<string, number>();
  const latencies: number[] = [];
  const server = createServer((request, response) => {
    const at = performance.now();
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.url === '/hang') return;
      response.writeHead(200).end();
      const { listingId } = JSON.parse(text) as { listingId: string };
      const sent = sentAt.get(listingId);
      sentAt.delete(listingId);
      if (sent !== undefined) latencies.push(at - sent);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const s = await service(await freshDatabase('posthorn_bench_hanging'), PORT);
  const publisher = await account(s, 'PLATFORM', ['events:publish']);
  const merchants: string[] = [];
  for (let i = 0; i < ENDPOINTS; i++) {
    const merchant = await account(s, 'MERCHANT', ['webhooks:manage']);
    const path = i < hanging ? '/hang' : '/ok';
    await s.call('POST', '/v1/webhooks/endpoints', { url: `${url}${path}`, maxInFlight: 64 }, merchant.key);
    merchants.push(merchant.id);
  }
  let n = 0;
  for (const end = performance.now() + SECONDS * 1000; performance.now() < end; ) {
    const startedAt = performance.now();
    const events = Array.from({ length: Math.round((RATE * TICK_MS) / 1000) }, () => {
      const to = n % ENDPOINTS;
      const listingId = `listing-${n++}`;
      if (to >= hanging) sentAt.set(listingId, startedAt);
      return {
        event: 'listing.created',
        data: { ...EVENTS['listing.created'].example, listingId },
        accountIds: [merchants[to] as string],
      };
    });
    await s.call('POST', '/v1/events', { events }, publisher.key);
    await new Promise((done) => setTimeout(done, Math.max(0, TICK_MS - (performance.now() - startedAt))));
  }
  for (let waited = 0; sentAt.size > 0 && waited < 10_000; waited += 100)
    await new Promise((done) => setTimeout(done, 100));
  await s.stop();
  server.closeAllConnections();
  server.close();
  latencies.sort((a, b) => a - b);
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: latencies.at(-1) ?? Number.NaN,
    lost: sentAt.size,
  };
}

export interface HangingRow extends Measured {
  round: number;
  hanging: number;
  endpoints: number;
  /** p99 beside that of the undisturbed half of the round. */
  ofCalm: number;
}

/** Each round undisturbed and with a fifth of the endpoints hanging. */
export async function hanging(): Promise<HangingRow[]> {
  const rows: HangingRow[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const calm = await measure(0);
    const disturbed = await measure(HANGING);
    const about = { round, endpoints: ENDPOINTS };
    rows.push({ ...about, ...calm, hanging: 0, ofCalm: 1 });
    rows.push({ ...about, ...disturbed, hanging: HANGING, ofCalm: disturbed.p99 / calm.p99 });
  }
  return rows;
}

/** As RESULTS.md has it. */
export function hangingSection(rows: readonly HangingRow[]): string {
  const ms = (value: number): string => value.toFixed(1);
  const lines = rows.map(
    (r) =>
      `| ${r.round} | ${r.hanging} of ${r.endpoints} | ${ms(r.p50)} | ${ms(r.p99)} | ${ms(r.max)} | ${r.lost} | ${r.ofCalm.toFixed(2)} |`,
  );
  return `### Receivers that hang

\`node bench/hanging.ts\`: ${RATE} events a second to ${ENDPOINTS} endpoints in turn, undisturbed and with a fifth of them accepting requests that
they never answer. What the others notice, from the publisher's write to the receiver's read.

| round | hanging | p50 ms | p99 ms | max ms | lost | p99 of undisturbed |
|---|---|---|---|---|---|---|
${lines.join('\n')}
`;
}

if (import.meta.main) {
  console.log(hangingSection(await hanging()));
  process.exit(0);
}
