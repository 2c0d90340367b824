/** Public reads and pages over HTTP beside a bare Fastify that sends the same bytes. See RESULTS.md. */
import { account, child, freshDatabase, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';
import { wrk } from './lib/wrk.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const CONNECTIONS = 32;

export interface ReadRow {
  name: string;
  requestsPerSecond: number;
  ofBare: number;
  bytes: number;
}

/** Reads of the API with a key; pages and feeds are asked for by nobody in particular. */
const READS = [
  ['list of 20', '/v1/blog/posts'],
  ['detail, body of 4 kB', '/v1/blog/posts/post-number-500'],
] as const;
const PAGES = [
  ['home page', '/blog'],
  ['page of a post', '/blog/post-number-500'],
  ['RSS feed', '/blog/feed.xml'],
] as const;

/** Each read, then a bare Fastify with the very same bytes, in turn. */
export async function reads(): Promise<ReadRow[]> {
  const s = await service(await freshDatabase('posthorn_bench_reads'), 3991, { RATE_LIMIT_ANONYMOUS: '100000000' });
  const rows: ReadRow[] = [];
  try {
    await fillPosts(s);
    const { key } = await account(s, 'SITE', ['blog:read']);
    const authorization = `Bearer ${key}`;
    for (const [name, path] of READS)
      rows.push(await measure(name, `http://127.0.0.1:${s.port}${path}`, { authorization }));
    for (const [name, path] of PAGES) rows.push(await measure(name, `http://127.0.0.1:${s.port}${path}`, {}));
  } finally {
    await s.stop();
  }
  return rows;
}

async function measure(name: string, url: string, headers: Record<string, string>): Promise<ReadRow> {
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

/** As RESULTS.md has it. */
export const readsSection = (rows: readonly ReadRow[]): string => `## Public reads

\`node bench/reads.ts\`: 1,000 posts, wrk with 32 connections, beside a bare Fastify that sends the same bytes. The
replies are ready-made (docs/adr/0016), as are the pages (docs/adr/0042); the rest is the key, its rate limit, and the header fields that a reply carries.

| Read | bytes | requests/s | of bare Fastify |
|---|---|---|---|
${rows.map(row).join('\n')}
`;

if (import.meta.main) {
  console.log(readsSection(await reads()));
  process.exit(0);
}
