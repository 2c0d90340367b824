import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicNow, systemClock } from '../src/lib/clock.ts';
import { type CheckedReply, checkedFetch } from './helpers/checked-fetch.ts';
import { testDb } from './helpers/database.ts';
import { type Node, type Nodes, openSite, type Site, startNodes } from './helpers/nodes.ts';

/** Every public view of the posts that can change at the time. */
const SORTS = ['newest', 'oldest', 'most_viewed', 'most_liked', 'most_commented', 'most_shared', 'trending'];
const LISTS = [
  ...SORTS.map((sort) => `posts?sort=${sort}`),
  'posts',
  'posts?category=scheduled',
  'posts?tag=later',
  'posts?featured=false',
  'posts?q=scheduled',
];

const waitUntil = (at: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.max(0, at - systemClock.now())));

function get(node: Node, { apiKey }: Site, path: string, etag?: string | null): Promise<CheckedReply> {
  const headers = { authorization: `Bearer ${apiKey}`, ...(etag ? { 'if-none-match': etag } : {}) };
  return checkedFetch(`http://127.0.0.1:${node.process.port}/v1/blog/${path}`, { headers });
}

/** A post to be public `at`, whose slug, category and tag tell it from the others. */
async function schedule(node: Node, site: Site, slug: string, at: number): Promise<string> {
  const post = { title: `Scheduled ${slug}`, slug, body: 'Text.', category: 'Scheduled', tags: ['later', slug] };
  const { id } = await node.process.call('POST', '/v1/blog/manage/posts', post, site.editor);
  const body = { at: new Date(at).toISOString() };
  const { status } = await node.process.call('POST', `/v1/blog/manage/posts/${id}/publish`, body, site.editor);
  assert.equal(status, 'SCHEDULED');
  return id;
}

/** Where a node shows the post, of all the places where it belongs. */
async function places(node: Node, site: Site, slug: string): Promise<Record<string, boolean>> {
  const has = (reply: CheckedReply): boolean => reply.body.data.some((p: { slug: string }) => p.slug === slug);
  const shown: Record<string, boolean> = {};
  const look = async (name: string, path: string, isShown: (reply: CheckedReply) => boolean): Promise<void> => {
    shown[name] = isShown(await get(node, site, path));
  };
  await Promise.all([
    ...LISTS.map((path) => look(path, path, has)),
    look('index', 'index', has),
    look('detail', `posts/${slug}`, ({ status }) => status === 200),
    look('comments', `posts/${slug}/comments`, ({ status }) => status === 200),
    look('taxonomy', 'taxonomy', ({ body }) => body.tags.some((t: { name: string }) => t.name === slug)),
    look('related', 'posts/always-there', ({ body }) => body.related.some((p: { slug: string }) => p.slug === slug)),
  ]);
  return shown;
}

const all = (shown: Record<string, boolean>, value: boolean): Record<string, boolean> =>
  Object.fromEntries(Object.keys(shown).map((name) => [name, value]));

async function open(): Promise<{ nodes: Nodes['nodes']; site: Site }> {
  const { nodes } = await startNodes({ WEBHOOK_SENDER_THREADS: '0' });
  const site = await openSite(nodes[0]);
  const { process: service } = nodes[0];
  const post = { title: 'Always there', body: 'Text.', category: 'Scheduled', tags: ['later'] };
  const { id } = await service.call('POST', '/v1/blog/manage/posts', post, site.editor);
  await service.call('POST', `/v1/blog/manage/posts/${id}/publish`, {}, site.editor);
  return { nodes, site };
}

const { nodes, site } = await open();

/** A time so far ahead that on this machine, as it is now, everything can be looked at several times before. */
async function timeAhead(): Promise<number> {
  const started = monotonicNow();
  for (const node of nodes) await places(node, site, 'always-there');
  return Math.ceil(systemClock.now() + 1500 + 6 * (monotonicNow() - started));
}

test('at its time a scheduled post is in every list, detail, index and taxonomy, on every node', async () => {
  const at = await timeAhead();
  await schedule(nodes[0], site, 'while-up', at);
  const ETAGS = ['posts', 'index', 'taxonomy', 'posts/always-there'];
  const before: string[] = [];
  // Twice, so that every node has its replies ready, and gives them.
  for (let round = 0; round < 2; round++) {
    for (const node of nodes) {
      const shown = await places(node, site, 'while-up');
      assert.ok(systemClock.now() < at, 'the machine is too slow to look before the time');
      assert.deepEqual(shown, all(shown, false));
    }
  }
  for (const path of ETAGS) before.push((await get(nodes[0], site, path)).headers.get('etag') ?? '');
  assert.ok(systemClock.now() < at, 'the machine is too slow to look before the time');

  await waitUntil(at);
  const late: number[] = [];
  for (const node of nodes) {
    const shown = await places(node, site, 'while-up');
    late.push(systemClock.now() - at);
    assert.deepEqual(shown, all(shown, true));
    for (const [i, path] of ETAGS.entries()) {
      const reply = await get(node, site, path, before[i]);
      assert.equal(reply.status, 200, `what was kept of ${path} is out of date`);
    }
  }
  process.stdout.write(
    `scheduled on ${testDb}: public in ${LISTS.length + 5} places on ${nodes.length} node(s), looked at ${late.join(' and ')} ms after its time\n`,
  );
});

test('a post whose time came while no node ran is public at the next request', async () => {
  const at = await timeAhead();
  const id = await schedule(nodes[0], site, 'while-down', at);
  await Promise.all(nodes.map((node) => node.process.kill()));
  assert.ok(systemClock.now() < at, 'the nodes were down at the time');
  await waitUntil(at);
  await Promise.all(nodes.map((node) => node.start()));
  for (const node of nodes) {
    const shown = await places(node, site, 'while-down');
    assert.deepEqual(shown, all(shown, true));
    const { body } = await get(node, site, 'posts/while-down');
    assert.equal(body.publishedAt, new Date(at).toISOString(), 'with the time that was asked for');
  }
  const managed = await nodes[0].process.call('GET', `/v1/blog/manage/posts/${id}`, undefined, site.editor);
  assert.equal(managed.status, 'PUBLISHED');
});
