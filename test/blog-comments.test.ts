import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Comment, type Comments, commenting } from './helpers/commenting.ts';
import { type Envelope, testService } from './helpers/service.ts';

const blog = await commenting();
const { service, key, author, editor, reader, other } = blog;
const { path } = await blog.newPost();

describe('writing a comment', () => {
  test('answers 201 with the comment', async () => {
    const { status, body } = await blog.say(path, { body: ' Well said. ' });
    const { id, createdAt, ...rest } = body;
    assert.deepEqual(
      [status, rest],
      [
        201,
        {
          body: 'Well said.',
          parentId: null,
          status: 'VISIBLE',
          author: { id: reader.id, name: rest.author?.name },
          replies: [],
        },
      ],
    );
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.ok(Date.parse(createdAt) > 0);
    const reply = await blog.said(path, id.toUpperCase());
    assert.equal(reply.parentId, id);
  });

  test('needs a session, and takes an Idempotency-Key', async () => {
    await service.refused('UNAUTHENTICATED', 'POST', path, { token: key, body: { body: 'x' } });
    await service.refused('UNAUTHENTICATED', 'POST', path, { body: { body: 'x' } });
    const { path: at } = await blog.newPost();
    const once = { token: reader.token, body: { body: 'Once.' }, headers: { 'idempotency-key': 'comment-1' } };
    const first = await service.call<Comment>('POST', at, once);
    const again = await service.call<Comment>('POST', at, once);
    assert.deepEqual([again.status, again.body], [201, first.body]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    await service.refused('IDEMPOTENCY_KEY_REUSED', 'POST', at, { ...once, body: { body: 'Twice.' } });
    assert.equal((await service.ok<Comments>(200, 'GET', at, { token: key })).total, 1);
    const gone = { token: reader.token, headers: { 'idempotency-key': 'comment-2' } };
    for (let i = 0; i < 2; i++) {
      await service.ok(204, 'DELETE', `/v1/blog/comments/${first.body.id}`, gone);
    }
    await service.refused('NOT_FOUND', 'DELETE', `/v1/blog/comments/${first.body.id}`, { token: reader.token });
  });

  const party = '🎉';
  const TAKEN = [
    'a',
    'x'.repeat(4000),
    party.repeat(4000),
    ` ${party.repeat(3999)}!\n`,
    '‮right to left‬ עברית العربية',
    '<script>alert(1)</script> & "quotes" \\ % _ \' {}',
    'e\u0301 \u{1F469}\u200D\u{1F467} \u0000'.slice(0, -1),
    'line\r\nline\ttab',
  ];
  for (const [i, body] of TAKEN.entries()) {
    test(`takes text ${i} and gives it back as it was`, async () => {
      const reply = await blog.say(path, { body });
      assert.deepEqual([reply.status, reply.body.body], [201, body.trim()]);
    });
  }

  const REFUSED: [unknown, string][] = [
    [{ body: 'x'.repeat(4001) }, 'body.body'],
    [{ body: party.repeat(4001) }, 'body.body'],
    [{ body: '' }, 'body.body'],
    [{ body: ' \n\u3000' }, 'body.body'],
    [{ body: '\u200b\ufeff' }, 'body.body'],
    [{ body: null }, 'body.body'],
    [{ body: 5 }, 'body.body'],
    [{ body: ['x'] }, 'body.body'],
    [{}, 'body.body'],
    [[], 'body'],
    [{ body: 'half \ud83c' }, 'body.body'],
    ['{"body": "nul \\u0000"}', 'body'],
    [{ body: 'x', parentId: 'no-id' }, 'body.parentId'],
    [{ body: 'x', parentId: null }, 'body.parentId'],
    [{ body: 'x', parentId: '01890000-0000-7000-8000-000000000000' }, 'body.parentId'],
    [{ body: 'x', status: 'VISIBLE', authorId: 'x' }, 'body.status,body.authorId'],
  ];
  for (const [i, [body, where]] of REFUSED.entries()) {
    test(`refuses body ${i}, naming ${where}`, async () => {
      assert.equal(await blog.faults('POST', path, reader, body), where);
    });
  }

  test('is for public posts, also at an old address, where a list is led to the new one', async () => {
    await service.refused('NOT_FOUND', 'POST', '/v1/blog/posts/nothing/comments', {
      token: reader.token,
      body: { body: 'x' },
    });
    const post = await blog.newPost();
    await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${post.id}`, {
      token: author.token,
      body: { slug: `${post.slug}-new` },
    });
    const options = { token: reader.token, body: { body: 'x' } };
    await service.ok(201, 'POST', post.path, options);
    const { status, headers } = await service.refused('POST_MOVED', 'GET', post.path, { token: key });
    assert.deepEqual([status, headers.get('location')], [301, `/v1/blog/posts/${post.slug}-new/comments`]);
    const far = await service.refused('POST_MOVED', 'GET', `${post.path}?page=2&limit=1&sort=newest`, { token: key });
    assert.equal(far.headers.get('location'), `/v1/blog/posts/${post.slug}-new/comments?page=2&limit=1&sort=newest`);
    await service.ok(201, 'POST', post.path, { token: reader.token, body: { body: 'Another one.' } });
    const listed: string[] = [];
    for await (const { id } of service.client(key).listComments({ slug: post.slug, limit: 1 })) listed.push(id);
    assert.equal(new Set(listed).size, 2, 'page by page along the old address');
    assert.equal(listed.length, 2);
  });
});

describe('reading comments', () => {
  test('works with a key and a session, by page, in both orders, conditionally', async () => {
    const { path: at } = await blog.newPost();
    const top = await blog.said(at);
    const reply = await blog.said(at, top.id);
    const second = await blog.said(at);
    const first = await service.call<Comments>('GET', at, { token: key });
    assert.deepEqual(first.body, {
      sort: 'oldest',
      page: 1,
      pages: 1,
      total: 2,
      data: [{ ...top, replies: [reply] }, second],
    });
    const etag = first.headers.get('etag') as string;
    const headers = { 'if-none-match': etag };
    assert.equal((await service.call('GET', at, { token: reader.token, headers })).status, 304);
    const newest = await service.ok<Comments>(200, 'GET', `${at}?sort=newest&limit=1&page=2`, { token: reader.token });
    assert.deepEqual([newest.sort, newest.pages, newest.data.map((c) => c.id)], ['newest', 2, [top.id]]);
    const replies = await service.ok<Comments>(200, 'GET', `/v1/blog/comments/${top.id}/replies`, { token: key });
    assert.deepEqual(replies, { page: 1, pages: 1, total: 1, data: [reply] });
    // A new name is a new reply.
    await service.ok(200, 'PATCH', `/v1/admin/users/${reader.id}`, {
      token: await service.operator(),
      body: { name: `Renamed ${Date.now()}` },
    });
    assert.equal((await service.call('GET', at, { token: key, headers })).status, 200);
    await service.refused('UNAUTHENTICATED', 'GET', at);
    for (const query of ['sort=best', 'page=0', 'page=10001', 'limit=0', 'limit=101', 'parentId=x']) {
      await service.refused('VALIDATION_ERROR', 'GET', `${at}?${query}`, { token: key });
    }
    const far = await service.ok<Comments>(200, 'GET', `${at}?page=10000&limit=100`, { token: key });
    assert.deepEqual([far.total, far.data], [2, []]);
  });
});

test('a page of comments and the replies of a thread show each change to the next reader with a key', async () => {
  const { path: at } = await blog.newPost();
  const listed = async () => {
    const { total, data } = await service.ok<Comments>(200, 'GET', at, { token: key });
    return [total, data.map((top) => [top.deleted ?? top.body, top.replies.map((reply) => reply.body)])];
  };
  assert.deepEqual(await listed(), [0, []]);
  const top = await blog.said(at);
  assert.deepEqual(await listed(), [1, [[top.body, []]]]);
  const thread = `/v1/blog/comments/${top.id}/replies`;
  const replies = async () =>
    (await service.ok<Comments>(200, 'GET', thread, { token: key })).data.map((reply) => reply.body);
  assert.deepEqual(await replies(), []);
  const first = await blog.said(at, top.id);
  const second = await blog.said(at, top.id);
  const all = [first.body, second.body];
  assert.deepEqual([await listed(), await replies()], [[1, [[top.body, all]]], all]);
  const decide = (id: string, status: string) =>
    service.ok(200, 'PATCH', `/v1/blog/manage/comments/${id}`, { token: editor.token, body: { status } });
  await decide(first.id, 'HIDDEN');
  assert.deepEqual([await listed(), await replies()], [[1, [[top.body, [second.body]]]], [second.body]]);
  await decide(first.id, 'VISIBLE');
  await decide(top.id, 'HIDDEN');
  assert.deepEqual([await listed(), await replies()], [[1, [[true, all]]], all]);
  const bulk = { token: editor.token, body: { ids: [first.id, second.id], status: 'HIDDEN' } };
  await service.ok(200, 'POST', '/v1/blog/manage/comments/bulk', bulk);
  assert.deepEqual(await listed(), [0, []]);
  await service.refused('NOT_FOUND', 'GET', thread, { token: key });
  await service.ok(200, 'POST', '/v1/blog/manage/comments/bulk', {
    ...bulk,
    body: { ids: [top.id, second.id], status: 'VISIBLE' },
  });
  assert.deepEqual([await listed(), await replies()], [[1, [[top.body, [second.body]]]], [second.body]]);
  await service.ok(204, 'DELETE', `/v1/blog/comments/${second.id}`, { token: reader.token });
  assert.deepEqual([await listed(), await replies()], [[1, [[top.body, []]]], []]);
});

test('the post shows a change of its comments to the next reader', async () => {
  const { slug, path: at } = await blog.newPost();
  const seen = async () =>
    (await service.ok<{ commentCount: number }>(200, 'GET', `/v1/blog/posts/${slug}`, { token: key })).commentCount;
  assert.equal(await seen(), 0);
  const { id } = await blog.said(at);
  assert.equal(await seen(), 1);
  const other = await blog.said(at);
  assert.equal(await seen(), 2);
  const decide = (status: string) =>
    service.ok(200, 'PATCH', `/v1/blog/manage/comments/${id}`, { token: editor.token, body: { status } });
  await decide('HIDDEN');
  assert.equal(await seen(), 1);
  await decide('VISIBLE');
  assert.equal(await seen(), 2);
  const ids = [id, other.id];
  await service.ok(200, 'POST', '/v1/blog/manage/comments/bulk', {
    token: editor.token,
    body: { ids, status: 'HIDDEN' },
  });
  assert.equal(await seen(), 0);
  await service.ok(200, 'POST', '/v1/blog/manage/comments/bulk', {
    token: editor.token,
    body: { ids, status: 'VISIBLE' },
  });
  assert.equal(await seen(), 2);
  await service.ok(204, 'DELETE', `/v1/blog/comments/${id}`, { token: reader.token });
  assert.equal(await seen(), 1);
});

describe('deleting and reporting', () => {
  test('is for its author, and for every reader', async () => {
    const { id } = await blog.said(path);
    const at = `/v1/blog/comments/${id}`;
    await service.refused('NOT_FOUND', 'DELETE', at, { token: other.token });
    await service.refused('UNAUTHENTICATED', 'DELETE', at, { token: key });
    await service.refused('VALIDATION_ERROR', 'DELETE', '/v1/blog/comments/no-id', { token: reader.token });
    for (let i = 0; i < 2; i++) {
      const reply = await service.call('POST', `${at}/report`, { token: other.token, body: { reason: 'Rude' } });
      assert.deepEqual([reply.status, reply.body], [202, { reported: true }]);
    }
    await service.refused('UNAUTHENTICATED', 'POST', `${at}/report`, { token: key, body: { reason: 'Rude' } });
    for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: party(1001) }, { reason: 5 }]) {
      assert.equal(await blog.faults('POST', `${at}/report`, other, body), 'body.reason');
    }
    await service.ok(202, 'POST', `${at}/report`, { token: editor.token, body: { reason: party(1000) } });
    const managed = await service.ok<{ reportCount: number }>(200, 'GET', `/v1/blog/manage/comments/${id}`, {
      token: author.token,
    });
    assert.equal(managed.reportCount, 2);
    await service.ok(204, 'DELETE', at, { token: reader.token });
    await service.refused('NOT_FOUND', 'POST', `${at}/report`, { token: other.token, body: { reason: 'Rude' } });
  });
  const party = (n: number) => '🎉'.repeat(n);
});

test('new comments have a limit of their own per user', async () => {
  const strict = await testService({ env: { RATE_LIMIT_COMMENTS: '2' } });
  const [one, two] = [await strict.user(), await strict.user()];
  const at = '/v1/blog/posts/nothing/comments';
  const send = (token: string) => strict.call<Envelope>('POST', at, { token, body: { body: 'x' } });
  assert.deepEqual([(await send(one.token)).status, (await send(one.token)).status], [404, 404]);
  const limited = await send(one.token);
  assert.deepEqual([limited.status, limited.body.error.code], [429, 'RATE_LIMITED']);
  assert.deepEqual(
    [limited.headers.get('ratelimit-limit'), Number(limited.headers.get('retry-after')) > 0],
    ['2', true],
  );
  assert.equal((await send(two.token)).status, 404);
  await strict.refused('NOT_FOUND', 'GET', at, { token: one.token });
});
