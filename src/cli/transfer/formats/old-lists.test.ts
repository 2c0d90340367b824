import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGhost } from './read-ghost.ts';
import { readWordPress } from './read-wordpress.ts';

const opening = (text: string) => () =>
  (async function* () {
    yield Buffer.from(text);
  })();

const item = (id: number, status: string, ...categories: string[]): string => `<item>
<wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type><wp:post_name>p${id}</wp:post_name>
<wp:status>${status}</wp:status><wp:post_date_gmt>2020-01-01 00:00:00</wp:post_date_gmt>
<title>T</title><content:encoded>text</content:encoded>${categories.join('')}</item>`;
const filed = (domain: string, nicename: string, name: string): string =>
  `<category domain="${domain}" nicename="${nicename}"><![CDATA[${name}]]></category>`;

test('of WordPress those of public posts whose slug is not made of their name, once each', async () => {
  const channel = [
    item(
      1,
      'publish',
      filed('category', 'kuenstlich', 'Künstlich'),
      filed('category', 'r-d', 'R&amp;D'),
      filed('category', 'news', 'News'),
      filed('post_tag', 'news-2', 'News'),
      filed('post_tag', '%d1%81%d0%be%d0%bd', 'Сны'),
      filed('post_tag', '', 'Nothing'),
      filed('post_format', 'post-format-image', 'Image'),
    ),
    item(2, 'publish', filed('post_tag', 'news-2', 'News')),
    item(3, 'draft', filed('category', 'secret-1', 'Secret')),
  ];
  const wxr = `<rss xmlns:wp="w" xmlns:content="c"><channel>${channel.join('')}</channel></rss>`;
  const { lists } = await readWordPress(opening(wxr), { category: 'Blog' });
  assert.deepEqual(lists, [
    { list: 'category', slug: 'kuenstlich', name: 'Künstlich' },
    { list: 'tag', slug: 'news-2', name: 'News' },
    { list: 'tag', slug: 'сон', name: 'Сны' },
  ]);
});

test('by the name that posts have here, and no two that differ by capitals alone', async () => {
  const long = 'A tag that has more than forty characters of a name';
  const tags = [
    filed('post_tag', 'a-tag-that-has-more-than-forty-characters-of-a-name', long),
    filed('post_tag', 'B', 'Blues'),
    filed('post_tag', 'b', 'Blues'),
  ];
  const wxr = `<rss xmlns:wp="w" xmlns:content="c"><channel>${item(1, 'publish', ...tags)}</channel></rss>`;
  const { lists, items } = await readWordPress(opening(wxr), { category: 'Blog' });
  const [read] = await Array.fromAsync(items);
  assert.deepEqual(
    read && 'post' in read && read.post.tags,
    lists.map(({ name }) => name),
  );
  assert.deepEqual(
    lists.map(({ slug }) => slug),
    ['a-tag-that-has-more-than-forty-characters-of-a-name', 'b'],
  );
});

test('of Ghost tags of public posts, not those for its own use', async () => {
  const tag = (id: string, slug: string, name: string, visibility = 'public') => ({ id, slug, name, visibility });
  const post = (id: string, status: string) => ({
    id,
    slug: id,
    title: id,
    html: '<p>a</p>',
    status,
    visibility: 'public',
  });
  const data = {
    posts: [post('a', 'published'), post('b', 'draft')],
    tags: [
      tag('1', 'start', 'Getting started'),
      tag('2', 'getting-going', 'Getting going'),
      tag('3', 'hash-own', '#own', 'internal'),
      tag('4', 'hidden-1', 'Hidden'),
    ],
    posts_tags: [
      { post_id: 'a', tag_id: '1' },
      { post_id: 'a', tag_id: '2' },
      { post_id: 'a', tag_id: '3' },
      { post_id: 'a', tag_id: 'gone' },
      { post_id: 'b', tag_id: '4' },
    ],
  };
  const { lists } = await readGhost(opening(JSON.stringify({ db: [{ data }] })), { name: 'ghost', category: 'Blog' });
  assert.deepEqual(lists, [{ list: 'tag', slug: 'start', name: 'Getting started' }]);
});
