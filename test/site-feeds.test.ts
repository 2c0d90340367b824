import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractFromJson, extractFromXml } from '@extractus/feed-extractor';
import { parseFeed } from 'feedsmith';
import RssParser from 'rss-parser';
import { siteFixture } from './helpers/site.ts';

const site = await siteFixture({ env: { SITE_TITLE: 'Feeds & <more>', SITE_LANGUAGE: 'de-AT' } });
const visitor = site.visitor();
const AWKWARD = 'An ]]> & <end> "of" \'it\' 😀';
await site.publish({ title: 'Plain one', body: 'One **bold** word.', tags: ['Sea'] }, '2026-01-02T03:04:05.678Z');
await site.publish(
  {
    title: AWKWARD,
    body: `Text ]]> & \`<b>\` ${AWKWARD}`,
    tags: ['Sea', 'R&D'],
    category: 'Q&A',
    coverImageUrl: 'https://images.example/a.png?b=1&c=2',
  },
  '2026-02-03T04:05:06.789Z',
);

const PUBLISHED = Date.parse('2026-02-03T04:05:06.789Z');

/** What every parser finds in every format. */
interface Parsed {
  title: string | null | undefined;
  items: {
    title: string | null | undefined;
    url: string | null | undefined;
    html: string | null | undefined;
    at: number | null;
  }[];
}

const time = (value: unknown): number => new Date(value as string).getTime();

const PARSERS: Readonly<Record<string, { formats: readonly string[]; parse: (text: string) => Promise<Parsed> }>> = {
  'rss-parser': {
    formats: ['feed.xml', 'atom.xml'],
    async parse(text) {
      const { title, items } = await new RssParser().parseString(text);
      return {
        title,
        items: items.map((i) => ({
          title: i.title,
          url: i.link,
          html: (i as Record<string, string>)['content:encoded'] ?? i.content,
          at: time(i.isoDate),
        })),
      };
    },
  },
  '@extractus/feed-extractor': {
    formats: ['feed.xml', 'atom.xml', 'feed.json'],
    async parse(text) {
      const { title, entries = [] } = (text.startsWith('{') ? extractFromJson : extractFromXml)(text, {
        // What it gives by itself is an excerpt; the text as it was read stands in one of these.
        getExtraEntryFields: (entry) => ({ html: [entry['content:encoded'], entry['content'], entry['content_html']] }),
      });
      return {
        title,
        items: entries.map((e) => ({
          title: e.title,
          url: e.link,
          html: JSON.stringify((e as unknown as { html: unknown }).html),
          // Of an entry in Atom it tells the last change.
          at: text.includes('<feed') ? null : time(e.published),
        })),
      };
    },
  },
  feedsmith: {
    formats: ['feed.xml', 'atom.xml', 'feed.json'],
    async parse(text) {
      const found = parseFeed(text);
      if (found.format === 'rss') {
        const { title, items = [] } = found.feed;
        return {
          title,
          items: items.map((i) => ({ title: i.title, url: i.link, html: i.content?.encoded, at: time(i.pubDate) })),
        };
      }
      if (found.format === 'atom') {
        const { title, entries = [] } = found.feed;
        return {
          title: title?.value,
          items: entries.map((e) => ({
            title: e.title?.value,
            url: e.links?.[0]?.href,
            html: e.content?.value,
            at: time(e.published),
          })),
        };
      }
      if (found.format !== 'json') throw new Error(found.format);
      const { title, items = [] } = found.feed;
      return {
        title,
        items: items.map((i) => ({ title: i.title, url: i.url, html: i.content_html, at: time(i.date_published) })),
      };
    },
  },
};

for (const [name, { formats, parse }] of Object.entries(PARSERS)) {
  describe(name, () => {
    for (const format of formats) {
      test(format, async () => {
        const reply = await visitor.get(`/blog/${format}`);
        assert.equal(reply.status, 200);
        const { title, items } = await parse(reply.text);
        assert.equal(title, 'Feeds & <more>');
        assert.deepEqual(
          items.map((i) => i.title),
          [AWKWARD, 'Plain one'],
        );
        assert.match(items[1]?.url ?? '', /^http:\/\/127\.0\.0\.1:\d+\/blog\/plain-one$/);
        assert.match(items[1]?.html ?? '', /One <strong>bold<\/strong> word\./);
        assert.match(items[0]?.html ?? '', /Text \]\]&gt; &amp; <code>&lt;b&gt;<\/code>/);
        const second = format === 'feed.xml' ? 1000 : 1;
        assert.equal(Math.floor((items[0]?.at ?? PUBLISHED) / second), Math.floor(PUBLISHED / second));
      });
    }
  });
}

