import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { code } from '../fixtures.ts';
import { getPost } from '../reading/get-post.ts';
import { CommentFixture, outline } from './fixtures.ts';

const blog = new CommentFixture(await withDatabase());
const { run, env, db } = blog;
const eve = await blog.writer('Eve', 'EDITOR');
const ann = await blog.reader('Ann');
const bob = await blog.reader('Bob');
let posts = 0;
const newPost = async () => (await blog.published(eve, { slug: `post-${++posts}` })).slug as string;
const countOf = async (slug: string) => (await getPost(db, { slug, userId: null }, env())).commentCount;
const badParent = (error: { code?: string; details?: unknown }) => {
  assert.equal(error.code, 'VALIDATION_ERROR');
  assert.deepEqual(error.details, [{ path: 'body.parentId', message: 'must be a visible comment of this post' }]);
  return true;
};

describe('a new comment', () => {
  test('has the fields of the contract', async () => {
    const slug = await newPost();
    const { id, ...rest } = await blog.comment(ann, slug, undefined, '  Well said.\n');
    assert.deepEqual(rest, {
      body: 'Well said.',
      parentId: null,
      status: 'VISIBLE',
      createdAt: env().now.toISOString(),
      author: { id: ann.id, name: 'Ann' },
      replies: [],
    });
    const reply = await blog.comment(bob, slug, id);
    assert.deepEqual([reply.parentId, reply.replies], [id, []]);
    const { data, ...page } = await blog.list(slug);
    assert.deepEqual(page, { sort: 'oldest', page: 1, pages: 1, total: 1 });
    assert.deepEqual(data, [{ ...rest, id, replies: [reply] }]);
    assert.equal(await countOf(slug), 2);
  });

  test('needs a public post', async () => {
    const { id, slug: draft } = await blog.draft(eve, { title: 'Draft', slug: 'a-draft' });
    const later = await blog.published(eve, { slug: 'later' }, '2027-01-01T00:00:00Z');
    const gone = await blog.published(eve, { slug: 'gone' });
    await run((trx) => unpublishPost(trx, { writer: eve, id: gone.id }, env()));
    assert.ok(id);
    for (const slug of [draft, later.slug, gone.slug, 'nothing', '%00', 'A b'] as string[]) {
      await assert.rejects(blog.comment(ann, slug), code('NOT_FOUND'), slug);
      await assert.rejects(blog.list(slug), code('NOT_FOUND'), slug);
    }
  });

  test('at an old address is taken, and a list is led to the new one', async () => {
    const { id } = await blog.published(eve, { slug: 'old-name' });
    await run((trx) => updatePost(trx, { writer: eve, id, fields: { slug: 'new-name' } }, env()));
    const moved = (error: { code?: string; headers?: Record<string, string> }) =>
      error.code === 'POST_MOVED' && error.headers?.location === '/v1/blog/posts/new-name/comments';
    await assert.rejects(blog.list('old-name'), moved);
    const { id: comment } = await blog.comment(ann, 'old-name');
    assert.deepEqual(
      (await blog.list('new-name')).data.map((listed) => listed.id),
      [comment],
    );
  });

  test('answers a visible comment of the same post only', async () => {
    const [slug, other] = [await newPost(), await newPost()];
    const { id } = await blog.comment(ann, slug);
    await assert.rejects(blog.comment(bob, other, id), badParent);
    await assert.rejects(blog.comment(bob, slug, env().newId()), badParent);
    await blog.moderate(eve, id, 'HIDDEN');
    await assert.rejects(blog.comment(bob, slug, id), badParent);
    await blog.moderate(eve, id, 'VISIBLE');
    await blog.comment(bob, slug, id);
    await blog.remove(ann, id);
    await assert.rejects(blog.comment(bob, slug, id), badParent);
    assert.equal(await countOf(other), 0);
  });

  test('changes no date of the post', async () => {
    const slug = await newPost();
    const before = await getPost(db, { slug, userId: null }, env());
    blog.clock.advance(1000);
    await blog.comment(ann, slug);
    const after = await getPost(db, { slug, userId: null }, env());
    assert.deepEqual(after, { ...before, commentCount: 1 });
  });
});

