/** Public reads over HTTP beside a bare Fastify that sends the same bytes. See RESULTS.md. */
import { besideBare, type ReadRow, readTable } from './lib/beside-bare.ts';
import { account, freshDatabase, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';

/** Each read, then a bare Fastify with the very same bytes, in turn. */
export async function reads(): Promise<ReadRow[]> {
  const s = await service(await freshDatabase('posthorn_bench_reads'), 3991);
  try {
    await fillPosts(s);
    const { key } = await account(s, 'SITE', ['blog:read']);
    const headers = { authorization: `Bearer ${key}` };
    const at = `http://127.0.0.1:${s.port}/v1/blog/posts`;
    return [
      await besideBare('list of 20', at, headers),
      await besideBare('detail, body of 4 kB', `${at}/post-number-500`, headers),
    ];
  } finally {
    await s.stop();
  }
}

/** As RESULTS.md has it. */
export const readsSection = (rows: readonly ReadRow[]): string => `## Public reads

\`node bench/reads.ts\`: 1,000 posts, wrk with 32 connections, beside a bare Fastify that sends the same bytes. The
replies are ready-made (docs/adr/0016); the rest is the key, its rate limit, and the header fields that a reply carries.

${readTable(rows)}`;

if (import.meta.main) {
  console.log(readsSection(await reads()));
  process.exit(0);
}
