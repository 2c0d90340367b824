import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Registry } from 'prom-client';
import { checkedInject } from '../../../test/helpers/checked-inject.ts';
import { withDatabase } from '../../../test/helpers/database.ts';
import type { Caller } from '../../contracts/caller.ts';
import { createCipher } from '../../lib/cipher.ts';
import { parseConfig } from '../../platform/config/index.ts';
import { readsOf } from '../../platform/db/index.ts';
import { createHttpApp } from '../../platform/http/index.ts';
import { createLog } from '../../platform/log/log.ts';
import type { Platform } from '../../platform/platform.ts';
import { localBus } from '../../platform/bus/local-bus.ts';
import { findOrCreateAuthor, marketplaceId } from '../accounts/index.ts';
import { BlogFixture, COMPLETE } from './fixtures.ts';
import { createBlog } from './index.ts';
import type { Writer } from './rules.ts';

const blog = new BlogFixture(await withDatabase());
const ann = await blog.writer('Ann', 'AUTHOR');
const eve = await blog.writer('Eve', 'EDITOR');

const session = (writer: Writer, name: string, blogRole: Writer['role'] | null): Caller => ({
  kind: 'session',
  sessionId: name,
  userId: writer.id,
  name,
  email: null,
  blogRole,
  operator: false,
  accountIds: [],
});
/** Who holds which credential. */
const CALLERS: Record<string, Caller> = {
  ann: session(ann, 'Ann', 'AUTHOR'),
  eve: session(eve, 'Eve', 'EDITOR'),
  reader: session(await blog.writer('Reader', 'AUTHOR'), 'Reader', null),
  key: { kind: 'key', keyId: 'k', accountId: 'a', accountType: 'SITE', scopes: ['blog:read'] },
};

const platform = {
  config: parseConfig({}),
  log: createLog('silent'),
  clock: blog.clock,
  newId: () => blog.env().newId(),
  db: blog.db,
  reads: readsOf(blog.db),
  bus: localBus(),
  cipher: createCipher(Buffer.alloc(32)),
  metrics: new Registry(),
};
const http = await createHttpApp(
  { ...platform, authenticate: async (bearer) => CALLERS[bearer] ?? null },
  {
    routes: createBlog(platform as unknown as Platform, { findOrCreateAuthor, marketplaceId, publish: blog.publish })
      .module.routes,
    webhooks: {},
    version: '0',
    isReady: async () => true,
  },
);
const app = checkedInject(http);

type Json = Record<string, unknown> & { id: string; error: { code: string; details: { path: string }[] } };

