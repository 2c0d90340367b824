import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fit } from './fit.ts';
import { OldSite } from './old-site.ts';
import { readGhost } from './read-ghost.ts';
import { readWordPress } from './read-wordpress.ts';

/** The text of the first post of a file, with its notes. */
async function first({
  items,
}: Awaited<ReturnType<typeof readGhost>>): Promise<[body: string | undefined, notes: string[]]> {
  for await (const item of items) if ('post' in item) return [item.post.body?.trim(), item.notes];
  assert.fail('no post');
}
const bytes = (text: string) =>
  async function* () {
    yield Buffer.from(text);
  };

describe('links between the posts of an export', () => {
  const post = (slug: string, html: string, more = {}) => ({
    uuid: slug,
    slug,
    title: slug,
    html,
    status: 'published',
    published_at: '2020-01-01',
    ...more,
  });
  const ghost = (html: string, site?: string) => {
    const posts = [
      post('a', html),
      post('b', 'B'),
      post('c', 'C', { visibility: 'members' }),
      post('d', 'D', { type: 'page' }),
    ];
    return readGhost(bytes(JSON.stringify({ db: [{ data: { posts } }] })), { name: 'g', category: 'c', site });
  };

  test('of Ghost lead to their pages here, and what else is on the old site is told', async () => {
    const html = `<a href="__GHOST_URL__/b/">1</a> <a class="x" href="http://www.old.example/B/#p">2</a> <a href="__GHOST_URL__/c/">3</a>
      <a href="__GHOST_URL__/d/">4</a> <a href="https://other.example/b/">5</a> <code>&lt;a href="__GHOST_URL__/b/"></code><img src="__GHOST_URL__/i.png">`;
    assert.deepEqual(await first(await ghost(html, 'https://old.example/')), [
      '[1](/blog/b) [2](/blog/b#p) [3](https://old.example/c/) [4](https://old.example/d/) [5](https://other.example/b/) `<a href="https://old.example/b/">`![](https://old.example/i.png)',
      [
        'link https://old.example/c/ and 1 more left as written: it leads to the old site',
        'image https://old.example/i.png left as written: it stays on the old site',
      ],
    ]);
    const [body] = await first(await ghost('<a href="__GHOST_URL__/b/">1</a> <a href="__GHOST_URL__/">2</a>'));
    assert.equal(body, '[1](/blog/b) [2](/)');
    const [below] = await first(await ghost('<a href="__GHOST_URL__/b/">1</a>', 'https://old.example/news'));
    assert.equal(below, '[1](/blog/b)');
  });

  test('of WordPress lead to their pages here, whichever of their addresses is written', async () => {
    const item = (id: number, slug: string, content: string, more = '') => `<item><title>T</title>
      <link>https://wp.example/2020/${slug}/</link><content:encoded><![CDATA[${content}]]></content:encoded><wp:post_id>${id}</wp:post_id>
      <wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt><wp:post_name>${slug}</wp:post_name>
      <wp:status>publish</wp:status><wp:post_type>post</wp:post_type>${more}</item>`;
    const content = `<a href='https://wp.example/2020/b'>1</a> <a href="//www.wp.example/?p=2">2</a> <a href="/2020/b/#x">3</a>
      <a href="/?p=3">4</a> <a href="https://wp.example/2020/s/">5</a> <img src="/i.png">`;
    const items = [
      item(1, 'a', content),
      item(2, 'b', 'B'),
      item(3, 'b', 'the second'),
      item(4, 's', 'S', '<wp:post_password>x</wp:post_password>'),
    ];
    const xml = `<rss xmlns:content="c" xmlns:wp="w"><channel><link>https://wp.example</link>${items.join('')}</channel></rss>`;
    const [body, notes] = await first(await readWordPress(bytes(xml), { category: 'c' }));
    assert.equal(
      body?.replaceAll(/\s+/g, ' '),
      '[1](/blog/b) [2](/blog/b) [3](/blog/b#x) [4](/?p=3) [5](https://wp.example/2020/s/) ![](/i.png)',
    );
    assert.deepEqual(notes, [
      'link /?p=3 and 1 more left as written: it leads to the old site',
      'image /i.png left as written: it stays on the old site',
    ]);
  });

  test('are found in time that grows with the text', () => {
    const site = new OldSite();
    for (const hostile of ['<a ', '<a href ', '<a href=" ', '<img ', '<a href="/a">', 'href="/"', '<a title="/" ']) {
      const begun = process.cpuUsage();
      site.withPages(hostile.repeat(600_000 / hostile.length), new Fit());
      assert.ok(process.cpuUsage(begun).user < 12_000_000, hostile);
    }
  });
});