describe('removing', () => {
  test('is for its own author, once, in whatever state', async () => {
    const slug = await newPost();
    const { id } = await blog.comment(ann, slug);
    await assert.rejects(blog.remove(bob, id), code('NOT_FOUND'));
    await assert.rejects(blog.remove(eve, id), code('NOT_FOUND'));
    await blog.moderate(eve, id, 'HIDDEN');
    await blog.remove(ann, id);
    await assert.rejects(blog.remove(ann, id), code('NOT_FOUND'));
    await assert.rejects(blog.remove(ann, env().newId()), code('NOT_FOUND'));
    await assert.rejects(blog.moderate(eve, id, 'VISIBLE'), code('NOT_FOUND'));
    assert.deepEqual([await countOf(slug), (await blog.list(slug)).total], [0, 0]);
  });

  test('leaves nothing of the person and the text', async () => {
    const slug = await newPost();
    const { id } = await blog.comment(ann, slug, undefined, 'My address is 1 Secret Street');
    await blog.report(bob, id, 'Names Ann');
    await blog.remove(ann, id);
    const { rows } = await sql<{ row: string }>`
      select row_to_json(c)::text as row from comments c where id = ${id}
      union all select row_to_json(r)::text from comment_reports r where comment_id = ${id}`.execute(db);
    assert.equal(rows.length, 1);
    assert.doesNotMatch(rows[0]?.row ?? '', new RegExp(`Secret|Names|${ann.id}`));
  });

  test('works on a post that is not public any more', async () => {
    const { id: postId, slug } = await blog.published(eve, { slug: 'to-archive' });
    const { id } = await blog.comment(ann, slug as string);
    await run((trx) => unpublishPost(trx, { writer: eve, id: postId }, env()));
    await blog.remove(ann, id);
    assert.deepEqual(await blog.drift(), []);
  });

  test('a post takes its comments and reports with it', async () => {
    const { id: postId, slug } = await blog.published(eve, { slug: 'to-delete' });
    const top = await blog.comment(ann, slug as string);
    await blog.comment(bob, slug as string, top.id);
    await blog.report(bob, top.id);
    await run((trx) => deletePost(trx, { writer: eve, id: postId }, env()));
    const { rows } = await sql`
      select id from comments where post_id = ${postId}
      union all select comment_id from comment_reports where post_id = ${postId}`.execute(db);
    assert.deepEqual(rows, []);
  });
});

describe('placeholders', () => {
  test('stand where visible replies need them, at any depth, and nowhere else', async () => {
    const slug = await newPost();
    const say = async (body: string, parentId?: string) => (await blog.comment(ann, slug, parentId, body)).id;
    const a = await say('a');
    const a1 = await say('a1', a);
    const a11 = await say('a11', a1);
    const a2 = await say('a2', a);
    const b = await say('b');
    const b1 = await say('b1', b);
    const tree = async () => outline((await blog.list(slug)).data);
    await blog.moderate(eve, a, 'HIDDEN');
    await blog.remove(ann, a1);
    await blog.moderate(eve, a2, 'HIDDEN');
    assert.deepEqual(await tree(), [
      ['-', ['-', ['a11']]],
      ['b', ['b1']],
    ]);
    await blog.moderate(eve, b1, 'HIDDEN');
    await blog.remove(ann, b);
    assert.deepEqual(await tree(), [['-', ['-', ['a11']]]]);
    assert.deepEqual([(await blog.list(slug)).total, await countOf(slug)], [1, 1]);
    await blog.moderate(eve, a11, 'HIDDEN');
    assert.deepEqual([await tree(), (await blog.list(slug)).total, await countOf(slug)], [[], 0, 0]);
    await blog.moderate(eve, b1, 'VISIBLE');
    await blog.moderate(eve, a, 'VISIBLE');
    assert.deepEqual(await tree(), [['a'], ['-', ['b1']]]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('stand for a whole line of comments above a visible one', async () => {
    const slug = await newPost();
    const line = [(await blog.comment(ann, slug)).id];
    for (let i = 0; i < 5; i++) line.push((await blog.comment(ann, slug, line.at(-1))).id);
    for (const id of line.slice(0, 5)) await blog.moderate(eve, id, 'HIDDEN');
    let level = (await blog.list(slug)).data;
    for (const [i, id] of line.entries()) {
      assert.deepEqual([level.length, level[0]?.id, level[0]?.deleted], [1, id, i < 5 ? true : undefined]);
      level = level[0]?.replies ?? [];
    }
  });

  test('say nothing of what stood there', async () => {
    const slug = await newPost();
    const hidden = await blog.comment(ann, slug);
    await blog.comment(bob, slug, hidden.id);
    const deleted = await blog.comment(ann, slug);
    await blog.comment(bob, slug, deleted.id);
    await blog.moderate(eve, hidden.id, 'HIDDEN');
    await blog.remove(ann, deleted.id);
    for (const { id, createdAt, replies, ...rest } of (await blog.list(slug)).data) {
      assert.deepEqual(rest, { body: '', parentId: null, status: 'HIDDEN', deleted: true });
      assert.deepEqual([[hidden.id, deleted.id].includes(id), replies.length], [true, 1]);
      assert.equal(createdAt, env().now.toISOString());
    }
  });
});

describe('the author', () => {
  test('is shown under the present name, and stays when disabled', async () => {
    const slug = await newPost();
    const cid = await blog.reader('Cid');
    await blog.comment(cid, slug);
    const name = async () => (await blog.list(slug)).data[0]?.author;
    await sql`update users set name = 'Cid the Second', disabled_at = now() where id = ${cid.id}`.execute(db);
    assert.deepEqual(await name(), { id: cid.id, name: 'Cid the Second' });
  });
});
