import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from './helpers/engine.ts';
import { siteFixture } from './helpers/site.ts';
import type { SitePage, Visitor } from './helpers/visitor.ts';

/** Two nodes on one blog, each with pages that it has made before. */
const here = await siteFixture();
const there = await here.beside({});
const ann = await here.reader('Ann');
const nodes = { here: here.visitor(), there: there.visitor() };

const titled = (title: string) => (page: SitePage) => page.titles.includes(title);

/**
 * On the node of the change at once, on the other one soon: within a second, which blog-two-nodes.test.ts holds the API to, and as long as the machine needs besides. Both have
 * shown something else before.
 */
async function turns(path: string, isSo: (page: SitePage) => boolean, change: () => Promise<unknown>): Promise<void> {
  const shows = async (visitor: Visitor): Promise<boolean> => isSo(await visitor.get(path));
  for (const [name, visitor] of Object.entries(nodes)) {
    assert.ok(!(await shows(visitor)), `${path} on the node ${name}, before`);
    assert.ok(!(await shows(visitor)), `${path} on the node ${name}, kept`);
  }
  await change();
  assert.ok(await shows(nodes.here), `${path} on the node of the change`);
  await until(`${path} on the other node`, () => shows(nodes.there), 5000);
}

describe('a page that is kept is as fresh as the API', () => {
  test('home, category, tag, archive and feeds, when a post is published, renamed and taken back', async () => {
    const { id } = await here.publish({ title: 'Before', category: 'News', tags: ['sea'] });
    const has = (text: string) => (page: SitePage) => page.text.includes(text);
    let n = 0;
    const author = (await nodes.here.get('/blog')).values('a', 'href').find((to) => to.startsWith('/blog/author/'));
    assert.ok(author);
    for (const path of ['/blog', '/blog/category/News', '/blog/tag/sea', author]) {
      const title = `Renamed ${++n}`;
      await turns(path, titled(title), () => here.change(id, { title }));
    }
    for (const file of ['feed.xml', 'atom.xml', 'feed.json', 'category/News/feed.xml', 'tag/sea/atom.xml']) {
      const title = `Renamed ${++n}`;
      await turns(`/blog/${file}`, has(title), () => here.change(id, { title }));
    }
    await turns('/blog/-/archive', has('2 posts by date.'), () => here.publish({ title: 'Another' }));
    await turns(
      '/blog',
      (page) => !titled(`Renamed ${n}`)(page),
      () => here.unpublish(id),
    );
  });

  test('a post, when it is changed, liked, commented, and removed', async () => {
    const { id, slug } = await here.publish({ title: 'A post', body: 'Early words.' });
    const path = `/blog/${slug}`;
    const has = (text: string) => (page: SitePage) => page.text.includes(text);
    await turns(path, has('Later words.'), () => here.change(id, { body: 'Later words.' }));
    const likes = (n: string) => (page: SitePage) => page.texts('span', { 'data-count': '' })[0] === n;
    await turns('/blog', has('>1 like<'), () => ann.send(`${path}/like`, { liked: 'true' }));
    await turns(path, likes('0'), () => ann.send(`${path}/like`, { liked: 'false' }));
    await turns(path, likes('1'), () => ann.send(`${path}/like`, { liked: 'true' }));
    await turns(path, has('First comment'), () => ann.send(`${path}/comments`, { body: 'First comment' }));
    await turns(path, has('Second comment'), () => ann.send(`${path}/comments`, { body: 'Second comment' }));
    await turns(
      path,
      (page) => page.status === 410,
      () => here.remove(id),
    );
  });
});

test('who is signed in gets a page of their own, and leaves the one for others as it is', async () => {
  const { slug } = await here.publish({ title: 'For all' });
  const path = `/blog/${slug}`;
  for (let i = 0; i < 2; i++) {
    const [hers, others] = [await ann.get(path), await nodes.here.get(path)];
    assert.match(hers.text, /Signed in as/);
    assert.equal(hers.headers.get('cache-control'), 'private, no-cache');
    assert.doesNotMatch(others.text, /Signed in as/);
    assert.equal(others.headers.get('cache-control'), 'no-cache');
    assert.notEqual(hers.headers.get('etag'), others.headers.get('etag'));
  }
  const etag = (await nodes.here.get(path)).headers.get('etag') ?? '';
  assert.equal((await nodes.here.get(path, { 'if-none-match': etag })).status, 304);
  assert.equal((await ann.get(path, { 'if-none-match': etag })).status, 200);
});

test('each address has its own page, by its path and by what is asked for', async () => {
  for (let i = 0; i < 14; i++)
    await here.publish({ title: `Of many ${i}`, category: i % 2 ? 'Odd' : 'Even', tags: ['Odd'] });
  const paths = [
    '/blog',
    '/blog?page=2',
    '/blog?sort=oldest',
    '/blog/category/Odd',
    '/blog/tag/Odd',
    '/blog/category/Even',
  ];
  const pages = async () => Promise.all(paths.map(async (path) => (await nodes.here.get(path)).text));
  const [first, again] = [await pages(), await pages()];
  assert.deepEqual(again, first);
  assert.equal(new Set(first).size, paths.length);
  const bare = (await here.beside({ env: { BLOG_CACHE_MB: '0' } })).visitor();
  for (const [i, path] of paths.entries()) assert.equal((await bare.get(path)).text, first[i], path);
});
