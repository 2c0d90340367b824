/**
 * An upgrade under load: two nodes serve a database with ten million events (UPGRADE_EVENTS) while a version with two more migrations
 * takes over, one that changes the large tables and one that makes an index of the largest. No request may fail. Prints the section of
 * RESULTS.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { dropUnlessKept, eventsDatabase } from './events/database.ts';
import { SMALL } from './lib/event.ts';
import { account, adminUrl, type BenchService, countOf, service } from './lib/processes.ts';
import { fillPosts } from './lib/posts.ts';
import { receiver, settled } from './lib/receivers.ts';
import { Balancer } from './upgrade/balancer.ts';

const EVENTS = Number(process.env.UPGRADE_EVENTS ?? 10_000_000);
const PORTS = [3971, 3972] as const;
const MERCHANTS = 20;
/** Requests of each kind a second. */
const PUBLISHED = 50;
const READ = 100;
const LISTED = 5;
const NODE_ENV = { DRAIN_SECONDS: '3', WEBHOOK_SENDER_THREADS: '0', FANOUT_PARTITIONS: '4' };

const root = new URL('..', import.meta.url).pathname;
const pause = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

/** What the next version brings. */
const NEXT = {
  '9001-columns.sql': `alter table events add column bench_note text;
alter table webhook_deliveries add column bench_note text not null default '';
create table bench_notes (id int primary key);
`,
  '9002-index.sql': `-- online
create index concurrently if not exists events_bench_cause on events (caused_by, position);
`,
};

/** A copy of this version with more migrations; its folder. */
async function nextVersion(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-next-'));
  for (const name of ['src', 'migrations', 'package.json', 'tsconfig.json', 'dashboard/dist', 'client'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(NEXT)) await writeFile(join(folder, 'migrations', name), text);
  return folder;
}

/** A copy of the database with so many events, so that the other one can be used again. */
async function copyOf(events: number): Promise<string> {
  const source = new URL(await eventsDatabase(events)).pathname.slice(1);
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  await client.query('drop database if exists posthorn_bench_upgrade with (force)');
  await client.query(`create database posthorn_bench_upgrade template ${source}`);
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = '/posthorn_bench_upgrade';
  return url.href;
}

const ask = async (databaseUrl: string, statement: string): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
};

/** All readers are at the end of the log, as those of a system in use are. */
async function atTheEnd(databaseUrl: string): Promise<void> {
  const node = await service(databaseUrl, PORTS[0], NODE_ENV);
  await pause(3);
  await node.stop();
  // Sealing goes on from the beginning: its seals have to be there.
  const others = "update event_readers set position = (select max(position) from events) where name <> 'audit-seal'";
  await ask(databaseUrl, others);
}

/** `npm run migrate` of a version; seconds. */
async function migrate(folder: string, databaseUrl: string): Promise<number> {
  const startedAt = performance.now();
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const child = spawn(process.execPath, [join(folder, 'src/app/migrate.ts')], { env, stdio: ['ignore', 2, 2] });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`the migration ended with ${code}`);
  return (performance.now() - startedAt) / 1000;
}

export interface UpgradeResult {
  events: number;
  migrationSeconds: number;
  allSeconds: number;
  requests: number;
  failed: number;
  faults: readonly string[];
  slowest: readonly [mark: string, ms: number][];
  published: number;
  lost: number;
}

