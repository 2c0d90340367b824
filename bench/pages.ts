/** Pages and feeds of the site beside a bare Fastify that sends the same bytes. See RESULTS.md. */
import { besideBare, type ReadRow, readTable } from './lib/beside-bare.ts';
import { freshDatabase, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';

/** Each page, then a bare Fastify with the very same bytes, in turn. */
export async function pages(): Promise<ReadRow[]> {
  const s = await service(await freshDatabase('posthorn_bench_reads'), 3991, { RATE_LIMIT_ANONYMOUS: '100000000' });
  try {
    await fillPosts(s);
    const at = `http://127.0.0.1:${s.port}/blog`;
    return [
      await besideBare('home page', at),
      await besideBare('page of a post, body of 4 kB', `${at}/post-number-500`),
      await besideBare('RSS feed of 20', `${at}/feed.xml`),
    ];
  } finally {
    await s.stop();
  }
}

/** As RESULTS.md has it. */
export const pagesSection = (rows: readonly ReadRow[]): string => `### Pages

\`node bench/pages.ts\`: the same for pages, asked for by nobody in particular, and as they are, not compressed. They are kept (docs/adr/0042); the rest is the framework, the rate limit by
address, and a look whether what they were made of is the same.

${readTable(rows)}`;

if (import.meta.main) {
  console.log(pagesSection(await pages()));
  process.exit(0);
}
