import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from './helpers/engine.ts';
import { Node, openSite } from './helpers/nodes.ts';
import { OwnWrites, type World } from './helpers/own-writes.ts';
import { inDatabase, needsReplica, newDatabase, run, startReplica } from './helpers/replica.ts';
import { MASTER_KEY } from './helpers/service.ts';

const CLIENTS = 32;
const POSTS = 10;
const READS = 300;
const NAME = 'served';

const say = (text: string): void => void process.stdout.write(`with a read replica: ${text}\n`);

/** The values of the metrics of a node that begin so. */
async function metrics({ process: { port } }: Node, prefix: string): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(prefix));
  return new Map(
    lines.map((line) => [line.slice(prefix.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

/** Rows that a server has read in the database, as its statistics say. */
const rowsRead = async (url: string): Promise<number> =>
  Number(
    (await run(url, `select tup_returned + tup_fetched as n from pg_stat_database where datname = '${NAME}'`))[0]?.n,
  );

describe('with a read replica', needsReplica, async () => {
  if (needsReplica.skip !== false) return;
  const url = await newDatabase(NAME);
  const server = await startReplica();
  const env = {
    DATABASE_URL: url,
    READ_DATABASE_URL: inDatabase(server, NAME),
    POSTHORN_MASTER_KEY: MASTER_KEY,
    LOG_LEVEL: 'fatal',
  };
  // Two nodes begin on a new database while the replica has none of its tables yet.
  await run(server.url, 'select pg_wal_replay_pause()');
  const nodes = [new Node(env), new Node(env)] as const;
  for (const node of nodes) await node.start();
  const [here] = nodes;
  const operator = await here.process.operator();
  const site = await openSite(here);
  const slugs = Array.from({ length: POSTS }, (_, i) => `steady-${i}`);
  for (const slug of slugs) {
    const content = { slug, title: slug, body: 'A lamp beside the harbour.', category: 'Steady', tags: ['lamp'] };
    const { id } = await here.process.call('POST', '/v1/blog/manage/posts', content, site.editor);
    await here.process.call('POST', `/v1/blog/manage/posts/${id}/publish`, {}, site.editor);
  }
  const world: World = { ...site, nodes, operator, slugs };

  const replicaOf = async ({ process }: Node): Promise<{ used: boolean; reason: string | null }> => {
    const { used, reason } = (await process.call('GET', '/v1/admin/system', undefined, operator)).replica;
    return { used, reason };
  };
  const isUsed = async (): Promise<boolean> => (await Promise.all(nodes.map(replicaOf))).every(({ used }) => used);
  const total = async (node: Node): Promise<number> =>
    (await node.process.call('GET', '/v1/blog/posts?limit=1', undefined, site.apiKey)).total;

  test('a replica without the tables is waited for, and then used', async () => {
    assert.deepEqual(await replicaOf(here), { used: false, reason: 'late' });
    assert.deepEqual(await Promise.all(nodes.map(total)), [POSTS, POSTS]);
    await run(server.url, 'select pg_wal_replay_resume()');
    await until('it is used', isUsed);
  });

  test(`${CLIENTS} clients see what they write, whatever becomes of the replica`, async () => {
    const clients = Array.from({ length: CLIENTS }, (_, i) => new OwnWrites(world, i));
    await Promise.all(clients.map((client) => client.signUp()));
    let ended = false;
    const each = clients.map(async (client) => {
      while (!ended) await client.act();
    });
    const running = Promise.all(each);
    const did = (): number =>
      clients.reduce((sum, client) => sum + Object.values(client.did).reduce((a, b) => a + b), 0);
    const more = async (count: number): Promise<void> => {
      const before = did();
      await Promise.race([until('more is done', () => did() >= before + count, 60_000), running]);
    };
    try {
      await more(300);
      await run(server.url, 'select pg_wal_replay_pause()');
      await more(150);
      await run(server.url, 'select pg_wal_replay_resume()');
      await until('it is used', isUsed, 30_000);
      await run(server.url, "alter system set recovery_min_apply_delay = '40ms'", 'select pg_reload_conf()');
      await more(150);
      await run(server.url, "alter system set recovery_min_apply_delay = '1s'", 'select pg_reload_conf()');
      await more(150);
      await run(server.url, 'alter system reset recovery_min_apply_delay', 'select pg_reload_conf()');
      await run(server.url, 'alter system set max_standby_streaming_delay = 0', 'select pg_reload_conf()');
      for (let i = 0; i < 5; i++) {
        await run(url, 'vacuum posts', 'vacuum comments', 'vacuum post_counters', 'vacuum full post_tags');
        await more(30);
      }
      await server.kill();
      await more(150);
      await server.restart();
      await until('it is used', isUsed, 30_000);
      await more(150);
    } finally {
      ended = true;
      await Promise.allSettled(each);
      await running;
    }
    const sum = (of: keyof OwnWrites['did']): number => clients.reduce((all, client) => all + client.did[of], 0);
    for (const kind of ['commented', 'liked', 'published', 'edited', 'read'] as const) {
      assert.ok(sum(kind) > 10, `${kind}: ${sum(kind)}`);
    }
    const used = (await Promise.all(nodes.map((node) => metrics(node, 'posthorn_replica_reads_total')))).map(
      (values) => values.get('') ?? 0,
    );
    const [fallbacks] = await Promise.all(nodes.map((node) => metrics(node, 'posthorn_replica_fallbacks_total')));
    say(`${did()} actions; read by the replica ${used.join(' and ')} times; by the primary instead, on one node:`);
    for (const [reason, count] of fallbacks ?? []) if (count > 0) say(`  ${reason} ${count}`);
    assert.ok(Math.min(...used) > 100, 'the replica was used');
  });

  test('and no reply that is kept ready is left behind', async () => {
    const wanted = await run(
      url,
      `select p.slug, p.title, p.comment_count as "commentCount", k.like_count as "likeCount"
       from posts p join post_counters k on k.post_id = p.id order by p.slug`,
    );
    assert.ok(wanted.length > POSTS);
    const shown = async ({ process }: Node): Promise<unknown[]> => {
      const found: Record<string, unknown>[] = [];
      for (let page = 1; ; page++) {
        const { data } = await process.call('GET', `/v1/blog/posts?limit=100&page=${page}`, undefined, site.apiKey);
        found.push(...data);
        if (data.length < 100) break;
      }
      const each = found.toSorted((a, b) => (String(a.slug) < String(b.slug) ? -1 : 1));
      const details = await Promise.all(
        each.map(({ slug }) => process.call('GET', `/v1/blog/posts/${String(slug)}`, undefined, site.apiKey)),
      );
      const told = ({ slug, title, commentCount, likeCount }: Record<string, unknown>) => ({
        slug,
        title,
        commentCount,
        likeCount,
      });
      assert.deepEqual(details.map(told), each.map(told));
      return each.map(told);
    };
    // A node learns of another's changes within a second.
    await new Promise((done) => setTimeout(done, 1500));
    const counts = wanted.map((row) => ({
      ...row,
      commentCount: Number(row.commentCount),
      likeCount: Number(row.likeCount),
    }));
    for (const node of nodes) assert.deepEqual(await shown(node), counts);
  });

  test('the primary is spared what the replica reads', async () => {
    await until('it is used', isUsed, 30_000);
    const [before, beforeThere] = [await rowsRead(url), await rowsRead(server.url)];
    const words = ['lamp', 'harbour', 'own', 'anew', 'beside'];
    for (let i = 0; i < READS; i++) {
      const query = i % 3 === 0 ? `q=${words[i % words.length]}%20${i}` : `sort=oldest&tag=t${i}&limit=${1 + (i % 50)}`;
      await here.process.call('GET', `/v1/blog/posts?${query}`, undefined, site.apiKey);
      if (i % 10 === 0) await here.process.call('GET', '/v1/insights/blog?bucket=week', undefined, operator);
    }
    let [spent, spentThere] = [0, 0];
    // Servers write their statistics down once a second, and when a connection rests, after ten.
    await until(
      'the statistics are written',
      async () => {
        await total(here);
        [spent, spentThere] = [(await rowsRead(url)) - before, (await rowsRead(server.url)) - beforeThere];
        return spentThere > 5 * spent;
      },
      20_000,
      500,
    ).catch(() => undefined);
    say(`rows that ${READS} lists and searches and ${READS / 10} counts read: primary ${spent}, replica ${spentThere}`);
    assert.ok(spentThere > 5 * spent, `primary ${spent}, replica ${spentThere}`);
  });

  test('another database is refused at the start, and so is one without DATABASE_URL', async () => {
    const started = async (more: Record<string, string>): Promise<string> => {
      const node = new Node({ ...env, ...more });
      return node.start().then(
        () => node.process.kill().then(() => 'started'),
        (error: Error) => error.message,
      );
    };
    const other = await newDatabase('elsewhere');
    assert.match(await started({ READ_DATABASE_URL: other }), /READ_DATABASE_URL is no replica of the database/);
    assert.match(await started({ DATABASE_URL: '' }), /READ_DATABASE_URL goes with DATABASE_URL/);
  });

  test('one that is promoted is left alone, and nodes start without it', async () => {
    await run(server.url, 'select pg_promote()');
    assert.deepEqual(await Promise.all(nodes.map(total)), [await total(here), await total(here)]);
    const reasons = async () => (await Promise.all(nodes.map(replicaOf))).map(({ reason }) => reason).join();
    await until('both know', async () => (await reasons()) === 'promoted,promoted');
    await server.kill();
    await nodes[1].killAndStart();
    assert.equal(await total(nodes[1]), await total(here));
    assert.equal((await fetch(`http://127.0.0.1:${here.process.port}/readyz`)).status, 200);
  });
});
