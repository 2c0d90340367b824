import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { monotonicNow } from '../src/lib/clock.ts';
import { commentDrift } from '../src/modules/blog/comments/fixtures.ts';
import { countersAndRows } from '../src/modules/blog/engagement/fixtures.ts';
import type { Db } from '../src/platform/db/index.ts';
import { testDb } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { type Node, openSite, startNodes } from './helpers/nodes.ts';
import { type KnownComment, type Storm, StormClient, type Tally } from './helpers/storm-client.ts';

const CLIENTS = 64;
const POSTS = 10;
/** Actions of one client, one after the other. The embedded database has one connection for all of them. */
const ACTIONS = testDb === 'pglite' ? 12 : 30;
/** After this part of the answers, the first node is killed. */
const KILL_AT = 0.4;
/** Each of them must have happened, else the storm shows nothing about it. */
const KINDS = ['view', 'share', 'like', 'unlike', 'comment', 'reply', 'delete', 'hide', 'show'];

type Counters = Tally & { comments: number };

/** Two nodes where the database can have them, and published posts. */
async function prepare(): Promise<Storm & { open: Awaited<ReturnType<typeof startNodes>>['open'] }> {
  const { nodes, open } = await startNodes({ WEBHOOK_SENDER_THREADS: '0' });
  const site = await openSite(nodes[0]);
  const { process: service } = nodes[0];
  const slugs = Array.from({ length: POSTS }, (_, i) => `storm-${i}`);
  for (const slug of slugs) {
    const post = { slug, title: slug, body: 'Text.', category: 'Storm' };
    const { id } = await service.call('POST', '/v1/blog/manage/posts', post, site.editor);
    await service.call('POST', `/v1/blog/manage/posts/${id}/publish`, {}, site.editor);
  }
  return { nodes, open, ...site, slugs, comments: [], done: {} };
}

/** What the counters must be: each action that was answered once, and nothing else. */
function expected({ slugs, comments }: Storm, clients: readonly StormClient[]): Map<string, Counters> {
  const wanted = new Map(slugs.map((slug) => [slug, { likes: 0, views: 0, shares: 0, comments: 0 }]));
  for (const [slug, counters] of wanted) {
    for (const client of clients) {
      if (client.liked.has(slug)) counters.likes++;
      counters.views += client.did[slug]?.views ?? 0;
      counters.shares += client.did[slug]?.shares ?? 0;
    }
    counters.comments = comments.filter((c) => c.slug === slug && c.status === 'VISIBLE').length;
  }
  return wanted;
}

/** The counters that a node shows its readers. */
async function shown({ process: service }: Node, apiKey: string): Promise<Map<string, Counters>> {
  const { data } = await service.call('GET', '/v1/blog/posts?sort=oldest&limit=100', undefined, apiKey);
  type Post = Record<'likeCount' | 'viewCount' | 'shareCount' | 'commentCount', number> & { slug: string };
  return new Map(
    (data as Post[]).map((p) => [
      p.slug,
      { likes: p.likeCount, views: p.viewCount, shares: p.shareCount, comments: p.commentCount },
    ]),
  );
}

/** Comments and what moderators decided (in no order: two nodes' clocks differ), as they are stored. */
async function storedComments(db: Db): Promise<KnownComment[]> {
  const { rows } = await sql<KnownComment>`
    select c.id, p.slug, c.status,
      (select coalesce(array_agg(l.to_status order by l.to_status), '{}') from moderation_log l where l.comment_id = c.id) as decisions
    from comments c join posts p on p.id = c.post_id order by c.id`.execute(db);
  return rows;
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

/** Nothing that was answered is missing, nothing is there that was not, and what is counted are the rows. */
async function checkStored(db: Db, storm: Storm, wanted: Map<string, Counters>): Promise<void> {
  const found = await countersAndRows(db);
  for (const { slug, counters, rows } of found) {
    const { comments: _, ...tally } = wanted.get(slug) as Counters;
    assert.deepEqual([counters, rows], [tally, tally], slug);
  }
  assert.equal(found.length, POSTS);
  assert.deepEqual(await commentDrift(db), []);
  const answered = storm.comments.map((c) => ({ ...c, decisions: c.decisions.toSorted() }));
  assert.deepEqual(await storedComments(db), answered.toSorted(byId));
}

test(`${CLIENTS} clients on ${POSTS} posts, and kill -9 on the way: every counter equals its rows and what was answered`, {
  timeout: 170_000,
}, async () => {
  const { open, ...storm } = await prepare();
  const clients = Array.from({ length: CLIENTS }, (_, i) => new StormClient(storm, i));
  await Promise.all(clients.map((c) => c.signUp()));

  let answers = 0;
  let restarted: Promise<void> | undefined;
  const started = monotonicNow();
  const onAnswer = (): void => {
    if (++answers >= KILL_AT * CLIENTS * ACTIONS) restarted ??= storm.nodes[0]?.killAndStart();
  };
  await Promise.all(clients.map((c) => c.run(ACTIONS, onAnswer)));
  await restarted;
  const seconds = (monotonicNow() - started) / 1000;
  const repeated = clients.reduce((sum, c) => sum + c.repeated, 0);
  const kinds = Object.entries(storm.done).map(([what, count]) => `${what} ${count}`);
  process.stdout.write(
    `storm on ${testDb}, ${storm.nodes.length} node(s): ${answers} actions answered in ${seconds.toFixed(1)} s with one ` +
      `kill -9, ${repeated} requests repeated: ${kinds.join(', ')}\n`,
  );
  assert.equal(answers, CLIENTS * ACTIONS);
  assert.ok(repeated > 0, 'the kill was noticed');
  for (const what of KINDS) assert.ok((storm.done[what] ?? 0) > 0, what);

  const wanted = expected(storm, clients);
  for (const node of storm.nodes) {
    // What another node wrote last may be a second on its way.
    const isShown = async () => isDeepStrictEqual(await shown(node, storm.apiKey), wanted);
    await until('all is shown', isShown).catch(() => undefined);
    assert.deepEqual(await shown(node, storm.apiKey), wanted);
  }
  for (const node of storm.nodes) await node.process.stop();
  const database = await open();
  try {
    await checkStored(database.db, storm, wanted);
  } finally {
    await database.close();
  }
});
