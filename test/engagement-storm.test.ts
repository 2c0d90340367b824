import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { monotonicNow } from '../src/lib/clock.ts';
import { countersAndRows } from '../src/modules/blog/engagement/fixtures.ts';
import { type Database, openPglite, openPostgres } from '../src/platform/db/index.ts';
import { cleanup } from './helpers/cleanup.ts';
import { emptyPostgres, testDb } from './helpers/database.ts';
import { ServiceProcess } from './helpers/process.ts';

const CLIENTS = 64;
const POSTS = 10;
/** Actions of one client, one after the other. The embedded database has one connection for all of them. */
const ACTIONS = testDb === 'pglite' ? 20 : 60;
/** After this part of the answers, the first node is killed. */
const KILL_AT = 0.4;

/** Nodes over one database: two on PostgreSQL, one on the embedded one, which only one process can have. */
async function startNodes(): Promise<{ nodes: Node[]; open: () => Promise<Database> }> {
  const env: Record<string, string> = {};
  let open: () => Promise<Database>;
  if (testDb === 'postgres') {
    const url = await emptyPostgres();
    Object.assign(env, { DATABASE_URL: url, POSTHORN_MASTER_KEY: Buffer.alloc(32, 5).toString('base64') });
    open = () => openPostgres(url, 2);
  } else {
    const dir = await mkdtemp(join(tmpdir(), 'posthorn-storm-'));
    cleanup(() => rm(dir, { recursive: true, force: true }));
    env.POSTHORN_DATA_DIR = dir;
    open = () => openPglite(dir);
  }
  const nodes = Array.from({ length: testDb === 'postgres' ? 2 : 1 }, () => new Node(env));
  for (const node of nodes) await node.ready;
  return { nodes, open };
}

class Node {
  readonly process: ServiceProcess;
  ready: Promise<void>;

  constructor(env: Record<string, string>) {
    this.process = new ServiceProcess({ ...env, RATE_LIMIT_ANONYMOUS: '1000000', RATE_LIMIT_SIGN_IN: '1000000' });
    cleanup(() => this.process.kill());
    this.ready = this.process.start();
  }

  async killAndStart(): Promise<void> {
    this.ready = this.process.kill().then(() => this.process.start());
    await this.ready;
  }
}

interface Place {
  nodes: readonly Node[];
  apiKey: string;
  slugs: readonly string[];
}

/** A site key and published posts. */
async function setUp({ process: service }: Node): Promise<Omit<Place, 'nodes'>> {
  const operator = await service.operator();
  const { id } = await service.call('POST', '/v1/admin/accounts', { name: 'Site', type: 'SITE' }, operator);
  const body = { accountId: id, name: 'storm', scopes: ['blog:read'] };
  const { key } = await service.call('POST', '/v1/admin/api-keys', body, operator);
  const writer = { email: 'writer@storm.example', name: 'Writer', password: 'writer of the storm', blogRole: 'EDITOR' };
  await service.call('POST', '/v1/admin/users', writer, operator);
  const { accessToken } = await service.call('POST', '/v1/auth/sign-in', writerCredentials(writer));
  const slugs = Array.from({ length: POSTS }, (_, i) => `storm-${i}`);
  for (const slug of slugs) {
    const post = { slug, title: slug, body: 'Text.', category: 'Storm' };
    const created = await service.call('POST', '/v1/blog/manage/posts', post, accessToken);
    await service.call('POST', `/v1/blog/manage/posts/${created.id}/publish`, {}, accessToken);
  }
  return { apiKey: key, slugs };
}
const writerCredentials = ({ email, password }: { email: string; password: string }) => ({ email, password });

type Tally = Record<'likes' | 'views' | 'shares', number>;

/** One reader, who does one thing after the other, and each again under the same key until it is answered. */
class Client {
  readonly liked = new Set<string>();
  readonly did: Record<string, Tally> = {};
  repeated = 0;
  readonly #place: Place;
  readonly #number: number;
  #token = '';

  constructor(place: Place, number: number) {
    this.#place = place;
    this.#number = number;
    for (const slug of place.slugs) this.did[slug] = { likes: 0, views: 0, shares: 0 };
  }

  async signUp(): Promise<void> {
    const body = { email: `reader${this.#number}@storm.example`, name: 'Reader', password: 'reader of the storm' };
    const node = this.#place.nodes[0] as Node;
    this.#token = (await node.process.call('POST', '/v1/auth/sign-up', body)).accessToken;
  }

  async run(onAnswer: () => void): Promise<void> {
    for (let i = 0; i < ACTIONS; i++) {
      await this.#act(i);
      onAnswer();
    }
  }