test('show the cover image of a post', async () => {
  const covers = [];
  for (const file of ['feed.xml', 'atom.xml']) {
    const found = parseFeed((await visitor.get(`/blog/${file}`)).text);
    const entries = found.format === 'rss' ? found.feed.items : found.format === 'atom' ? found.feed.entries : [];
    for (const { media } of entries ?? []) covers.push(media?.contents?.map(({ url, medium }) => [url, medium]));
  }
  const one = [['https://images.example/a.png?b=1&c=2', 'image']];
  assert.deepEqual(covers, [one, undefined, one, undefined]);
});

test('of a tag and of a category, linked from their pages', async () => {
  for (const [path, count] of [
    ['tag/sea', 2],
    [`tag/${encodeURIComponent('R&D')}`, 1],
    [`category/${encodeURIComponent('q&a')}`, 1],
  ] as const) {
    const page = await visitor.get(`/blog/${path}`);
    const links = page.values('link', 'href', { rel: 'alternate' });
    assert.equal(links.length, 6, 'those of the site and its own');
    for (const link of links.slice(3)) {
      const reply = await visitor.get(link);
      assert.deepEqual([reply.status, reply.text.split('Plain one').length > 1], [200, count === 2], link);
    }
  }
  assert.equal((await visitor.get('/blog/tag/none/feed.xml')).status, 404);
  assert.equal((await visitor.get('/blog/category/none/feed.json')).status, 404);
});

test('of a tag and a category keep their id and address, however the latest post spells them', async () => {
  const spelt = async () => {
    const [tag, feed] = [await visitor.get('/blog/tag/tide'), await visitor.get('/blog/tag/tide/atom.xml')];
    const sitemap = (await visitor.get('/blog/sitemap-lists.xml')).text;
    return [
      tag.values('link', 'href', { rel: 'alternate', type: 'application/atom+xml' }).at(-1),
      /<id>(?<id>[^<]+)/.exec(feed.text)?.groups?.['id'],
      /rel="self"[^>]*href="(?<self>[^"]+)/.exec(feed.text)?.groups?.['self'],
      sitemap.includes('/blog/tag/Tide</loc>'),
    ];
  };
  for (const day of [1, 2])
    await site.publish({ title: `Tide ${day}`, tags: ['Tide'], category: 'Water' }, `2025-01-0${day}T00:00:00Z`);
  const before = await spelt();
  assert.equal(before[0], '/blog/tag/Tide/atom.xml');
  assert.match(String(before[1]), /\/blog\/tag\/tide\/atom.xml$/);
  assert.match(String(before[2]), /\/blog\/tag\/Tide\/atom.xml$/);
  assert.equal(before[3], true);
  await site.publish({ title: 'Tide 3', tags: ['TIDE'], category: 'WATER' }, '2025-01-03T00:00:00Z');
  assert.deepEqual(await spelt(), before);
  const category = await visitor.get('/blog/category/water');
  assert.deepEqual([category.texts('h1'), category.titles.length], [['Water'], 3]);
});

test('of a tag and a category are found by the slugs that other systems have in addresses', async () => {
  for (const [path, there] of [
    ['tag/R-D/feed.xml', `tag/${encodeURIComponent('R&D')}/feed.xml`],
    ['category/q-a/feed.json?a=1', `category/${encodeURIComponent('Q&A')}/feed.json?a=1`],
  ]) {
    const reply = await visitor.get(`/blog/${path}`);
    assert.deepEqual([reply.status, reply.location], [301, `/blog/${there}`]);
  }
});

