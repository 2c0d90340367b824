import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkdown } from '../src/cli/formats/read-markdown.ts';
import { sendPosts } from '../src/cli/send-posts.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { findOrCreateAuthor } from '../src/modules/accounts/index.ts';
import { importPosts } from '../src/modules/blog/index.ts';
import { inTransaction } from '../src/platform/db/index.ts';
import { unpackRealPosts, withRealPosts } from './helpers/real-posts.ts';
import { type SiteFixture, siteFixture } from './helpers/site.ts';

/** Server time of the home page. Milliseconds. */
const BOUND_MS = 10;
/** Pages asked for; the median counts, since other processes take the machine for moments. */
const ASKED = 200;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

test(`with 1,050 real posts the home page takes at most ${BOUND_MS} ms of the server`, withRealPosts, async (t) => {
  const site = await siteFixture();
  const { platform } = site.service.service.opened;
  const { db, newId } = platform;
  const env = { now: new Date(platform.clock.now()), newId, requestId: 'import' };
  const { items } = await readMarkdown(await unpackRealPosts(), 'nodejs-blog');
  const writer = { id: site.editor.id, role: 'EDITOR' } as const;
  await sendPosts(items, 'f', (posts) =>
    inTransaction(db, (trx) => importPosts(trx, { writer, posts }, env, { findOrCreateAuthor })),
  );
  // Without ready-made replies each page reads the database: as the first one after every change does.
  const bare = await site.beside({ env: { BLOG_CACHE_MB: '0' } });
  const ask = async (url: string, { service }: SiteFixture = site): Promise<{ ms: number; text: string }> => {
    const from = monotonicNow();
    const reply = await service.service.http.app.inject({ url });
    assert.equal(reply.statusCode, 200);
    return { ms: monotonicNow() - from, text: reply.payload };
  };
  const bounded = async (url: string, fixture: SiteFixture, what: string): Promise<number> => {
    const first = await ask(url, fixture);
    const times: number[] = [];
    for (let i = 0; i < ASKED; i++) times.push((await ask(url, fixture)).ms);
    const ms = median(times);
    const size = Math.round(first.text.length / 1000);
    t.diagnostic(
      `${url} ${what}: ${ms.toFixed(2)} ms (median of ${ASKED}; the first ${first.ms.toFixed(1)} ms), ${size} kB of HTML`,
    );
    return ms;
  };
  for (const [fixture, what] of [
    [site, 'from ready-made replies'],
    [bare, 'from the database'],
  ] as const) {
    const ms = await bounded('/blog', fixture, what);
    // The second is only told: the embedded database runs in this very process, and others load the machine.
    if (fixture === site) assert.ok(ms <= BOUND_MS, `${ms} ms ${what}`);
    for (const url of ['/blog?page=40', '/blog?sort=trending', '/blog/v0-10-10', '/blog?q=security+release'])
      await bounded(url, fixture, what);
  }
});