/** Runs it. */
export async function upgrade(): Promise<UpgradeResult> {
  const databaseUrl = await copyOf(EVENTS);
  const next = await nextVersion();
  const to = await receiver();
  const nodes: BenchService[] = [];
  const balancer = new Balancer(PORTS);
  const timers: NodeJS.Timeout[] = [];
  try {
    await atTheEnd(databaseUrl);
    for (const port of PORTS) nodes.push(await service(databaseUrl, port, NODE_ENV));
    const [first] = nodes as [BenchService, BenchService];
    const platform = await account(first, 'PLATFORM', ['events:publish']);
    const site = await account(first, 'SITE', ['blog:read']);
    await fillPosts(first);
    const merchants: { id: string; key: string }[] = [];
    for (let i = 0; i < MERCHANTS; i++) {
      const merchant = await account(first, 'MERCHANT', ['webhooks:manage']);
      await first.call('POST', '/v1/webhooks/endpoints', { url: `http://127.0.0.1:${to.port}/` }, merchant.key);
      merchants.push(merchant);
    }
    await balancer.untilReady(2);
    const asking = new Set<Promise<unknown>>();
    let n = 0;
    let published = 0;
    const every = (perSecond: number, send: (merchant: { id: string; key: string }) => Promise<unknown>): void => {
      const one = (): void => {
        const asked: Promise<unknown> = send(merchants[n++ % MERCHANTS] as (typeof merchants)[number]).finally(() =>
          asking.delete(asked),
        );
        asking.add(asked);
      };
      timers.push(setInterval(one, 1000 / perSecond));
    };
    every(PUBLISHED, ({ id }) => {
      const event = SMALL.replace('@@', `up-${n}`);
      const body = `{${event},"accountIds":["${id}"]}`;
      return balancer.ask('POST', '/v1/events', platform.key, body).then((isTaken) => (published += Number(isTaken)));
    });
    every(READ, () => balancer.ask('GET', `/v1/blog/posts/post-number-${n % 1000}`, site.key));
    every(LISTED, ({ key }) => balancer.ask('GET', '/v1/webhooks/deliveries?limit=20', key));
    await pause(10);
    const startedAt = performance.now();
    balancer.mark = 'while it migrates';
    const migrationSeconds = await migrate(next, databaseUrl);
    for (const [i, port] of PORTS.entries()) {
      balancer.mark = `while node ${i + 1} is replaced`;
      await nodes[i]?.stop();
      nodes[i] = await service(databaseUrl, port, NODE_ENV, [], join(next, 'src/main.ts'));
      await balancer.untilReady(2);
    }
    const allSeconds = (performance.now() - startedAt) / 1000;
    balancer.mark = 'after';
    await pause(10);
    for (const timer of timers) clearInterval(timer);
    await Promise.all(asking);
    const { count } = await settled(to);
    const { requests, failed, faults, slowestOf } = balancer.asked;
    const rows = await countOf(databaseUrl, "webhook_deliveries where status = 'DELIVERED' and replay_of is null");
    console.error(`${count} requests at the receiver`);
    return {
      events: EVENTS,
      migrationSeconds,
      allSeconds,
      requests,
      failed,
      faults,
      slowest: [...slowestOf],
      published,
      lost: published - rows,
    };
  } finally {
    for (const timer of timers) clearInterval(timer);
    balancer.stop();
    for (const node of nodes) await node.stop();
    await to.stop();
    await rm(next, { recursive: true, force: true });
    await ask(adminUrl, 'drop database if exists posthorn_bench_upgrade with (force)');
    await dropUnlessKept(EVENTS);
  }
}

/** As RESULTS.md has it. */
export function upgradeSection(r: UpgradeResult): string {
  const rows = r.slowest.map(([mark, ms]) => `| ${mark} | ${Math.round(ms)} |`);
  return `## Upgrade under load

\`node bench/upgrade.ts\`: two nodes behind a balancer that looks at \`/readyz\` twice a second and never asks twice; ${PUBLISHED} events, ${READ} reads and ${LISTED} lists of
deliveries a second; ${r.events.toLocaleString('en-US')} events in the database. The next version adds a column to \`events\` and to the \`webhook_deliveries\` of this run, and makes an index of
\`events\` (docs/adr/0037), then takes the place of one node after the other; on ${cpus().length} cores. The migrations took ${r.migrationSeconds.toFixed(0)} s, all of it ${r.allSeconds.toFixed(0)} s.
**${r.requests.toLocaleString('en-US')} requests, ${r.failed} failed (503 counted)**; ${r.published.toLocaleString('en-US')} events published, ${r.lost} not delivered.

| | slowest request, ms |
|---|---|
${rows.join('\n')}
${r.faults.map((fault) => `\n- ${fault}`).join('')}`;
}

if (import.meta.main) {
  console.log(upgradeSection(await upgrade()));
  process.exit(0);
}
