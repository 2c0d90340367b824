/** Public reads over HTTP beside a bare Fastify that sends the same bytes. See RESULTS.md. */
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

/** Each read, then a bare Fastify with the very same bytes, in turn. */
export async function reads(): Promise<ReadRow[]> {
  const s = await service(await freshDatabase('posthorn_bench_reads'), 3991);
  const rows: ReadRow[] = [];
  try {
    await fillPosts(s);
    const { key } = await account(s, 'SITE', ['blog:read']);
    const authorization = `Authorization: Bearer ${key}`;
    for (const [name, path] of [
      ['list of 20', '/v1/blog/posts'],
      ['detail, body of 4 kB', '/v1/blog/posts/post-number-500'],
    ] as const) {
      const url = `http://127.0.0.1:${s.port}${path}`;
      const bytes = await (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).text();
      const bare = child('./bare-fastify.ts');
      bare.process.stdin?.write(`${JSON.stringify(bytes)}\n`);
      const port = Number(await bare.line());
      const load = { connections: CONNECTIONS, seconds: SECONDS };
      await wrk(url, { ...load, headers: [authorization] });
      const ours = await wrk(url, { ...load, headers: [authorization] });
      const theirs = await wrk(`http://127.0.0.1:${port}/`, load);
      await bare.stop();
      rows.push({ name, requestsPerSecond: ours, ofBare: ours / theirs, bytes: Buffer.byteLength(bytes) });
    }
  } finally {
    await s.stop();
  }
  return rows;
}

const row = (r: ReadRow): string =>
  `| ${r.name} | ${r.bytes.toLocaleString('en-US')} | ${Math.round(r.requestsPerSecond).toLocaleString('en-US')} | ${r.ofBare.toFixed(2)} |`;

/** As RESULTS.md has it. */
export const readsSection = (rows: readonly ReadRow[]): string => `## Public reads

\`node bench/reads.ts\`: 1,000 posts, wrk with 32 connections, beside a bare Fastify that sends the same bytes. The
replies are ready-made (docs/adr/0016); the rest is the key, its rate limit, and the header fields that a reply carries.

| Read | bytes | requests/s | of bare Fastify |
|---|---|---|---|
${rows.map(row).join('\n')}
`;

if (import.meta.main) {
  console.log(readsSection(await reads()));
  process.exit(0);
}