  async #act(i: number): Promise<void> {
    // Clients are at different posts and actions at any time, and each post and action is met by all of them.
    const slug = this.#place.slugs[(i + this.#number) % POSTS] as string;
    const did = this.did[slug] as Tally;
    const key = `${this.#number}-${i}`;
    const { apiKey } = this.#place;
    switch ((i * 7 + this.#number) % 4) {
      case 0:
        await this.#send('POST', slug, 'view', apiKey, key);
        did.views++;
        return;
      case 1:
        await this.#send('POST', slug, 'share', apiKey, key, { channel: i % 2 ? 'email' : 'x' });
        did.shares++;
        return;
      case 2:
        assert.equal((await this.#send('PUT', slug, 'like', this.#token)).liked, true);
        this.liked.add(slug);
        return this.#lookAt(slug);
      default:
        assert.equal((await this.#send('DELETE', slug, 'like', this.#token, key)).liked, false);
        this.liked.delete(slug);
        return this.#lookAt(slug);
    }
  }

  /** A reader sees their own write at once, on every node. */
  async #lookAt(slug: string): Promise<void> {
    const { likedByMe } = await this.#send('GET', slug, '', this.#token);
    assert.equal(likedByMe, this.liked.has(slug));
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- replies are looked into field by field
  async #send(method: string, slug: string, what: string, token: string, key?: string, body?: object): Promise<any> {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    // A read asks another node than the write before it; whatever was not answered goes to another one as well.
    for (let attempt = method === 'GET' ? 1 : 0; ; attempt++) {
      const node = this.#place.nodes[(this.#number + attempt) % this.#place.nodes.length] as Node;
      const reply = await fetch(
        `http://127.0.0.1:${node.process.port}/v1/blog/posts/${slug}${what && `/${what}`}`,
        init,
      )
        .then(async (r) => ({ status: r.status, body: await r.text() }))
        .catch(() => null);
      if (reply?.status === 200) return JSON.parse(reply.body);
      // 409: the same request of before the crash is still running; 503: the node is going or coming.
      if (reply !== null) assert.ok([409, 503].includes(reply.status), `${reply.status} ${reply.body}`);
      this.repeated++;
      await (this.#place.nodes[(this.#number + attempt + 1) % this.#place.nodes.length] as Node).ready;
    }
  }
}

/** What the counters must be: each action that was answered once, and nothing else. */
function expected(slugs: readonly string[], clients: readonly Client[]): { slug: string; counters: Tally }[] {
  return slugs.map((slug) => {
    const counters = { likes: 0, views: 0, shares: 0 };
    for (const client of clients) {
      if (client.liked.has(slug)) counters.likes++;
      counters.views += client.did[slug]?.views ?? 0;
      counters.shares += client.did[slug]?.shares ?? 0;
    }
    return { slug, counters };
  });
}

test(`${CLIENTS} clients on ${POSTS} posts, and kill -9 on the way: every counter equals its rows and what was answered`, {
  timeout: 170_000,
}, async () => {
  const { nodes, open } = await startNodes();
  const place = { nodes, ...(await setUp(nodes[0] as Node)) };
  const clients = Array.from({ length: CLIENTS }, (_, i) => new Client(place, i));
  await Promise.all(clients.map((c) => c.signUp()));

  let answers = 0;
  let restarted: Promise<void> | undefined;
  const started = monotonicNow();
  const onAnswer = (): void => {
    if (++answers >= KILL_AT * CLIENTS * ACTIONS) restarted ??= nodes[0]?.killAndStart();
  };
  await Promise.all(clients.map((c) => c.run(onAnswer)));
  await restarted;
  const seconds = (monotonicNow() - started) / 1000;
  const repeated = clients.reduce((sum, c) => sum + c.repeated, 0);
  process.stdout.write(
    `storm on ${testDb}: ${answers} actions answered in ${seconds.toFixed(1)} s with one kill -9, ${repeated} requests repeated\n`,
  );
  assert.equal(answers, CLIENTS * ACTIONS);
  assert.ok(repeated > 0, 'the kill was noticed');

  const wanted = expected(place.slugs, clients);
  for (const { process: service } of nodes) {
    const { data } = await service.call('GET', '/v1/blog/posts?sort=most_viewed&limit=100', undefined, place.apiKey);
    const shown = new Map<string, Tally>(
      data.map((p: { slug: string; likeCount: number; viewCount: number; shareCount: number }) => [
        p.slug,
        { likes: p.likeCount, views: p.viewCount, shares: p.shareCount },
      ]),
    );
    for (const { slug, counters } of wanted) assert.deepEqual(shown.get(slug), counters, slug);
    await service.stop();
  }
  const database = await open();
  try {
    const found = await countersAndRows(database.db);
    for (const { slug, counters, rows } of found) assert.deepEqual(rows, counters, `the rows of ${slug}`);
    assert.deepEqual(
      found.map(({ slug, counters }) => ({ slug, counters })),
      wanted.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)),
    );
  } finally {
    await database.close();
  }
});
