import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicNow } from '../../src/lib/clock.ts';
import { POSTS_IN_WORDS, REAL_POSTS } from '../helpers/real-posts.ts';
import type { SiteFixture } from '../helpers/site.ts';
import type { RealBlog } from './real-blog.ts';

/** Server time of the home page. Milliseconds. */
const BOUND_MS = 10;
/** How often the home page is asked for; the median counts, or this thread's share of the time where that is less: other processes take the machine. */
const ASKED = 60;
/** How often each of the others is, which are only told. */
const OTHERS_ASKED = 5;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** A page of the list far behind its first. */
const DEEP = Math.floor(REAL_POSTS / 26);

/** What a page of the site takes of the server with the real posts, from ready-made replies and from the database. */
export function homeSpeed({ site }: RealBlog): void {
  test(`with ${POSTS_IN_WORDS} the home page takes at most ${BOUND_MS} ms of the server`, async (t) => {
    // Without ready-made replies each page reads the database: as the first one after every change does.
    const bare = await site.beside({ env: { BLOG_CACHE_MB: '0' } });
    const ask = async (url: string, { service }: SiteFixture = site): Promise<{ ms: number; text: string }> => {
      const from = monotonicNow();
      const reply = await service.service.http.app.inject({ url });
      assert.equal(reply.statusCode, 200);
      return { ms: monotonicNow() - from, text: reply.payload };
    };
    const taken = async (url: string, fixture: SiteFixture, what: string, asked = OTHERS_ASKED): Promise<number> => {
      const first = await ask(url, fixture);
      const times: number[] = [];
      // Of all of them together: it is told in steps of some milliseconds.
      const cpu = process.threadCpuUsage();
      for (let i = 0; i < asked; i++) times.push((await ask(url, fixture)).ms);
      const { user, system } = process.threadCpuUsage(cpu);
      const ms = Math.min(median(times), (user + system) / 1000 / asked);
      const size = Math.round(first.text.length / 1000);
      t.diagnostic(
        `${url} ${what}: ${ms.toFixed(2)} ms (median of ${asked}; the first ${first.ms.toFixed(1)} ms), ${size} kB of HTML`,
      );
      return ms;
    };
    for (const [fixture, what] of [
      [site, 'from ready-made replies'],
      [bare, 'from the database'],
    ] as const) {
      const ms = await taken('/blog', fixture, what, fixture === site ? ASKED : OTHERS_ASKED);
      // The second is only told: the embedded database runs in this very process, and others load the machine.
      if (fixture === site) assert.ok(ms <= BOUND_MS, `${ms} ms ${what}`);
      for (const url of [`/blog?page=${DEEP}`, '/blog?sort=trending', '/blog/v0-10-10', '/blog?q=security+release'])
        await taken(url, fixture, what);
    }
  });
}
