import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicNow, systemClock } from '../src/lib/clock.ts';
import { withDatabase } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { type TestService, testService } from './helpers/service.ts';

const database = await withDatabase();
const here = await testService({ database });
const there = await testService({ database });
const { key } = await here.key(['blog:read']);
const editor = await here.user({ blogRole: 'EDITOR' });
const asEditor = { token: editor.token };

interface Summary {
  slug: string;
  title: string;
  author: { name: string };
}

const POSTS = '/v1/blog/manage/posts';
const content = (title: string) => ({ title, body: 'Some text.', category: 'News', tags: ['one'] });

async function draft(title: string): Promise<string> {
  return (await here.ok<{ id: string }>(201, 'POST', POSTS, { ...asEditor, body: content(title) })).id;
}
const publish = (id: string, at?: string) =>
  here.ok(200, 'POST', `${POSTS}/${id}/publish`, { ...asEditor, body: at === undefined ? {} : { at } });

const list = async (node: TestService): Promise<Summary[]> =>
  (await node.ok<{ data: Summary[] }>(200, 'GET', '/v1/blog/posts', { token: key })).data;
const titles = async (node: TestService): Promise<string[]> => (await list(node)).map((post) => post.title);
const slugs = async (node: TestService): Promise<string[]> =>
  (await node.ok<{ data: Summary[] }>(200, 'GET', '/v1/blog/index', { token: key })).data.map((post) => post.slug);

/** True here at once, and on the other node within a second of the change. */
async function shows(what: string, isSo: (node: TestService) => Promise<boolean>): Promise<void> {
  assert.ok(await isSo(here), `${what}, on the node of the change`);
  await until(`${what}, on the other node`, () => isSo(there), 1000);
}

test('what a writer changes is public at once here, and within a second on another node', async () => {
  // Both nodes have their replies ready.
  await Promise.all([titles(here), titles(there), slugs(here), slugs(there)]);
  const id = await draft('First');
  await publish(id);
  await shows('published', async (node) => (await titles(node)).includes('First'));
  await shows('in the index', async (node) => (await slugs(node)).includes('first'));
  await here.ok(200, 'PATCH', `${POSTS}/${id}`, { ...asEditor, body: { title: 'Second' } });
  await shows('edited', async (node) => (await titles(node)).includes('Second'));
  await here.ok(200, 'PATCH', `/v1/admin/users/${editor.id}`, {
    token: await here.operator(),
    body: { name: 'New Name' },
  });
  await shows('by the author’s new name', async (node) => (await list(node))[0]?.author.name === 'New Name');
  await here.ok(200, 'POST', `${POSTS}/${id}/unpublish`, asEditor);
  await shows('gone', async (node) => !(await titles(node)).includes('Second'));
});

test('the index since a time tells on another node what was published and removed', async () => {
  interface Changes {
    asOf: string;
    full: boolean;
    data: { slug: string }[];
    removed: { slug: string }[];
  }
  const index = (node: TestService, query = '') =>
    node.ok<Changes>(200, 'GET', `/v1/blog/index${query}`, { token: key });
  const leaving = await draft('Leaving');
  await publish(leaving);
  const { asOf } = await index(here);
  await here.ok(200, 'POST', `${POSTS}/${leaving}/unpublish`, asEditor);
  await publish(await draft('Coming'));
  await until(
    'the changes, on the other node',
    async () => {
      const { data, removed, full } = await index(there, `?since=${encodeURIComponent(asOf)}`);
      const told = [data.map((entry) => entry.slug), removed.map((entry) => entry.slug), full];
      return JSON.stringify(told) === JSON.stringify([['coming'], ['leaving'], false]);
    },
    1000,
  );
  await here.refused('VALIDATION_ERROR', 'GET', '/v1/blog/index?since=yesterday', { token: key });
});

