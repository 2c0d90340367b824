import { child } from './processes.ts';
import { wrk } from './wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const CONNECTIONS = 32;

/** A read, and what a bare Fastify does that sends the same bytes. */
export interface ReadRow {
  name: string;
  requestsPerSecond: number;
  ofBare: number;
  bytes: number;
}

/** Asks for it, and then a bare Fastify for the very same bytes. */
export async function besideBare(name: string, url: string, headers: Record<string, string> = {}): Promise<ReadRow> {
  const bytes = await (await fetch(url, { headers })).text();
  const bare = child('./bare-fastify.ts');
  bare.process.stdin?.write(`${JSON.stringify(bytes)}\n`);
  const port = Number(await bare.line());
  const load = { connections: CONNECTIONS, seconds: SECONDS };
  const asked = { ...load, headers: Object.entries(headers).map(([field, value]) => `${field}: ${value}`) };
  await wrk(url, asked);
  const ours = await wrk(url, asked);
  const theirs = await wrk(`http://127.0.0.1:${port}/`, load);
  await bare.stop();
  return { name, requestsPerSecond: ours, ofBare: ours / theirs, bytes: Buffer.byteLength(bytes) };
}

const row = (r: ReadRow): string =>
  `| ${r.name} | ${r.bytes.toLocaleString('en-US')} | ${Math.round(r.requestsPerSecond).toLocaleString('en-US')} | ${r.ofBare.toFixed(2)} |`;

/** As RESULTS.md has them. */
export const readTable = (rows: readonly ReadRow[]): string => `| Read | bytes | requests/s | of bare Fastify |
|---|---|---|---|
${rows.map(row).join('\n')}
`;
