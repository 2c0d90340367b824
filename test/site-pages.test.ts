import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../src/lib/clock.ts';
import { siteFixture } from './helpers/site.ts';
import { Visitor } from './helpers/visitor.ts';

const clock = new ManualClock('2026-03-10T12:00:00.000Z');
const site = await siteFixture({ clock, env: { SITE_TITLE: 'Tide & Co', SITE_DESCRIPTION: 'About <water>.' } });
const visitor = site.visitor();
const daysAgo = (n: number): string => new Date(clock.now() - n * 86_400_000).toISOString();

const LONG = `Opening words about harbours.

## First part

Text of it.

\`\`\`js
const depth = 3;
\`\`\`

## Second *part*

| a | b |
|---|---|
| 1 | 2 |

- [x] measured
- [ ] drawn

### Deeper

Estuaries are wide.
`;
const featured = await site.publish({ title: 'Featured & first', featured: true, category: 'Guides' }, daysAgo(9));
const old = await site.publish({ title: 'The old one', slug: 'the-old-one', tags: ['Sea'] }, daysAgo(300));
const long = await site.publish(
  {
    title: 'Harbours and estuaries',
    body: LONG,
    tags: ['Sea', 'C++ & "quotes"'],
    category: 'Guides',
    coverImageUrl: 'https://images.example/h.png',
    coverImageAlt: 'A harbour',
    excerpt: 'What a <harbour> is.',
  },
  daysAgo(3),
);
for (let i = 1; i <= 14; i++) await site.publish({ title: `Note ${i}`, category: 'Notes' }, daysAgo(20 + i));

test('a method that a page does not take is told with those that it does', async () => {
  for (const [path, method, allow] of [
    ['/blog', 'POST', 'GET, HEAD'],
    ['/blog/the-old-one', 'DELETE', 'GET, HEAD'],
    ['/blog/feed.xml', 'PUT', 'GET, HEAD'],
    ['/blog/-/sign-in', 'DELETE', 'GET, HEAD, POST'],
  ] as const) {
    const reply = await fetch(site.service.url + path, { method });
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, allow], path);
  }
});

describe('the home page', () => {
  test('has the featured post, the newest posts, categories and tags', async () => {
    const page = await visitor.get('/blog');
    assert.equal(page.status, 200);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.deepEqual(page.texts('title'), ['Tide & Co']);
    assert.deepEqual(page.values('meta', 'content', { name: 'description' }), ['About <water>.']);
    assert.deepEqual(page.titles.slice(0, 3), ['Featured & first', 'Harbours and estuaries', 'Note 1']);
    assert.equal(page.titles.length, 12, 'the featured one is not there twice');
    assert.deepEqual(page.texts('a', { href: '/blog/category/Guides' }).slice(0, 1), ['Guides']);
    assert.ok(page.all('a', { href: '/blog/tag/C%2B%2B%20%26%20%22quotes%22' }).length > 0);
    assert.deepEqual(page.values('link', 'href', { type: 'application/rss+xml' }), ['/blog/feed.xml']);
    assert.deepEqual(
      page.all('script').map((script) => [script.attribs['src'] !== undefined, script.children.length]),
      [[true, 0]],
    );
  });

  test('goes from page to page without repeating or leaving out a post, and ends with a 404', async () => {
    const [one, two] = [await visitor.get('/blog?sort=oldest'), await visitor.get('/blog?sort=oldest&page=2')];
    assert.deepEqual(one.values('a', 'href', { rel: 'next' }), ['/blog?sort=oldest&page=2']);
    const titles = [...one.titles, ...two.titles];
    assert.deepEqual([titles.length, new Set(titles).size, titles[0]], [17, 17, 'The old one']);
    assert.equal((await visitor.get('/blog?page=3')).status, 404);
    assert.equal((await visitor.get('/blog?page=none&utm_source=x')).status, 200);
  });

  test('searches, and marks what was found in titles and texts', async () => {
    const page = await visitor.get('/blog?q=estuary');
    assert.deepEqual(page.titles, ['Harbours and estuaries']);
    assert.deepEqual(page.texts('mark'), ['estuaries', 'Estuaries']);
    assert.deepEqual(page.values('meta', 'content', { name: 'robots' }), ['noindex']);
    assert.deepEqual(page.values('input', 'value', { name: 'q' }), ['estuary']);
    const none = await visitor.get('/blog?q=%3Cb%3E%00zzzz');
    assert.equal(none.status, 200);
    assert.ok(none.texts('p', { role: 'status' }).includes('Nothing found.'));
    assert.deepEqual(none.texts('h1'), ['Search: <b> zzzz']);
  });

  test('is asked for again with its ETag, by HEAD too, and for all methods under the same policy', async () => {
    const first = await visitor.get('/blog');
    const etag = first.headers.get('etag') ?? '';
    const again = await visitor.get('/blog', { 'if-none-match': etag });
    assert.deepEqual([again.status, again.text], [304, '']);
    const head = await fetch(`${site.service.url}/blog`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('etag')], [200, etag]);
    const policy = first.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(first.headers.get('cache-control'), 'no-cache');
    assert.equal(first.headers.get('vary'), 'Cookie, Accept-Encoding');
    assert.deepEqual(first.headers.getSetCookie(), []);
  });
});