async function call(who: string, request: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method, url] = request.split(' ') as ['GET', string];
  const reply = await app.inject({
    method,
    url: `/v1/blog/${url}`,
    headers: {
      authorization: `Bearer ${who}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const json = (reply.body === '' ? {} : reply.json()) as Json;
  return { status: reply.statusCode, headers: reply.headers, json };
}

const status = async (...args: Parameters<typeof call>) => (await call(...args)).status;

describe('authoring over HTTP', () => {
  test('a post from draft to deletion', async () => {
    const created = await call('ann', 'POST manage/posts', COMPLETE);
    assert.deepEqual([created.status, created.headers.etag, created.json.status], [201, '"1"', 'DRAFT']);
    const path = `manage/posts/${created.json.id}`;
    assert.deepEqual((await call('ann', `GET ${path}`)).json, created.json);
    const edited = await call('ann', `PATCH ${path}`, { tags: ['a'] }, { 'if-match': '"1"' });
    assert.deepEqual([edited.status, edited.headers.etag, edited.json.version], [200, '"2"', 2]);
    const stale = await call('ann', `PATCH ${path}`, { tags: [] }, { 'if-match': '"1"' });
    assert.deepEqual([stale.status, stale.json.error.code, stale.headers.etag], [412, 'PRECONDITION_FAILED', '"2"']);
    const published = await call('ann', `POST ${path}/publish`);
    assert.deepEqual([published.status, published.json.status], [200, 'PUBLISHED']);
    const at = { at: '2027-01-01T00:00:00Z' };
    assert.equal((await call('ann', `POST ${path}/publish`, at)).json.error.code, 'INVALID_STATE');
    assert.equal((await call('ann', `POST ${path}/unpublish`)).json.status, 'ARCHIVED');
    assert.equal(await status('ann', `DELETE ${path}`), 403);
    assert.equal(await status('eve', `DELETE ${path}`), 204);
    assert.equal(await status('eve', `GET ${path}`), 404);
  });

  test('is for writers', async () => {
    assert.deepEqual((await call('ann', 'GET manage/me')).json, { id: ann.id, name: 'Ann', role: 'AUTHOR' });
    assert.equal(await status('reader', 'GET manage/me'), 403);
    assert.equal(await status('key', 'GET manage/me'), 401);
    assert.equal(await status('reader', 'POST manage/posts', {}), 403);
    assert.equal(await status('ann', 'POST manage/import', { posts: [{ source: 'a' }] }), 403);
  });

  test('the list is without bodies', async () => {
    await call('ann', 'POST manage/posts', COMPLETE);
    const { json, status } = await call('ann', 'GET manage/posts?status=DRAFT&q=title&limit=1');
    const data = json.data as Record<string, unknown>[];
    assert.deepEqual([status, data.length, data[0]?.title, 'body' in (data[0] ?? {})], [200, 1, 'A title', false]);
    assert.equal(await status400('GET manage/posts?status=draft'), 'query.status');
  });

  const status400 = async (request: string, body?: unknown) => {
    const reply = await call('ann', request, body);
    assert.equal(reply.status, 400, JSON.stringify(reply.json));
    return reply.json.error.details.map((d) => d.path).join();
  };

  test('refuses what is no time and no id', async () => {
    const { id } = (await call('ann', 'POST manage/posts', COMPLETE)).json;
    for (const at of ['soon', '0001-01-01T00:00:00Z', '0999-12-31T23:59:59Z']) {
      assert.equal(await status400(`POST manage/posts/${id}/publish`, { at }), 'body.at', at);
    }
    assert.equal(await status400(`POST manage/posts/${id}/publish`, { at: null }), 'body.at');
    assert.equal(await status400(`POST manage/posts/${id}/publish`, { when: 1 }), 'body.when');
    assert.equal(await status400('GET manage/posts/not-a-uuid'), 'path.id');
  });

  test('an import says what became of each item', async () => {
    const good = { source: 'a.md', ...COMPLETE, publishedAt: '2020-01-01T00:00:00Z' };
    const reply = await call('eve', 'POST manage/import', { posts: [good, { source: 'b.md', title: 5 }] });
    const data = reply.json.data as { outcome: string; reason: string | null; slug: string | null }[];
    assert.deepEqual(
      data.map((d) => [d.outcome, d.reason]),
      [
        ['created', null],
        ['failed', 'title must be string'],
      ],
    );
    assert.equal(await status('eve', 'POST manage/import', { posts: [] }), 400);
    assert.equal(await status('eve', 'POST manage/import', { posts: [{ title: 'no source' }] }), 400);
  });
});

describe('reading over HTTP', () => {
  test('is conditional', async () => {
    await blog.published(ann, { title: 'Read me', slug: 'read-me' });
    for (const path of ['posts', 'posts/read-me', 'index', 'taxonomy']) {
      const first = await call('key', `GET ${path}`);
      assert.equal(first.status, 200, path);
      const again = await call('key', `GET ${path}`, undefined, { 'if-none-match': String(first.headers.etag) });
      assert.deepEqual([again.status, again.headers.etag], [304, first.headers.etag], path);
    }
    const before = await call('key', 'GET posts');
    await blog.published(ann, { title: 'Another' });
    assert.equal(await status('key', 'GET posts', undefined, { 'if-none-match': String(before.headers.etag) }), 200);
  });

  test('leads from an old address to the new one', async () => {
    const { id } = await blog.published(ann, { slug: 'old-address' });
    await call('ann', `PATCH manage/posts/${id}`, { slug: 'new-address' });
    const moved = await call('key', 'GET posts/old-address');
    assert.deepEqual(
      [moved.status, moved.headers.location, moved.json.error.code],
      [301, '/v1/blog/posts/new-address', 'POST_MOVED'],
    );
    assert.equal(await status('reader', 'GET posts/new-address'), 200);
  });

  test('refuses what is not there yet, and what is nonsense', async () => {
    for (const query of [
      'sort=best',
      'q=',
      `q=${'x'.repeat(201)}`,
      'sort=relevance',
      'page=0',
      'page=10001',
      'limit=0',
      'limit=101',
      'featured=x',
      'tags=a',
      'tag=',
    ]) {
      assert.equal(await status('key', `GET posts?${query}`), 400, query);
    }
    assert.equal(
      await status('key', 'GET posts?tag=a&tag=b&category=c&featured=false&author=d&page=10000&limit=100'),
      200,
    );
    assert.equal(await status('nobody', 'GET posts'), 401);
    assert.equal(await status('key', `GET posts/${'a'.repeat(400)}`), 404);
  });
});
