import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { createPost } from '../authoring/create-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture } from '../fixtures.ts';
import { getPost } from '../reading/get-post.ts';
import { keepUpOnce } from '../search/upkeep.ts';
import { RENDERER_VERSION } from './render-with.ts';
import { saveGivenUp } from './store.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env, run } = blog;
const ann = await blog.writer('Ann', 'EDITOR');

const stored = async (id: string) => {
  const { rows } = await sql<{ html: string | null; version: number }>`
    select html, html_version as version from post_bodies where post_id = ${id}`.execute(db);
  return rows[0];
};
const bodyHtml = async (slug: string | null) => (await getPost(db, { slug: slug ?? '', userId: null }, env())).bodyHtml;
/** As it was before there was a renderer, or an older one. */
const forget = (id: string, html: string | null, version: number) =>
  sql`update post_bodies set html = ${html}, html_version = ${version} where post_id = ${id}`.execute(db);

describe('a rendering', () => {
  test('is made by a write, and anew by a change of the body only', async () => {
    const { id, slug } = await blog.published(ann, { title: 'One', body: '*one*' });
    assert.deepEqual(await stored(id), { html: '<p><em>one</em></p>\n', version: RENDERER_VERSION });
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { body: '*two*' } }, env()));
    assert.equal(await bodyHtml(slug), '<p><em>two</em></p>\n');
    await forget(id, 'kept', RENDERER_VERSION);
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { title: 'Other' } }, env()));
    assert.equal(await bodyHtml(slug), 'kept');
  });

  test('that is missing is made by a read, and kept', async () => {
    const { id, slug } = await blog.published(ann, { title: 'Two', body: '*x*' });
    await forget(id, null, 0);
    assert.equal(await bodyHtml(slug), '<p><em>x</em></p>\n');
    assert.equal((await stored(id))?.version, RENDERER_VERSION);
  });

  test('of an older renderer is shown until upkeep has made it anew', async () => {
    const { id, slug } = await blog.published(ann, { title: 'Three', body: '*x*' });
    while (await keepUpOnce(db));
    await forget(id, 'old', RENDERER_VERSION - 1);
    assert.equal(await bodyHtml(slug), 'old');
    while (await keepUpOnce(db));
    assert.equal(await bodyHtml(slug), '<p><em>x</em></p>\n');
    assert.equal(await keepUpOnce(db), false);
  });
});

test('a rendering that was given up is tried again, and not for ever; an older one stays until then', async () => {
  const { id, slug } = await blog.published(ann, { title: 'Four', body: '*x*' });
  const plain = { postId: id, body: '*x*', html: 'plain', version: RENDERER_VERSION };
  await forget(id, null, 0);
  await saveGivenUp(db, plain);
  assert.equal(await bodyHtml(slug), 'plain');
  while (await keepUpOnce(db));
  assert.equal(await bodyHtml(slug), '<p><em>x</em></p>\n');

  await forget(id, 'old', RENDERER_VERSION - 1);
  await saveGivenUp(db, plain);
  await saveGivenUp(db, plain);
  assert.equal(await bodyHtml(slug), 'old');
  await saveGivenUp(db, plain);
  while (await keepUpOnce(db));
  assert.deepEqual(await stored(id), { html: 'plain', version: RENDERER_VERSION });
});

test('a transaction of many posts waits for the first text only', async () => {
  const [first, second] = await run(async (trx) => {
    const create = (body: string) => createPost(trx, { writer: ann, fields: { title: 'Many', body } }, env());
    return [await create('*x*'), await create('*y*')];
  });
  assert.equal((await stored(first.id))?.html, '<p><em>x</em></p>\n');
  assert.deepEqual(await stored(second.id), { html: null, version: 0 });
  while (await keepUpOnce(db));
  assert.equal((await stored(second.id))?.html, '<p><em>y</em></p>\n');
});

test('a long text is rendered off the write, and is there for the reader', async () => {
  const body = '* a [b](https://e.com)\n'.repeat(40_000);
  const { slug } = await blog.published(ann, { title: 'Long', body });
  assert.match(await bodyHtml(slug), /^(?:<ul>\n<li>a <a |<p>\* a)/);
});
