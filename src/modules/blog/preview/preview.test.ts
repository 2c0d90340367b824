import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { createCipher } from '../../../lib/cipher.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, code, COMPLETE } from '../fixtures.ts';
import { getPost } from '../reading/get-post.ts';
import { createPreviewLink } from './create-preview-link.ts';
import { endPreviewLinks } from './end-preview-links.ts';
import { getPreview } from './get-preview.ts';
import { readPreview, signPreview } from './token.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');
const bob = await blog.writer('Bob', 'AUTHOR');
const eve = await blog.writer('Eve', 'EDITOR');
const cipher = createCipher(Buffer.alloc(32, 7));

const link = (id: string, expiresInSeconds = 60, writer = ann) =>
  run((trx) =>
    createPreviewLink(
      trx,
      { writer, id, expiresInSeconds, baseUrl: 'https://blog.example', hasSite: true },
      { ...env(), cipher },
    ),
  );
const publicUrl = 'https://blog.example/';
const look = (token: string) => getPreview(db, { token }, { now: env().now, cipher, publicUrl });
const dead = (token: string) => assert.rejects(look(token), code('NOT_FOUND'));

describe('a preview link', () => {
  test('shows the draft as it is at each look', async () => {
    const { id } = await blog.draft(ann, {});
    const { url, pageUrl, token, expiresAt } = await link(id);
    assert.equal(url, `https://blog.example/v1/blog/preview/${token}`);
    assert.equal(pageUrl, `https://blog.example/blog/-/preview/${token}`);
    assert.equal(Date.parse(expiresAt), blog.clock.now() + 60_000);
    const now = env().now.toISOString();
    const empty = await look(token);
    assert.deepEqual([empty.title, empty.slug, empty.category, empty.publishedAt, empty.body], ['', '', '', now, '']);
    assert.deepEqual([empty.bodyHtml, empty.seo.canonical], ['', null]);
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { ...COMPLETE, tags: ['x'] } }, env()));
    const shown = await look(token);
    assert.deepEqual(
      [shown.title, shown.body, shown.tags, shown.excerpt],
      ['A title', 'Some text.', ['x'], 'Some text.'],
    );
    assert.deepEqual(
      [shown.bodyHtml, shown.seo.title, shown.seo.canonical],
      ['<p>Some text.</p>\n', 'A title', 'https://blog.example/blog/a-title'],
    );
    assert.deepEqual([shown.likedByMe, shown.author], [false, { name: 'Ann' }]);
  });

  test('of a public post shows what readers see, also when it is archived', async () => {
    const post = await blog.published(ann, { slug: 'seen', excerpt: 'Own', seoTitle: 'S', featured: true });
    const { token } = await link(post.id);
    assert.deepEqual(await look(token), await getPost(db, { slug: 'seen', userId: null, publicUrl }, env()));
    await run((trx) => unpublishPost(trx, { writer: ann, id: post.id }, env()));
    assert.equal((await look(token)).id, post.id);
  });

  test('dies at its time, to the millisecond', async () => {
    const { id } = await blog.draft(ann);
    const { token } = await link(id, 60);
    blog.clock.advance(59_999);
    assert.equal((await look(token)).id, id);
    blog.clock.advance(1);
    await dead(token);
  });

  test('dies with all others of its post when they are ended, and new ones live', async () => {
    const [one, two] = [await blog.draft(ann), await blog.draft(ann)];
    const tokens = [await link(one.id), await link(one.id, 90, eve)].map((l) => l.token);
    const other = await link(two.id);
    await run((trx) => endPreviewLinks(trx, { writer: ann, id: one.id }));
    for (const token of tokens) await dead(token);
    assert.equal((await look(other.token)).id, two.id);
    const next = await link(one.id);
    assert.equal((await look(next.token)).id, one.id);
    await run((trx) => endPreviewLinks(trx, { writer: eve, id: one.id }));
    await dead(next.token);
  });

  test('dies with its post', async () => {
    const { id } = await blog.draft(ann);
    const { token } = await link(id);
    await run((trx) => deletePost(trx, { writer: ann, id }, env()));
    await dead(token);
  });

  test('is made and ended by who manages the post', async () => {
    const { id } = await blog.draft(ann);
    await assert.rejects(link(id, 60, bob), code('NOT_FOUND'));
    await assert.rejects(
      run((trx) => endPreviewLinks(trx, { writer: bob, id })),
      code('NOT_FOUND'),
    );
  });
});

describe('a token', () => {
  const preview = {
    postId: '0198c7a0-0000-7abc-9def-00000000000f',
    generation: 4_294_967_295,
    expiresAt: new Date('2026-12-31T23:59:59.999Z'),
  };

  test('says what was signed', () => assert.deepEqual(readPreview(signPreview(preview, cipher), cipher), preview));

  test('with any character changed, cut, added or of another key says nothing', async () => {
    const token = signPreview(preview, cipher);
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A';
      assert.equal(readPreview(token.slice(0, i) + other + token.slice(i + 1), cipher), null, `character ${i}`);
    }
    const [payload = '', signature = ''] = token.split('.');
    for (const bad of [
      '',
      '.',
      payload,
      `${payload}.`,
      `.${signature}`,
      `${token}A`,
      ` ${token}`,
      `${token}\n`,
      '\0',
    ]) {
      assert.equal(readPreview(bad, cipher), null, JSON.stringify(bad));
      await dead(bad);
    }
    assert.equal(readPreview(signPreview(preview, createCipher(Buffer.alloc(32, 8))), cipher), null);
  });
});
