import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Comment, type Comments, commenting } from './helpers/commenting.ts';

const blog = await commenting();
const { service, key, author, editor, reader } = blog;
const { id: postId, slug, path } = await blog.newPost();

describe('moderating', () => {
  test('is for writers, each on the posts they manage', async () => {
    const { id } = await blog.said(path);
    const at = `/v1/blog/manage/comments/${id}`;
    const hide = { body: { status: 'HIDDEN', reason: 'Off topic' } };
    await service.refused('FORBIDDEN', 'PATCH', at, { ...hide, token: reader.token });
    await service.refused('FORBIDDEN', 'PATCH', at, { ...hide, token: await service.operator() });
    await service.refused('UNAUTHENTICATED', 'PATCH', at, { ...hide, token: key });
    const stranger = await service.user({ blogRole: 'AUTHOR' });
    await service.refused('NOT_FOUND', 'PATCH', at, { ...hide, token: stranger.token });
    const hidden = await service.ok<Comment & { post: object }>(200, 'PATCH', at, { ...hide, token: author.token });
    assert.deepEqual([hidden.status, hidden.post], ['HIDDEN', { id: postId, slug, title: 'A post' }]);
    const shown = await service.ok<Comments>(200, 'GET', `${path}?limit=100`, { token: key });
    assert.ok(shown.data.every((c) => c.id !== id));
    const query = `status=HIDDEN&postId=${postId.toUpperCase()}`;
    const list = await service.ok<Comments>(200, 'GET', `/v1/blog/manage/comments?${query}`, { token: author.token });
    assert.deepEqual([list.total, list.data[0]?.id], [1, id]);
    assert.equal(
      (await service.ok<Comments>(200, 'GET', '/v1/blog/manage/comments', { token: stranger.token })).total,
      0,
    );
    const bulk = await service.ok<{ data: object[] }>(200, 'POST', '/v1/blog/manage/comments/bulk', {
      token: editor.token,
      body: { ids: [id, postId], status: 'VISIBLE' },
    });
    assert.deepEqual(bulk.data, [
      { id, outcome: 'CHANGED', status: 'VISIBLE' },
      { id: postId, outcome: 'NOT_FOUND', status: null },
    ]);
    const log = await service.ok<{ data: { actor: { id: string }; reason: string | null }[] }>(
      200,
      'GET',
      `/v1/blog/manage/moderation-log?commentId=${id}`,
      { token: editor.token },
    );
    assert.deepEqual(
      log.data.map((e) => [e.actor.id, e.reason]),
      [
        [editor.id, null],
        [author.id, 'Off topic'],
      ],
    );
    await service.refused('FORBIDDEN', 'GET', '/v1/blog/manage/moderation-log', { token: author.token });
    await service.refused('VALIDATION_ERROR', 'GET', '/v1/blog/manage/moderation-log?cursor=x', {
      token: editor.token,
    });
  });

  test('refuses what is no decision', async () => {
    const { id } = await blog.said(path);
    const at = `/v1/blog/manage/comments/${id}`;
    const refused: [object, string][] = [
      [{}, 'body.status'],
      [{ status: 'DELETED' }, 'body.status'],
      [{ status: 'visible' }, 'body.status'],
      [{ status: 'HIDDEN', reason: 'x'.repeat(1001) }, 'body.reason'],
      [{ status: 'HIDDEN', body: 'x' }, 'body.body'],
    ];
    for (const [body, where] of refused) assert.equal(await blog.faults('PATCH', at, editor, body), where);
    const many = (n: number) =>
      Array.from({ length: n }, (_, i) => `01890000-0000-7000-8000-${String(i).padStart(12, '0')}`);
    const bulk = '/v1/blog/manage/comments/bulk';
    assert.equal(await blog.faults('POST', bulk, editor, { ids: [], status: 'HIDDEN' }), 'body.ids');
    assert.equal(await blog.faults('POST', bulk, editor, { ids: many(101), status: 'HIDDEN' }), 'body.ids');
    assert.equal(await blog.faults('POST', bulk, editor, { ids: ['x'], status: 'HIDDEN' }), 'body.ids.0');
    const none = await service.ok<{ data: object[] }>(200, 'POST', bulk, {
      token: editor.token,
      body: { ids: many(100), status: 'HIDDEN' },
    });
    assert.equal(none.data.length, 100);
    for (const query of ['status=DELETED', 'postId=x', 'q=x', 'reported=false']) {
      await service.refused('VALIDATION_ERROR', 'GET', `/v1/blog/manage/comments?${query}`, { token: editor.token });
    }
  });
});

describe('the settings of comments', () => {
  test('hold comments back from the next one on', async () => {
    const at = '/v1/blog/manage/comment-settings';
    const change = (body: object) => service.call('PATCH', at, { token: editor.token, body });
    await service.refused('FORBIDDEN', 'GET', at, { token: author.token });
    await service.refused('FORBIDDEN', 'PATCH', at, { token: author.token, body: {} });
    for (const [body, where] of [
      [{ maxLinks: -1 }, 'body.maxLinks'],
      [{ maxLinks: '3' }, 'body.maxLinks'],
      [{ repeatSeconds: 2_592_001 }, 'body.repeatSeconds'],
      [{ blockedWords: ['x'.repeat(101)] }, 'body.blockedWords.0'],
      [{ blockedWords: ['x', '*'] }, 'body.blockedWords.1'],
      [{ preModeration: 'yes' }, 'body.preModeration'],
      [{ premoderation: true }, 'body.premoderation'],
    ] as const) {
      assert.equal(await blog.faults('PATCH', at, editor, body), where);
    }
    for (const nothing of [{}, { preModeration: false }])
      assert.equal((await change(nothing)).body['updatedAt'], null, 'what changes nothing is no change');
    assert.equal((await change({ preModeration: true })).status, 200);
    assert.equal((await blog.said(path)).status, 'HIDDEN');
    const own = await blog.say(path, { body: 'From the author of the post' }, author);
    assert.equal(own.body.status, 'VISIBLE');
    const { status, body } = await change({ preModeration: false });
    assert.deepEqual([status, body['preModeration'], body['maxLinks']], [200, false, 3]);
    assert.equal((await blog.said(path)).status, 'VISIBLE');
    assert.equal((await service.ok(200, 'GET', at, { token: editor.token }))['preModeration'], false);
  });
});