test('a scheduled post becomes public on every node at its time', async () => {
  const id = await draft('Scheduled');
  const at = systemClock.now() + 1500;
  await publish(id, new Date(at).toISOString());
  for (const node of [here, there]) assert.ok(!(await titles(node)).includes('Scheduled'));
  await new Promise((done) => setTimeout(done, at - systemClock.now() + 5));
  const seen = await Promise.all(
    [here, there].map(async (node) => ({
      list: (await titles(node)).includes('Scheduled'),
      index: (await slugs(node)).includes('scheduled'),
      detail: (await node.call('GET', '/v1/blog/posts/scheduled', { token: key })).status,
      taxonomy: (await node.ok<{ categories: unknown[] }>(200, 'GET', '/v1/blog/taxonomy', { token: key })).categories
        .length,
    })),
  );
  const expected = { list: true, index: true, detail: 200, taxonomy: 1 };
  assert.deepEqual(seen, [expected, expected]);
});

test('who likes a post on one node sees the like and its count on the other at once', async () => {
  const path = '/v1/blog/posts/scheduled';
  const reader = await here.user();
  const seen = async () => {
    const { likedByMe, likeCount } = await there.ok(200, 'GET', path, { token: reader.token });
    return { likedByMe, likeCount };
  };
  assert.deepEqual(await seen(), { likedByMe: false, likeCount: 0 });
  await here.ok(200, 'PUT', `${path}/like`, { token: reader.token });
  assert.deepEqual(await seen(), { likedByMe: true, likeCount: 1 });
  await here.ok(200, 'DELETE', `${path}/like`, { token: reader.token });
  assert.deepEqual(await seen(), { likedByMe: false, likeCount: 0 });
});

test('who comments on one node sees that on the other at once, by session or by key', async () => {
  const path = '/v1/blog/posts/scheduled/comments';
  const reader = await here.user();
  const total = (node: TestService, token: string) => async () =>
    (await node.ok<{ total: number }>(200, 'GET', path, { token })).total;
  const [hereByKey, thereByKey] = [total(here, key), total(there, key)];
  assert.deepEqual([await hereByKey(), await thereByKey()], [0, 0], 'both are ready');
  const { id } = await here.ok<{ id: string }>(201, 'POST', path, { token: reader.token, body: { body: 'One.' } });
  assert.deepEqual([await thereByKey(), await hereByKey(), await total(there, reader.token)()], [1, 1, 1]);
  const thread = `/v1/blog/comments/${id}/replies`;
  const replies = async () => (await there.ok<{ total: number }>(200, 'GET', thread, { token: key })).total;
  assert.equal(await replies(), 0);
  const answer = { token: reader.token, body: { body: 'Two.', parentId: id } };
  const reply = await here.ok<{ id: string }>(201, 'POST', path, answer);
  assert.equal(await replies(), 1);
  await here.ok(204, 'DELETE', `/v1/blog/comments/${reply.id}`, { token: reader.token });
  await here.ok(204, 'DELETE', `/v1/blog/comments/${id}`, { token: reader.token });
  assert.deepEqual([await thereByKey(), await hereByKey()], [0, 0]);
  await there.refused('NOT_FOUND', 'GET', thread, { token: key });
});

test('a reply has the same ETag on every node, and 304 is given for it by the other', async () => {
  const path = '/v1/blog/posts/scheduled';
  const etag = (await here.call('GET', path, { token: key })).headers.get('etag') ?? '';
  const other = await there.call('GET', path, { token: key, headers: { 'if-none-match': etag } });
  assert.deepEqual([other.status, other.headers.get('etag')], [304, etag]);
});

test('a reply that is ready is given without the database', async () => {
  await list(here);
  const started = monotonicNow();
  const before = await cacheHits();
  for (let i = 0; i < 20; i++) await list(here);
  assert.equal((await cacheHits()) - before, 20, `in ${monotonicNow() - started} ms`);
});

async function cacheHits(): Promise<number> {
  const metrics = (await here.call<string>('GET', '/metrics')).body;
  return Number(/posthorn_blog_cache_requests_total\{result="hit"\} (\d+)/.exec(metrics)?.[1]);
}
