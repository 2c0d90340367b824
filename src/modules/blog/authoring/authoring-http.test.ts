import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { testService } from '../../../../test/helpers/service.ts';

const service = await testService();
const { token } = await service.user({ blogRole: 'AUTHOR' });
const editor = await service.user({ blogRole: 'EDITOR' });
const POSTS = '/v1/blog/manage/posts';
const COMPLETE = { title: 'A title', body: 'One.\nTwo.', category: 'News' };

interface Post {
  id: string;
  version: number;
  slug: string;
}
const draft = (body: object = COMPLETE) => service.ok<Post>(201, 'POST', POSTS, { token, body });
const faultsOf = async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => {
  const { status, body: reply } = await service.refused('VALIDATION_ERROR', method, path, { token, body });
  assert.equal(status, 400);
  return reply.error.details?.map((d) => d.path).join();
};

describe('editing over HTTP', () => {
  test('the post of the slug that was typed comes first in the list, unless the order is asked for', async () => {
    for (const slug of ['tide', 'tide-2', 'tides']) await draft({ title: 'Tide', slug });
    const slugs = async (more: string): Promise<string[]> => {
      const list = await service.ok<{ data: Post[] }>(200, 'GET', `${POSTS}?q=tide${more}`, { token });
      return list.data.map(({ slug }) => slug);
    };
    assert.deepEqual(await slugs(''), ['tide', 'tides', 'tide-2']);
    assert.deepEqual(await slugs('&sort=changed'), ['tides', 'tide-2', 'tide']);
  });

  test('a conflict tells the version that there is, from which an editor reaches what changed', async () => {
    const { id } = await draft();
    const mine = { token, body: { title: 'Mine' }, headers: { 'if-match': '"1"' } };
    await service.ok(200, 'PATCH', `${POSTS}/${id}`, { token: editor.token, body: { body: 'One.\n2.' } });
    const stale = await service.refused('PRECONDITION_FAILED', 'PATCH', `${POSTS}/${id}`, mine);
    assert.deepEqual([stale.status, stale.headers.get('etag')], [412, '"2"']);
    assert.equal((stale.body.error as unknown as { currentVersion: number }).currentVersion, 2);
    const diff = await service.ok<{ body: { hunks: { lines: string[] }[] } }>(
      200,
      'GET',
      `${POSTS}/${id}/revisions/1/diff`,
      { token },
    );
    assert.deepEqual(diff.body.hunks[0]?.lines, [' One.', '-Two.', '+2.']);
    await service.ok(200, 'PATCH', `${POSTS}/${id}`, { ...mine, headers: { 'if-match': '"2"' } });
  });

  test('a post’s revisions from first to restored', async () => {
    const { id } = await draft();
    const path = `${POSTS}/${id}`;
    await service.ok(200, 'PATCH', path, { token, body: { body: 'auto' } });
    await service.ok(200, 'PATCH', `${path}?autosave=true`, { token, body: { body: 'auto 2' } });
    const list = await service.ok<{ total: number; data: { number: number; words: number }[] }>(
      200,
      'GET',
      `${path}/revisions?limit=1`,
      { token },
    );
    assert.deepEqual([list.total, list.data[0]?.number, list.data[0]?.words], [2, 2, 1]);
    const first = await service.ok(200, 'GET', `${path}/revisions/1`, { token });
    assert.deepEqual({ ...first, ...COMPLETE }, first);
    const headers = { 'idempotency-key': 'restore' };
    for (const replayed of [null, 'true']) {
      const restored = await service.call<Post>('POST', `${path}/revisions/1/restore`, { token, headers });
      assert.deepEqual([restored.status, restored.body.version], [200, 4]);
      assert.deepEqual([restored.headers.get('etag'), restored.headers.get('idempotency-replayed')], ['"4"', replayed]);
    }
    await service.refused('NOT_FOUND', 'GET', `${path}/revisions/9`, { token });
    for (const bad of ['0', '-1', 'x', '1.5', '2147483648', '%20']) {
      assert.equal(await faultsOf('GET', `${path}/revisions/${bad}`), 'path.number', bad);
    }
    assert.equal(await faultsOf('GET', `${path}/revisions/1/diff?against=0`), 'query.against');
    assert.equal(await faultsOf('GET', `${path}/revisions?page=0&status=x`), 'query.status,query.page');
    assert.equal(await faultsOf('PATCH', `${path}?autosave=1`, {}), 'query.autosave');
    assert.equal(await faultsOf('POST', `${path}/revisions/1/restore`, { slug: 'x' }), 'body');
  });

  test('the list counts the posts of the caller by state', async () => {
    const { token: mine } = await service.user({ blogRole: 'AUTHOR' });
    const make = async (...then: [string, object?][]) => {
      const { id } = await service.ok<Post>(201, 'POST', POSTS, { token: mine, body: COMPLETE });
      for (const [action, body] of then)
        await service.ok(200, 'POST', `${POSTS}/${id}/${action}`, { token: mine, body });
    };
    const later = { at: '2099-01-01T00:00:00Z' };
    await make();
    for (let n = 0; n < 2; n++) await make(['publish', later]);
    for (let n = 0; n < 3; n++) await make(['publish']);
    for (let n = 0; n < 4; n++) await make(['publish'], ['unpublish']);
    const expected = { DRAFT: 1, SCHEDULED: 2, PUBLISHED: 3, ARCHIVED: 4 };
    for (const [status, total] of [['', 10], ...Object.entries(expected)] as const) {
      const query = status === '' ? '' : `&status=${status}`;
      const list = await service.ok<{ total: number; data: unknown[]; counts: object }>(
        200,
        'GET',
        `${POSTS}?limit=9${query}`,
        { token: mine },
      );
      assert.deepEqual([list.total, list.data.length, list.counts], [total, Math.min(9, total), expected], status);
    }
    const found = await service.ok<{ total: number; counts: object }>(200, 'GET', `${POSTS}?q=nothing+has+this`, {
      token: mine,
    });
    assert.deepEqual([found.total, found.counts], [0, expected]);
    const all = await service.ok<{ total: number; counts: Record<string, number> }>(200, 'GET', POSTS, {
      token: editor.token,
    });
    assert.equal(
      Object.values(all.counts).reduce((a, b) => a + b),
      all.total,
    );
    assert.deepEqual([all.counts['SCHEDULED'], all.counts['ARCHIVED']], [2, 4]);
  });

  test('a slug is free, taken or none, and the suggestion can be had', async () => {
    const own = await draft({ slug: 'taken' });
    await draft({ slug: 'taken-2' });
    const ask = (query: string) => service.ok(200, 'GET', `/v1/blog/manage/slug?${query}`, { token });
    assert.deepEqual(await ask('slug=free'), { slug: 'free', available: true, suggestion: 'free' });
    assert.deepEqual(await ask('slug=taken'), { slug: 'taken', available: false, suggestion: 'taken-3' });
    assert.deepEqual(await ask(`slug=taken&postId=${own.id}`), { slug: 'taken', available: true, suggestion: 'taken' });
    assert.deepEqual(await ask('title=Taken!'), { slug: 'taken', available: false, suggestion: 'taken-3' });
    assert.deepEqual(await ask('title=%E6%97%A5'), { slug: 'ri', available: true, suggestion: 'ri' });
    assert.deepEqual(await ask('title=%E2%98%85'), { slug: 'post', available: true, suggestion: 'post' });
    assert.deepEqual(await ask('slug=No%20Slug&title=x'), { slug: 'No Slug', available: false, suggestion: 'no-slug' });
    assert.deepEqual(await ask(`slug=${'a'.repeat(121)}`), {
      slug: 'a'.repeat(121),
      available: false,
      suggestion: 'a'.repeat(120),
    });
    assert.equal((await draft({ slug: 'taken-3' })).slug, 'taken-3');
    for (const query of ['', 'slug=', 'slug=%00', `title=${'a'.repeat(201)}`, 'slug=a&x=1', 'slug=a&postId=1']) {
      await faultsOf('GET', `/v1/blog/manage/slug?${query}`);
    }
    const { token: stranger } = await service.user({ blogRole: 'AUTHOR' });
    await service.refused('NOT_FOUND', 'GET', `/v1/blog/manage/slug?slug=taken&postId=${own.id}`, { token: stranger });
  });
});

