import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { ManualClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { createUser, findOrCreateAuthor } from '../../modules/accounts/index.ts';
import { type ExportedPost, exportPosts, importPosts, type Writer } from '../../modules/blog/index.ts';
import { inTransaction } from '../../platform/db/index.ts';
import type { ReadItem } from './formats/fit.ts';
import { readGhost } from './formats/read-ghost.ts';
import { readWordPress } from './formats/read-wordpress.ts';
import { type ReportedItem, sendPosts } from './send-posts.ts';

const { db } = await withDatabase();
const clock = new ManualClock('2026-09-01T00:00:00.000Z');
const env = () => ({ now: new Date(clock.now()), newId: () => uuidv7(clock.now()), requestId: 'import' });
const { id } = await inTransaction(db, (trx) => findOrCreateAuthor(trx, 'Editor', env()));
const writer: Writer = { id, role: 'EDITOR' };
// Ann writes here under another name; Bob has only signed up, and is not taken for the author of this address.
await inTransaction(db, async (trx) => {
  await createUser(
    trx,
    { name: 'Ann of here', email: 'ann@example.com', passwordHash: 'none', blogRole: 'AUTHOR' },
    env(),
  );
  await createUser(trx, { name: 'Somebody', email: 'bob@example.com', passwordHash: 'none' }, env());
});

const sample = (name: string) => () =>
  createReadStream(fileURLToPath(new URL(`./formats/samples/${name}`, import.meta.url)));

async function load({ items }: { items: AsyncIterable<ReadItem> }) {
  const told: ReportedItem[] = [];
  const totals = await sendPosts(
    items,
    'file',
    (posts) => inTransaction(db, (trx) => importPosts(trx, { writer, posts }, env(), { findOrCreateAuthor })),
    { item: (item) => told.push(item) },
  );
  return { told, totals };
}
const stored = async () =>
  new Map((await Array.fromAsync(exportPosts(db))).map((post) => [post.slug ?? post.id, post] as const));
const state = ({ publishedAt, archivedAt }: ExportedPost) =>
  archivedAt ? 'ARCHIVED' : publishedAt ? `PUBLISHED ${publishedAt}` : 'DRAFT';
/** Author, text, status, text of the comment that is answered, and time. */
const commentsOf = async (postId: string | null | undefined) => {
  const { rows } = await sql<Record<string, unknown>>`
    select u.name, c.body, c.status, p.body as answered, c.created_at from comments c
    left join users u on u.id = c.author_id left join comments p on p.id = c.parent_id
    where c.post_id = ${postId} order by c.created_at`.execute(db);
  return rows.map((row) => Object.values(row).map((value) => (value instanceof Date ? value.toISOString() : value)));
};
const outcomes = (told: readonly ReportedItem[]) =>
  Object.fromEntries(
    told.map(({ source, outcome, slug }) => [source.split('/').at(-1)?.slice(-4), `${outcome} ${slug}`]),
  );

describe('an export of Ghost', () => {
  const options = { name: 'ghost', category: 'Blog', site: 'https://old.example.com/' };
  const read = () => readGhost(sample('ghost.json'), options);
  let posts: Map<string, ExportedPost>;
  let first: Awaited<ReturnType<typeof load>>;
  before(async () => {
    first = await load(await read());
    posts = await stored();
  });

  test('is reported post by post', () => {
    assert.deepEqual(outcomes(first.told), {
      '0001': 'created welcome',
      '0002': 'created only-an-idea',
      '0003': 'created to-come',
      '0004': 'created welcome-2',
      '0005': 'skipped null',
      '0006': 'created a-newsletter',
      '0007': 'failed null',
      '0008': 'created strasse-1',
      '0009': 'failed null',
    });
    const reasons = first.told.filter((item) => item.reason !== null).map((item) => item.reason);
    assert.deepEqual(reasons, [
      'about is a page, and only posts are imported',
      'no-html: its text is in lexical or mobiledoc only, without the HTML that exports carry',
      'bad-date: published_at is not a date: "soon"',
    ]);
  });

  test('comes in with everything in its place', () => {
    const { id: _id, ...welcome } = posts.get('welcome') as ExportedPost;
    assert.deepEqual(welcome, {
      title: 'Welcome & “hello”',
      slug: 'welcome',
      oldSlugs: [],
      excerpt: 'In short',
      coverImageUrl: 'https://old.example.com/content/images/cover.jpg',
      coverImageAlt: 'The cover',
      category: 'News',
      tags: ['News', 'Été'],
      seoTitle: 'SEO title',
      seoDescription: 'SEO description',
      featured: true,
      publishedAt: '2023-01-02T09:08:07.000Z',
      archivedAt: null,
      firstPublicAt: '2023-01-02T09:08:07.000Z',
      createdAt: '2023-01-01T10:00:00.000Z',
      updatedAt: '2023-02-03T11:22:33.000Z',
      author: 'Ann of here',
      authorEmail: 'ann@example.com',
      body: `Hello **world**, 2 < 3 & café.

![A \\[tall\\] tower](https://old.example.com/content/images/a.png)

The tower

\`\`\`js
let a = 1;
let b = \`x\`;
\`\`\`

| k   | v   |
| --- | --- |
| a   | 1   |

<https://video.example.com/embed/1?a=b>
`,
    });
    assert.deepEqual(first.told.find((item) => item.slug === 'welcome')?.notes, [
      'image https://old.example.com/content/images/a.png left as written: it stays on the old site',
      'iframe made a link',
      'script left out',
      'canonical address left out',
      'injected code left out',
      'comments left out (deleted, without text or date): 1',
      'further authors left out: Bob',
    ]);
  });

  test('brings its comments along where it holds them', async () => {
    const welcome = first.told.find((item) => item.slug === 'welcome');
    assert.deepEqual(welcome?.comments, { created: 3, unchanged: 0, skipped: 0, reason: null });
    assert.deepEqual(await commentsOf(welcome.postId), [
      [null, '', 'DELETED', null, '2023-01-03T00:00:00.000Z'],
      ['Anonymous', 'Rude', 'HIDDEN', '', '2023-01-04T00:00:00.000Z'],
      ['Mia Member', 'To the reply\n\n2 < 3\nend', 'VISIBLE', 'Rude', '2023-01-05T00:00:00.000Z'],
    ]);
  });

  test('publishes only what everybody could read', () => {
    assert.deepEqual(
      [...posts.values()].map((post) => [post.slug, state(post), post.author]),
      [
        ['welcome', 'PUBLISHED 2023-01-02T09:08:07.000Z', 'Ann of here'],
        ['only-an-idea', 'DRAFT', 'Bob'],
        ['to-come', 'PUBLISHED 2099-01-01T08:00:00.000Z', 'Editor'],
        ['welcome-2', 'DRAFT', 'Editor'],
        ['a-newsletter', 'DRAFT', 'Editor'],
        ['strasse-1', 'DRAFT', 'Editor'],
      ],
    );
  });

  test('changes nothing on the second run', async () => {
    clock.advance(60_000);
    const { totals } = await load(await read());
    const { created, updated, unchanged, comments } = totals;
    assert.deepEqual([created, updated, unchanged], [0, 0, 6]);
    assert.deepEqual(comments, { created: 0, unchanged: 3, skipped: 0 });
    assert.deepEqual(await stored(), posts);
  });
});

describe('an export of WordPress', () => {
  const read = () => readWordPress(sample('wordpress.xml'), { category: 'Blog' });
  let posts: Map<string, ExportedPost>;
  let first: Awaited<ReturnType<typeof load>>;
  before(async () => {
    await sql`truncate posts cascade`.execute(db);
    first = await load(await read());
    posts = await stored();
  });

  test('is reported item by item', () => {
    assert.deepEqual(outcomes(first.told), {
      11: 'created rock-roll',
      12: 'created a-draft',
      13: 'created ri-tomorrow',
      14: 'created rock-roll-2',
      15: 'skipped null',
      16: 'created with-a-password',
      17: 'skipped null',
      18: 'created etc-passwd',
      20: 'skipped null',
      less: 'failed null',
    });
  });

  test('comes in with everything in its place', () => {
    const { id: _id, ...post } = posts.get('rock-roll') as ExportedPost;
    assert.deepEqual(post, {
      title: 'Rock & Roll “live”',
      slug: 'rock-roll',
      oldSlugs: ['rock'],
      excerpt: 'In short',
      coverImageUrl: 'https://old.example.com/wp-content/uploads/cover.jpg',
      coverImageAlt: 'A guitar & a "drum"',
      category: 'Music',
      tags: ['Blues', 'Live & loud'],
      seoTitle: null,
      seoDescription: 'About rock',
      featured: true,
      publishedAt: '2013-06-04T21:37:25.000Z',
      archivedAt: null,
      firstPublicAt: '2013-06-04T21:37:25.000Z',
      createdAt: '2013-06-04T21:37:25.000Z',
      updatedAt: '2014-01-01T00:00:00.000Z',
      author: 'Ann of here',
      authorEmail: 'ann@example.com',
      body: `First *line*${'  '}
second line & more

\`\`\`
keep   this
  code
\`\`\`

![Inline](https://old.example.com/i.png) A caption

Last. \\[gallery ids="1,2"\\]
`,
    });
  });

  test('publishes only what everybody could read', () => {
    assert.deepEqual(
      [...posts.values()].map((post) => [post.slug, state(post), post.author]),
      [
        ['rock-roll', 'PUBLISHED 2013-06-04T21:37:25.000Z', 'Ann of here'],
        ['a-draft', 'DRAFT', 'bob'],
        ['ri-tomorrow', 'PUBLISHED 2099-01-02T03:04:05.000Z', 'Editor'],
        ['rock-roll-2', 'DRAFT', 'Editor'],
        ['with-a-password', 'DRAFT', 'Editor'],
        ['etc-passwd', 'DRAFT', 'Editor'],
      ],
    );
  });

  test('brings its comments along', async () => {
    const post = first.told.find((item) => item.slug === 'rock-roll');
    assert.deepEqual(post?.comments, { created: 2, unchanged: 0, skipped: 0, reason: null });
    assert.deepEqual(first.totals.comments, { created: 2, unchanged: 0, skipped: 0 });
    // The one that waits for a moderator there waits here too.
    assert.deepEqual(await commentsOf(post?.postId), [
      ['Cleo', 'Great!\n\nTwo\nlines.', 'VISIBLE', null, '2013-06-05T10:00:00.000Z'],
      ['Dee', 'A *reply* & bold', 'HIDDEN', 'Great!\n\nTwo\nlines.', '2013-06-06T10:00:00.000Z'],
    ]);
  });

  test('holds its comments, a parent before its replies, without spam', async () => {
    const { items } = await read();
    const [item] = await Array.fromAsync(items);
    assert.ok(item && 'post' in item);
    assert.deepEqual(item.post.comments, [
      {
        source: 'old.example.com/11#comment-5',
        body: 'Great!\n\nTwo\nlines.',
        author: 'Cleo',
        authorEmail: 'cleo@example.com',
        createdAt: '2013-06-05T10:00:00.000Z',
        status: 'VISIBLE',
      },
      {
        source: 'old.example.com/11#comment-6',
        parent: 'old.example.com/11#comment-5',
        body: 'A *reply* & bold',
        author: 'Dee',
        createdAt: '2013-06-06T10:00:00.000Z',
        status: 'HIDDEN',
      },
    ]);
  });

  test('changes nothing on the second run', async () => {
    clock.advance(60_000);
    const { totals } = await load(await read());
    assert.deepEqual([totals.created, totals.updated, totals.unchanged], [0, 0, 6]);
    assert.deepEqual(totals.comments, { created: 0, unchanged: 2, skipped: 0 });
    assert.deepEqual(await stored(), posts);
  });
});

test('a post of WordPress that took the old slug of another is not lost, whichever comes first', async () => {
  const item = (id: number, slug: string, old = '') =>
    `<item><title>${slug}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type>
     <wp:status>draft</wp:status><wp:post_name>${slug}</wp:post_name>
     <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>${old}</wp:meta_value></wp:postmeta></item>`;
  const stories: [string, string][] = [
    ['foo', item(1, 'foo-2', 'foo') + item(2, 'foo')],
    ['bar', item(3, 'bar') + item(4, 'bar-2', 'bar')],
  ];
  for (const [name, items] of stories) {
    const xml = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items}</channel></rss>`;
    const open = async function* () {
      yield Buffer.from(xml);
    };
    const { told } = await load(await readWordPress(open, { category: 'Blog', name: 'stale' }));
    const bySlug = new Map(told.map(({ slug, outcome, notes }) => [slug, [outcome, notes.join()]]));
    assert.deepEqual(bySlug.get(name), ['created', '']);
    assert.deepEqual(bySlug.get(`${name}-2`), ['created', `old slug ${name} left out: another post has it`]);
  }
});

test('names and titles of WordPress, which it stores as HTML, come in as text', async () => {
  const cdata = (name: string, text: string, more = '') => `<${name}${more}><![CDATA[${text}]]></${name}>`;
  const meta = (key: string, value: string) =>
    `<wp:postmeta>${cdata('wp:meta_key', key)}${cdata('wp:meta_value', value)}</wp:postmeta>`;
  const comment = `<wp:comment>${cdata('wp:comment_author', 'Tom &amp; Jerry')}<wp:comment_id>1</wp:comment_id>
    <wp:comment_date_gmt>2020-01-02 00:00:00</wp:comment_date_gmt><wp:comment_approved>1</wp:comment_approved>
    ${cdata('wp:comment_content', 'Q&amp;A')}</wp:comment>`;
  const xml = `<rss><channel><wp:author>${cdata('wp:author_login', 'jo')}
    ${cdata('wp:author_display_name', 'Jo O&#039;Neill')}</wp:author>
    <item><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>draft</wp:status>
    ${cdata('title', 'Arts &amp; <em>Crafts</em>: a &lt; b, it&#8217;s &lt;b&gt; <3')}${cdata('dc:creator', 'jo')}
    ${cdata('excerpt:encoded', '<p>Short &amp; <strong>sweet</strong>.</p>')}
    ${cdata('category', 'R&amp;D', ' domain="category"')}${cdata('category', 'AT&T', ' domain="post_tag"')}
    ${cdata('category', 'Q&amp;A', ' domain="post_tag"')}${comment}
    ${meta('_yoast_wpseo_title', 'Arts &amp; Crafts')}${meta('_thumbnail_id', '2')}</item>
    <item><wp:post_id>2</wp:post_id><wp:post_type>attachment</wp:post_type>
    <wp:attachment_url>https://old.example/a.png</wp:attachment_url>
    ${meta('_wp_attachment_image_alt', 'Pots &amp; pans')}</item></channel></rss>`;
  const open = async function* () {
    yield Buffer.from(xml);
  };
  const [item] = await Array.fromAsync((await readWordPress(open, { category: 'Blog', name: 'html' })).items);
  assert.ok(item && 'post' in item);
  const { title, excerpt, category, tags, author, seoTitle, coverImageAlt, comments } = item.post;
  assert.deepEqual(
    { title, excerpt, category, tags, author, seoTitle, coverImageAlt, commenter: comments?.[0]?.author },
    {
      title: 'Arts & Crafts: a < b, it’s <b> <3',
      excerpt: 'Short & sweet.',
      category: 'R&D',
      tags: ['AT&T', 'Q&A'],
      author: "Jo O'Neill",
      seoTitle: 'Arts & Crafts',
      coverImageAlt: 'Pots & pans',
      commenter: 'Tom & Jerry',
    },
  );
});