describe('the page of a post', () => {
  test('has all that belongs to it', async () => {
    const page = await visitor.get(`/blog/${long.slug}`);
    assert.equal(page.status, 200);
    assert.deepEqual(page.texts('title'), ['Harbours and estuaries – Tide & Co']);
    assert.deepEqual(page.texts('h1'), ['Harbours and estuaries']);
    assert.deepEqual(page.texts('p', { class: 'standfirst' }), ['What a <harbour> is.']);
    assert.deepEqual(page.values('img', 'alt', { class: 'cover' }), ['A harbour']);
    assert.deepEqual(
      page.texts('a').filter((text) => /part|Deeper/.test(text)),
      ['First part', 'Second part', 'Deeper'],
    );
    for (const href of page.values('a', 'href').filter((link) => link.startsWith('#user-content-')))
      assert.equal(
        page.all('h2', { id: href.slice(1) }).length + page.all('h3', { id: href.slice(1) }).length,
        1,
        href,
      );
    assert.ok(page.all('span', { class: 'hljs-keyword' }).length > 0, 'code has colours');
    assert.deepEqual(page.values('pre', 'tabindex'), ['0']);
    assert.deepEqual(page.values('input', 'aria-label', { type: 'checkbox' }), ['Done', 'To do']);
    assert.equal(page.all('div', { class: 'scroll', tabindex: '0' }).length, 1);
    assert.deepEqual(page.values('a', 'href', { rel: 'prev' }), [`/blog/${featured.slug}`]);
    assert.ok(page.all('section', { class: 'related narrow' }).length === 1);
    assert.deepEqual(page.values('meta', 'content', { property: 'og:title' }), ['Harbours and estuaries']);
    const [data = ''] = page.texts('script', { type: 'application/ld+json' });
    const jsonLd = JSON.parse(data) as Record<string, unknown>;
    assert.deepEqual(page.all('link', { rel: 'canonical' }), [], 'not known without POSTHORN_PUBLIC_URL');
    assert.deepEqual([jsonLd['@type'], jsonLd['description']], ['BlogPosting', 'What a <harbour> is.']);
  });

  test('an excerpt that was made of the text is not shown above it', async () => {
    assert.deepEqual((await visitor.get(`/blog/${old.slug}`)).texts('p', { class: 'standfirst' }), []);
  });

  test('an old address leads to the new one', async () => {
    await site.change(old.id, { slug: 'a-newer-one' });
    const moved = await visitor.get('/blog/the-old-one');
    assert.deepEqual([moved.status, moved.location], [301, '/blog/a-newer-one']);
    assert.equal((await visitor.get('/blog/a-newer-one')).status, 200);
  });

  test('an address in capitals, or in letters that no slug has, leads to the usual one, with its query', async () => {
    const there = async (path: string) => {
      const { status, location } = await visitor.get(path);
      return [status, location];
    };
    assert.deepEqual(await there(`/blog/${long.slug.toUpperCase()}/?a=1`), [301, `/blog/${long.slug}?a=1`]);
    await site.change(featured.id, { slug: 'featured-then' });
    await site.change(featured.id, { slug: featured.slug });
    assert.deepEqual(await there('/blog/Featured-Then'), [301, `/blog/${featured.slug}`]);
    await site.publish({ title: 'Привет, мир' });
    assert.deepEqual(await there(`/blog/${encodeURIComponent('привет_мир')}`), [301, '/blog/privet-mir']);
    const passed = await site.publish({ title: 'Soon gone' });
    await site.remove(passed.id);
    assert.equal((await visitor.get('/blog/Soon-Gone')).status, 410);
    for (const path of ['Never-There', '%F0%9F%91%8D', 'a_'.repeat(100)])
      assert.equal((await visitor.get(`/blog/${path}`)).status, 404, path);
  });

  test('an address with a slash at its end leads to the one without, with its query; what is nowhere stays so', async () => {
    const client = site.service.url;
    for (const [path, location] of [
      [`/blog/${long.slug}/`, `/blog/${long.slug}`],
      [`/blog/${long.slug}/?comments=1&a=b?c`, `/blog/${long.slug}?comments=1&a=b?c`],
      ['/blog/tag/sea/', '/blog/tag/sea'],
      ['/blog/-/archive/2026/02/', '/blog/-/archive/2026/02'],
      ['/blog/feed.xml/', '/blog/feed.xml'],
      ['/blog/sitemap.xml/', '/blog/sitemap.xml'],
    ] as const) {
      const moved = await visitor.get(path);
      assert.equal(moved.status, 301, path);
      assert.equal(new URL(moved.location, client + path).href, client + location, path);
      const caching = [moved, await visitor.get(location)].map(({ headers }) => headers.get('cache-control'));
      assert.ok(caching[0] !== null && caching[0] === caching[1], `${path}: ${caching.join(' and ')}`);
    }
    assert.equal((await visitor.get('/blog/never-there/')).status, 404);
    assert.equal((await visitor.get('/blog/')).status, 200);
  });

  test('what was public is gone, what was not is not there', async () => {
    const [archived, deleted, scheduled] = [
      await site.publish({ title: 'To be archived' }),
      await site.publish({ title: 'To be deleted' }),
      await site.publish({ title: 'Of tomorrow' }, '2026-03-11T12:00:00.000Z'),
    ];
    await site.unpublish(archived.id);
    await site.remove(deleted.id);
    for (const { slug } of [archived, deleted]) {
      const page = await visitor.get(`/blog/${slug}`);
      assert.deepEqual([page.status, page.texts('h1')], [410, ['This post is gone']], slug);
    }
    for (const path of [
      scheduled.slug,
      'never-there',
      'Never_There',
      '-/nothing',
      'tag/none',
      'author/no%20one',
      'a/b/c',
    ]) {
      const page = await visitor.get(`/blog/${path}`);
      assert.deepEqual([page.status, page.texts('h1')], [404, ['Page not found']], path);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    for (const path of ['caf%E9', 'tag/%zz', 'a%00b', `tag/${'x'.repeat(501)}`]) {
      const page = await visitor.get(`/blog/${path}`);
      assert.deepEqual([page.status, page.texts('h1')], [400, ['Page not found']], path.slice(0, 20));
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    clock.advance(86_400_000);
    assert.equal((await visitor.get(`/blog/${scheduled.slug}`)).status, 200, 'on time, without anybody doing anything');
  });
});

describe('the page of a preview link', () => {
  const writer = site.service.client(site.editor.token);
  const pathOf = (pageUrl: string | null): string => new URL(pageUrl ?? 'none:').pathname;
  const linkTo = async (id: string): Promise<string> =>
    pathOf((await writer.createPreviewLink({ id, body: { expiresInSeconds: 60 } })).pageUrl);

  test('shows a draft as it is to whoever has it; nobody keeps, indexes or passes it on', async () => {
    const { id } = await writer.createPost({ body: { title: 'Not <b>yet', body: 'Some **words**.' } });
    const path = await linkTo(id);
    const page = await visitor.get(path);
    assert.deepEqual([page.status, page.texts('h1'), page.texts('strong')], [200, ['Not <b>yet'], ['words']]);
    const moved = await visitor.get(`${path}/`);
    assert.equal(moved.status, 301);
    for (const { headers } of [page, moved])
      assert.deepEqual(
        ['cache-control', 'x-robots-tag', 'referrer-policy'].map((name) => headers.get(name)),
        ['private, no-store', 'noindex', 'no-referrer'],
      );
    assert.deepEqual(page.values('meta', 'content', { name: 'robots' }), ['noindex']);
    assert.deepEqual([page.all('link', { rel: 'canonical' }), page.all('img', { class: 'pixel' })], [[], []]);
    assert.ok(!page.text.includes(path), 'the token stands nowhere in the page');
    await site.change(id, { title: 'Better' });
    assert.deepEqual((await visitor.get(path)).texts('h1'), ['Better']);
    const { id: empty } = await writer.createPost({ body: {} });
    const bare = await visitor.get(await linkTo(empty));
    assert.deepEqual([bare.status, bare.texts('h1'), bare.all('p', { class: 'kicker' })], [200, ['Untitled'], []]);
  });

  test('is a 404 that says so when the link has been ended, is over, or is none', async () => {
    const { id } = await writer.createPost({ body: { title: 'For a while' } });
    const ended = await linkTo(id);
    await writer.endPreviewLinks({ id });
    const over = await linkTo(id);
    clock.advance(60_000);
    for (const path of [ended, over, `${over}x`, '/blog/-/preview/no-token']) {
      const page = await visitor.get(path);
      assert.deepEqual([page.status, page.texts('h1')], [404, ['This link shows nothing']], path);
      assert.equal(page.headers.get('cache-control'), 'private, no-store');
      assert.doesNotMatch(page.text, /For a while/);
    }
  });

  test('is below the public address, and none where there is no site', async () => {
    for (const [env, begins] of [
      [{ POSTHORN_PUBLIC_URL: 'https://shop.example/news/' }, 'https://shop.example/news/blog/-/preview/'],
      [{ SITE: 'off' }, null],
    ] as const) {
      const { service } = await site.beside({ clock, env });
      const made = await service.client(site.editor.token).createPreviewLink({ id: long.id, body: {} });
      assert.equal(made.pageUrl, begins && begins + made.token);
    }
  });
});

describe('lists', () => {
  test('of a category, a tag and an author, whatever the case of the address', async () => {
    const category = await visitor.get('/blog/category/gUIDES');
    assert.deepEqual([category.texts('h1'), category.titles.length], [['Guides'], 2]);
    const tag = await visitor.get(`/blog/tag/${encodeURIComponent('c++ & "QUOTES"')}`);
    assert.deepEqual([tag.texts('h1'), tag.titles], [['C++ & "quotes"'], ['Harbours and estuaries']]);
    const [name] = (await visitor.get('/blog')).values('a', 'href').filter((link) => link.includes('/author/'));
    assert.ok((await visitor.get(name ?? '')).titles.length > 1);
  });

  test('of a category and a tag are found by the slugs that other systems have in addresses', async () => {
    const tag = await visitor.get('/blog/tag/C-Quotes/?sort=oldest');
    assert.deepEqual(
      [tag.status, tag.location],
      [301, `/blog/tag/${encodeURIComponent('C++ & "quotes"')}?sort=oldest`],
    );
    for (const path of ['/blog/tag/c', '/blog/tag/sea?page=9', '/blog/author/no-one', '/blog/author/notes'])
      assert.equal((await visitor.get(path)).status, 404, path);
  });

  test('of a tag by the address of a category, and the other way round, where it is none', async () => {
    for (const [path, there] of [
      ['tag/notes', 'category/Notes'],
      ['tag/guides/feed.xml?a=1', 'category/Guides/feed.xml?a=1'],
      ['category/Sea/?sort=oldest', 'tag/Sea?sort=oldest'],
      ['category/c-quotes', `tag/${encodeURIComponent('C++ & "quotes"')}`],
    ]) {
      const { status, location } = await visitor.get(`/blog/${path}`);
      assert.deepEqual([status, location], [301, `/blog/${there}`], path);
    }
  });

  test('the letters of a category are not spaced where they hang together', async () => {
    for (const [category, kind] of [
      ['أخبار', 'kicker joined'],
      ['समाचार', 'kicker joined'],
      ['News from Tōkyō', 'kicker'],
    ] as const) {
      const { slug } = await site.publish({ title: 'Spaced', category }, daysAgo(400));
      const kinds = (await visitor.get(`/blog/${slug}`)).values('p', 'class');
      assert.equal(
        kinds.find((one) => one.startsWith('kicker')),
        kind,
        category,
      );
    }
    const [css = ''] = (await visitor.get('/blog')).values('link', 'href', { rel: 'stylesheet' });
    assert.match((await visitor.get(css)).text, /\.kicker\.joined\s*\{\s*letter-spacing: normal/);
  });

  test('by year and month', async () => {
    const all = await visitor.get('/blog/-/archive');
    assert.ok(all.values('a', 'href').includes('/blog/-/archive/2026/02'));
    const february = await visitor.get('/blog/-/archive/2026/02');
    assert.deepEqual(february.texts('h1'), ['February 2026']);
    const listed = february.texts('ol').join(' ');
    assert.match(listed, /Note 1Feb.*Note 14$/);
    const year = await visitor.get('/blog/-/archive/2025');
    assert.match(year.text, /a-newer-one/);
    for (const path of ['2026/13', '2024', '26', '2026/2', '0000', '0000/01', '9999', '9999/12'])
      assert.equal((await visitor.get(`/blog/-/archive/${path}`)).status, 404);
  });
});

test('files have a digest in their name and are kept for ever', async () => {
  const page = await visitor.get('/blog');
  const files = [...page.values('link', 'href', { rel: 'stylesheet' }), ...page.values('script', 'src')];
  for (const file of files) {
    const reply = await visitor.get(file);
    assert.equal(reply.status, 200);
    assert.match(reply.headers.get('cache-control') ?? '', /immutable/);
    assert.ok(reply.text.length < 50_000, `${file}: ${reply.text.length}`);
  }
  assert.match((await visitor.get(files[0] ?? '')).text, /--accent:#/);
});

test('the root leads to the blog; robots are told where to look', async () => {
  const root = await visitor.get('/');
  assert.deepEqual([root.status, root.location], [302, '/blog']);
  assert.match((await visitor.get('/robots.txt')).text, /^Sitemap: http:\/\/127\.0\.0\.1:\d+\/blog\/sitemap\.xml$/m);
});

test('below a public address with a path, all links have it, and canonical addresses are those of the API', async () => {
  const below = await site.beside({ clock, env: { POSTHORN_PUBLIC_URL: 'https://shop.example/news/' } });
  const page = await new Visitor(below.service.url).get(`/blog/${long.slug}`);
  const links = page.values('a', 'href').filter((link) => link.startsWith('/'));
  assert.ok(links.length > 10 && links.every((link) => link.startsWith('/news/blog')), links.join());
  const { body } = await below.service.call<{ seo: { canonical: string } }>('GET', `/v1/blog/posts/${long.slug}`, {
    token: below.editor.token,
  });
  assert.deepEqual(page.values('link', 'href', { rel: 'canonical' }), [body.seo.canonical]);
  assert.equal(body.seo.canonical, `https://shop.example/news/blog/${long.slug}`);
});

test('contents lead to each heading of a post, whatever the letters of its id', async () => {
  const ids = ['über-uns', 'preise:2026', 'impressum+recht', '100%', 'contact'];
  const body = ids.map((id) => `## About ${id} {#${id}}\n\nText.\n`).join('\n');
  const page = await visitor.get(`/blog/${(await site.publish({ title: 'Contents', body }, daysAgo(400))).slug}`);
  const places = page.values('a', 'href').filter((href) => href.startsWith('#user-content-'));
  assert.ok(
    places.every((place) => /^#[\w.%-]+$/.test(place)),
    places.join(),
  );
  const led = places.map((place) => decodeURIComponent(place.slice(1)));
  assert.deepEqual(
    led,
    ids.map((id) => `user-content-${id}`),
  );
  for (const id of led) assert.equal(page.all('h2', { id }).length, 1, id);
});

test('with SITE=off there are no pages, and errors are those of the API', async () => {
  const off = await site.beside({ clock, env: { SITE: 'off' } });
  for (const path of ['/', '/blog', `/blog/${long.slug}`, '/robots.txt']) {
    const reply = await new Visitor(off.service.url).get(path);
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [404, 'application/json; charset=utf-8'], path);
  }
});
