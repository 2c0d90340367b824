import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { testDb } from './helpers/database.ts';
import { siteFixture } from './helpers/site.ts';
import { readSitemap } from './helpers/sitemap-rules.ts';

/** PGlite takes ten times as long to write them; it shows there that a second file is begun. */
const POSTS = testDb === 'postgres' ? 100_500 : 50_500;
/** Addresses of one file (sitemaps.org). */
const FILE = 50_000;

/** So many public posts, a minute apart, with the kept counts that go with them; written past the service, which takes minutes. */
async function fill(db: Db, authorId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`
      insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at, updated_at, changed_at)
      select gen_random_uuid(), ${authorId}::uuid, 'post-' || n, 'Post ' || n, 'News', 'news', t, t, t, t, t
      from generate_series(1, ${POSTS}::integer) n, lateral (select timestamptz '2020-01-01' + n * interval '1 minute' as t) as at`.execute(
      trx,
    );
    await sql`insert into post_slugs (slug, post_id) select slug, id from posts on conflict do nothing`.execute(trx);
    await sql`
      insert into post_bodies (post_id, body, html, html_version) select id, 'Text.', '<p>Text.</p>', 1 from posts`.execute(
      trx,
    );
    await sql`
      insert into post_counts (kind, key, name, count)
      select 'all', '', '', count(*) from posts
      union all select 'month', to_char(published_at at time zone 'UTC', 'YYYY-MM'), '', count(*) from posts group by 2
      union all select 'category', 'news', 'News', count(*) from posts
      union all select 'category_as', 'News', 'news', count(*) from posts
      on conflict (kind, key) do update set count = excluded.count`.execute(trx);
  });
  await sql`analyze posts`.execute(db);
}

/** What has held up this process held up the service in it: connections that are idle for too long by now are closed before one is used again. */
const untilIdleAreClosed = (): Promise<void> => new Promise((done) => setTimeout(done, 100));

test('the sitemap of a large blog names each once, in files that fit the schema of sitemaps.org', async (t) => {
  const site = await siteFixture();
  await fill(site.service.service.opened.platform.db, site.editor.id);
  await untilIdleAreClosed();
  const visitor = site.visitor();
  // Pages read off indexes: among so many posts none takes long. Generous, since the machine may be busy.
  for (const path of ['', '/post-50000', '/-/archive', '/-/archive/2020/01?page=300', '/category/news?page=2000']) {
    const from = monotonicNow();
    assert.equal((await visitor.get(`/blog${path}`)).status, 200, path);
    const ms = monotonicNow() - from;
    t.diagnostic(`/blog${path} among ${POSTS} posts: ${ms.toFixed(0)} ms, not read before`);
    assert.ok(ms < 1000, `/blog${path}: ${ms} ms`);
  }
  const files = Array.from({ length: Math.ceil(POSTS / FILE) }, (_, i) => Math.min(FILE, POSTS - i * FILE));
  const index = await visitor.get('/blog/sitemap.xml');
  const { root, locs, faults } = readSitemap(index.text);
  assert.deepEqual([index.status, root, faults], [200, 'sitemapindex', []]);
  assert.deepEqual(
    locs.map((loc) => new URL(loc).pathname),
    ['lists', ...files.map((_, i) => i + 1)].map((name) => `/blog/sitemap-${name}.xml`),
  );

  const listed: string[] = [];
  const sizes: number[] = [];
  for (const loc of locs) {
    const file = await visitor.get(new URL(loc).pathname);
    const read = readSitemap(file.text);
    assert.deepEqual(
      [file.status, file.headers.get('content-type'), read.root, read.faults],
      [200, 'application/xml; charset=utf-8', 'urlset', []],
    );
    sizes.push(read.locs.length);
    listed.push(...read.locs);
    await untilIdleAreClosed();
  }
  assert.deepEqual(sizes.slice(1), files);
  assert.equal(new Set(listed).size, listed.length);
  assert.ok(listed.includes(`${site.service.url}/blog/post-${POSTS}`));
  for (const name of [String(files.length + 1), '0', 'x', '01', '99999999999'])
    assert.equal((await visitor.get(`/blog/sitemap-${name}.xml`)).status, 404, name);
});

test('a file against the schema is found out', () => {
  const file = (inner: string) =>
    readSitemap(
      `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`,
    ).faults;
  const loc = '<loc>https://a.example/b</loc>';
  assert.deepEqual(file(`<url>${loc}<lastmod>2026-01-01T00:00:00.000Z</lastmod></url>`), []);
  for (const wrong of [
    '',
    '<url/>',
    `<url>${loc}${loc}</url>`,
    `<url>${loc}<x/></url>`,
    '<url><loc>/b</loc></url>',
    `<url>${loc}<lastmod>soon</lastmod></url>`,
    `<link/>`,
    `<url><loc>https://a.example/?a&b</loc></url>`,
    'text',
  ]) {
    assert.notDeepEqual(file(wrong), [], wrong);
  }
});