describe('checks and previews over HTTP', () => {
  test('the checks tell what is missing', async () => {
    const { id } = await draft({ title: 'Alone', body: '![](x)', excerpt: 'E' });
    const checks = await service.ok(200, 'GET', `${POSTS}/${id}/checks`, { token });
    assert.deepEqual(checks, {
      ready: false,
      problems: [
        { code: 'FIELD_MISSING', severity: 'ERROR', message: 'is needed for a published post', path: 'category' },
        {
          code: 'IMAGE_WITHOUT_ALT',
          severity: 'WARNING',
          message: 'An image has no alternative text.',
          path: 'body',
          line: 1,
        },
      ],
    });
  });

  test('a preview needs the token only, and nobody keeps it', async () => {
    const { id } = await draft({ title: 'Secret' });
    const path = `${POSTS}/${id}/preview-links`;
    const headers = { 'idempotency-key': 'preview' };
    const link = await service.ok<{ url: string; token: string; expiresAt: string }>(201, 'POST', path, {
      token,
      headers,
    });
    assert.equal(link.url, `${service.url}/v1/blog/preview/${link.token}`);
    assert.deepEqual(await service.ok(201, 'POST', path, { token, headers }), link, 'the same link for the same key');
    const { db } = service.service.opened.platform;
    const { rows } = await sql<{ body: string }>`select body from idempotency_keys where body is not null`.execute(db);
    assert.ok(rows.length > 0 && rows.every((row) => !row.body.includes(link.token)), 'kept encrypted');
    const shown = await service.call<{ title: string }>('GET', `/v1/blog/preview/${link.token}`);
    assert.deepEqual([shown.status, shown.body.title], [200, 'Secret']);
    const { headers: sent } = shown;
    assert.deepEqual(
      ['cache-control', 'x-robots-tag', 'referrer-policy'].map((name) => sent.get(name)),
      ['private, no-store', 'noindex', 'no-referrer'],
    );
    assert.ok(Number(sent.get('ratelimit-limit')) > 0, 'counted by address');
    for (const wrong of ['x', '%20', 'a'.repeat(400), `${link.token}x`]) {
      await service.refused('NOT_FOUND', 'GET', `/v1/blog/preview/${wrong}`);
    }
    const lured = await service.service.http.app.inject({
      method: 'POST',
      url: path,
      headers: { host: 'elsewhere.example', authorization: `Bearer ${token}` },
    });
    assert.ok(
      lured.json<{ url: string }>().url.startsWith(`${service.url}/`),
      'the caller does not say where it leads',
    );
    await service.ok(204, 'DELETE', path, { token });
    await service.refused('NOT_FOUND', 'GET', `/v1/blog/preview/${link.token}`);
  });

  test('a link lives from a minute to thirty days, a week by default', async () => {
    const { id } = await draft();
    const path = `${POSTS}/${id}/preview-links`;
    for (const [body, seconds] of [
      [{}, 604_800],
      [{ expiresInSeconds: 60 }, 60],
      [{ expiresInSeconds: 2_592_000 }, 2_592_000],
    ] as const) {
      const before = Date.now();
      const { expiresAt } = await service.ok<{ expiresAt: string }>(201, 'POST', path, { token, body });
      const late = Date.parse(expiresAt) - before - seconds * 1000;
      assert.ok(late >= -1 && late < 60_000, `${late} ms`);
    }
    for (const expiresInSeconds of [59, 2_592_001, 60.5, '60', null, -1]) {
      assert.equal(await faultsOf('POST', path, { expiresInSeconds }), 'body.expiresInSeconds');
    }
    assert.equal(await faultsOf('POST', path, { expires: 60 }), 'body.expires');
  });
});
