import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGhost } from './read-ghost.ts';

const ROW = {
  id: 1,
  uuid: 'u1',
  title: 'Old',
  slug: 'old',
  status: 'published',
  published_at: '2018-08-20T15:09:26.000Z',
  feature_image: '/content/images/2018/cover.jpg',
  html: `<p><img class="a" src="/content/images/a.png" alt="A"> <a href="/content/files/b.pdf">B</a> <a href="/about/">C</a></p>
<p>Write <code>src="/content/images/a.png"</code>, or <img src="//other.example/content/images/d.png" alt="D"></p>`,
};

async function imported(row: object, site?: string) {
  const open = async function* () {
    yield Buffer.from(JSON.stringify({ db: [{ data: { posts: [row] } }] }));
  };
  const { items } = await readGhost(open, { name: 'ghost', category: 'Blog', site });
  const [item] = await Array.fromAsync(items);
  if (item === undefined || !('post' in item)) throw new Error('no post');
  return { ...item.post, notes: item.notes };
}

test('files that Ghost before 4 names from the root of its host have the host that was given', async () => {
  const post = await imported(ROW, 'https://blog.example.com/');
  assert.equal(post.coverImageUrl, 'https://blog.example.com/content/images/2018/cover.jpg');
  assert.equal(
    post.body,
    '![A](https://blog.example.com/content/images/a.png) [B](https://blog.example.com/content/files/b.pdf) [C](/about/)\n\n' +
      'Write `src="/content/images/a.png"`, or ![D](//other.example/content/images/d.png)\n',
  );
  const below = { ...ROW, feature_image: '/news/content/images/c.png', html: '<img src="/news/content/images/c.png">' };
  const { coverImageUrl, body } = await imported(below, 'https://example.com/news');
  const whole = 'https://example.com/news/content/images/c.png';
  assert.deepEqual([coverImageUrl, body], [whole, `![](${whole})\n`]);
});

test('without the host, a cover image is left out, and a note says what to give, also where only the text has images', async () => {
  assert.equal((await imported(ROW)).coverImageUrl, undefined);
  for (const row of [ROW, { ...ROW, feature_image: null }, { ...ROW, html: '<p>a</p>' }]) {
    const { notes } = await imported(row);
    assert.ok(notes.includes('addresses without their site: give it with --site'), notes.join());
  }
  const { notes } = await imported({ ...ROW, feature_image: null, html: '<p><a href="/about/">C</a></p>' });
  assert.ok(!notes.includes('addresses without their site: give it with --site'), notes.join());
});