test('have their types, may be kept for five minutes, and are asked for again by ETag', async () => {
  for (const [file, type] of [
    ['feed.xml', 'application/rss+xml'],
    ['atom.xml', 'application/atom+xml'],
    ['feed.json', 'application/feed+json'],
  ] as const) {
    const reply = await visitor.get(`/blog/${file}`);
    assert.deepEqual(
      [reply.headers.get('content-type'), reply.headers.get('cache-control')],
      [`${type}; charset=utf-8`, 'public, max-age=300'],
    );
    const again = await visitor.get(`/blog/${file}`, { 'if-none-match': reply.headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
  }
});

test('addresses within a post are whole, as readers of feeds know no page that others go on from', async () => {
  await site.publish(
    {
      title: 'Addresses',
      body: '[a](/a?b=1&c=2) [b](b_c) [d](../d) [e](#e) [g](//x.example/g) [h](mailto:h@x.example)\n\n![src="i"](/i.png) <img alt="not src=" src="/j.png"> <a title="its href=" href="/k">k</a> <a title="" href="/l">l</a>\n\n# E',
    },
    '2026-03-03T00:00:00.000Z',
  );
  const base =
    (JSON.parse((await visitor.get('/blog/feed.json')).text) as { items: { url: string }[] }).items[0]?.url ?? '';
  const { origin } = new URL(base);
  const whole = [
    `${origin}/a?b=1&amp;c=2`,
    `${origin}/blog/b_c`,
    `${origin}/blog/../d`,
    `${base}#user-content-e`,
    '//x.example/g',
    'mailto:h@x.example',
    `${origin}/i.png`,
    `${origin}/j.png`,
    `${origin}/k`,
    `${origin}/l`,
  ];
  for (const format of ['rss-parser', 'feedsmith'] as const) {
    for (const file of PARSERS[format]?.formats ?? []) {
      const { items } = (await PARSERS[format]?.parse((await visitor.get(`/blog/${file}`)).text)) ?? { items: [] };
      const found = (items[0]?.html ?? '').matchAll(/<(?:a|img) (?:[\w-]+(?:="[^"]*")? )*?(?:href|src)="([^"]*)"/g);
      assert.deepEqual(
        Array.from(found, ([, address]) => address),
        whole,
        `${format} ${file}`,
      );
    }
  }
});

test('a blog without posts has feeds, too', async () => {
  const empty = await siteFixture();
  const visitor = empty.visitor();
  for (const file of ['feed.xml', 'atom.xml', 'feed.json'])
    assert.ok(parseFeed((await visitor.get(`/blog/${file}`)).text), file);
  assert.deepEqual((await visitor.get('/blog')).texts('p', { class: 'none' }), ['Nothing has been published yet.']);
});

test('a post that runs from the right says so, as feeds have no other word for it', async () => {
  const title = 'مرحبا';
  await site.publish({ title, body: `${title} **React**`, tags: ['Arabic'] });
  const { items } = JSON.parse((await visitor.get('/blog/tag/arabic/feed.json')).text) as {
    items: { content_html: string }[];
  };
  assert.equal(items[0]?.content_html, `<div dir="rtl"><p>${title} <strong>React</strong></p>\n</div>`);
  assert.ok((await visitor.get('/blog/feed.xml')).text.includes('&lt;div dir=&quot;rtl&quot;&gt;'));
});

test('a category that is a tag as well, as it is after an import from Ghost, stands in an item once', async () => {
  const twice = await siteFixture();
  await twice.publish({ title: 'Told once', category: 'Getting Started', tags: ['C#', 'getting started'] });
  const reader = twice.visitor();
  const read = async (format: string) => (await reader.get(`/blog/${format}`)).text;
  const { items } = JSON.parse(await read('feed.json')) as { items: { tags: string[] }[] };
  assert.deepEqual(items[0]?.tags, ['Getting Started', 'C#']);
  const rss = [...(await read('feed.xml')).matchAll(/<category>(.*?)<\/category>/g)].map(([, name]) => name);
  assert.deepEqual(rss, ['Getting Started', 'C#']);
  const atom = [...(await read('atom.xml')).matchAll(/<category term="(.*?)"/g)].map(([, name]) => name);
  assert.deepEqual(atom, ['Getting Started', 'C#']);
});
