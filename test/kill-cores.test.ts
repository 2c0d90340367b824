import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { EVENTS } from '../src/contracts/events/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { rowsOf } from './helpers/ask.ts';
import { startChild } from './helpers/child.ts';
import { Client, Cores, isAlive } from './helpers/cores.ts';
import { emptyPostgres, migratedPostgres, onlyPostgres, testDb } from './helpers/database.ts';
import { until } from './helpers/engine.ts';
import { openSite } from './helpers/nodes.ts';

const CLIENTS = 12;

/** What is left of a connection whose process has gone. */
const RESET = ['ECONNRESET', 'EPIPE'];
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Clients with a kept connection each, that ask again and again until `end`. */
class Load {
  readonly statuses = new Map<number, number>();
  readonly errors: string[] = [];
  /** Between an answer and the next request of the same client. While a process starts, it needs the machine itself. Milliseconds. */
  pauseMs = 0;
  readonly #running: Promise<void>[];
  #ends = false;

  constructor(port: number, ask: (client: Client) => Promise<number>) {
    this.#running = Array.from({ length: CLIENTS }, async () => {
      const client = new Client(port);
      while (!this.#ends) {
        try {
          const status = await ask(client);
          this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
        } catch (error) {
          this.errors.push(codeOf(error));
          // Nobody is there any more.
          if (codeOf(error) === 'ECONNREFUSED') break;
        }
        if (this.pauseMs > 0) await new Promise((done) => setTimeout(done, this.pauseMs));
      }
      client.close();
    });
  }

  get answered(): number {
    return [...this.statuses.values()].reduce((sum, n) => sum + n, 0);
  }

  async end(): Promise<void> {
    this.#ends = true;
    await Promise.all(this.#running);
  }
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', (error) => done(codeOf(error) === 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      done(false);
    });
  });

const placeOn = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  POSTHORN_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  WEB_CONCURRENCY: '2',
  WEBHOOK_SENDER_THREADS: '0',
});

/** For all that leaves its supervisor alive, and for the stop at its end. */
const shared = testDb === 'postgres' ? await Cores.start() : undefined;
function theCores(): Cores {
  assert.ok(shared);
  return shared;
}

test(
  'a process that is killed under load is replaced; clients see nothing but reset connections',
  onlyPostgres,
  async () => {
    const cores = theCores();
    const { apiKey } = await openSite({ process: cores.service });
    const [first, second] = await cores.connections();
    const load = new Load(
      cores.service.port,
      async (client) => (await client.send('GET', '/v1/blog/posts', { token: apiKey })).status,
    );
    for (const { pid } of [first, second]) {
      load.pauseMs = 0;
      const [calm, failed] = [load.answered, load.errors.length];
      await until('there is load', () => load.answered > calm + 300, 10_000);
      process.kill(pid, 'SIGKILL');
      const before = load.answered;
      await until('it goes on', () => load.answered > before + 300, 10_000);
      load.pauseMs = 50;
      assert.ok(load.errors.length > failed, `${pid} had requests under way`);
      const pids = (await cores.connections()).map((client) => client.pid);
      assert.ok(!pids.includes(pid) && new Set(pids).size === 2, `${pid} was replaced: ${pids.join()}`);
    }
    await load.end();
    assert.deepEqual([...load.statuses.keys()], [200]);
    assert.deepEqual(
      load.errors.filter((code) => !RESET.includes(code)),
      [],
    );
    assert.ok(load.errors.length <= 2 * CLIENTS, `${load.errors.length} connections were reset`);
  },
);

test('a connection that is on its way to a process when that dies goes to the other', onlyPostgres, async () => {
  const cores = theCores();
  const [stopped] = await cores.connections();
  process.kill(stopped.pid, 'SIGSTOP');
  let answered = 0;
  const asked = Array.from({ length: 4 }, async () => {
    const { status } = await new Client(cores.service.port).send('GET', '/healthz');
    answered++;
    return status;
  });
  // The fourth has been dealt to the one that stands still.
  await until('the other answers three', () => answered === 3);
  process.kill(stopped.pid, 'SIGKILL');
  assert.deepEqual(await Promise.all(asked), [200, 200, 200, 200]);
});

test('where the port is taken, the whole ends at once, and leaves the database as it was', onlyPostgres, async () => {
  const { service } = theCores();
  const url = await emptyPostgres();
  const { output, ended } = await startChild({ ...placeOn(url), PORT: String(service.port) });
  assert.equal(await ended, 1);
  assert.match(output(), /Posthorn did not start: the port is in use/);
  assert.deepEqual(await rowsOf(url, `select tablename from pg_tables where schemaname = 'public'`), []);
});

test('SIGTERM under load: what was begun is answered, and it ends well within its time', onlyPostgres, async () => {
  const cores = theCores();
  const { service, operator, databaseUrl } = cores;
  const { id } = await service.call('POST', '/v1/admin/accounts', { name: 'Publisher', type: 'PLATFORM' }, operator);
  const scopes = ['events:publish', 'admin'];
  const { key } = await service.call('POST', '/v1/admin/api-keys', { accountId: id, name: 'x', scopes }, operator);
  const merchant = await service.call('POST', '/v1/admin/accounts', { name: 'Merchant', type: 'MERCHANT' }, operator);
  const body = { event: 'listing.created', data: EVENTS['listing.created'].example, accountIds: [merchant.id] };
  await cores.connections();
  const load = new Load(service.port, async (client) => {
    const { status } = await client.send('POST', '/v1/events', { token: key, body });
    return status;
  });
  await until('there is load', () => (load.statuses.get(202) ?? 0) > 150, 20_000);
  const began = monotonicNow();
  await service.stop();
  const took = monotonicNow() - began;
  await load.end();
  assert.ok(took < 10_000, `${took} ms`);
  assert.ok(await isRefused(service.port));
  assert.deepEqual(
    [...load.statuses.keys()].filter((status) => ![202, 503].includes(status)),
    [],
  );
  const [row] = await rowsOf<{ n: string }>(
    databaseUrl,
    `select count(*) as n from events where event = 'listing.created'`,
  );
  assert.equal(
    Number(row?.n),
    load.statuses.get(202),
    'each event that was stored was answered, and the other way round',
  );
});

test('kill -9 of the one that was started leaves nothing behind', onlyPostgres, async () => {
  const cores = await Cores.start();
  const pids = (await cores.connections()).map(({ pid }) => pid);
  await cores.service.kill();
  await until('nobody listens', () => isRefused(cores.service.port));
  await until('its processes are gone', () => pids.every((pid) => !isAlive(pid)));
});

/** Of the processes that said that they listen. */
const pidsIn = (output: string): number[] =>
  [...output.matchAll(/"pid":(\d+).*"this process is listening"/g)].map(([, pid]) => Number(pid));

test('a process that hangs while it drains is ended, and the exit code says so', onlyPostgres, async () => {
  const { child, ended, output } = await startChild({ ...placeOn(await migratedPostgres()), DRAIN_SECONDS: '30' });
  const pids = pidsIn(output());
  child.kill('SIGTERM');
  process.kill(pids[1] as number, 'SIGSTOP');
  assert.equal(await ended, 1, output());
  assert.match(output(), /"process":1.*does not answer any more: ending it/);
  assert.deepEqual(pids.map(isAlive), [false, false]);
});

test('a second signal ends it at once', onlyPostgres, async () => {
  const { child, ended, output } = await startChild(placeOn(await migratedPostgres()));
  child.kill('SIGTERM');
  child.kill('SIGINT');
  assert.equal(await ended, 1, output());
  assert.match(output(), /asked twice to stop/);
});

test(
  'where a process cannot be started again another goes on; with none that does the whole ends with its error',
  onlyPostgres,
  async () => {
    const url = await migratedPostgres();
    const { ended, output } = await startChild(placeOn(url));
    const name = new URL(url).pathname.slice(1);
    const admin = new URL(url);
    admin.pathname = '/postgres';
    await rowsOf(admin.href, `alter database ${name} with allow_connections false`);
    await rowsOf(admin.href, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    const pids = pidsIn(output());
    assert.equal(pids.length, 2, output());
    process.kill(pids[1] as number, 'SIGKILL');
    const tries = (): number => output().match(/Posthorn did not start: cannot use the database/g)?.length ?? 0;
    await until('five starts in vain', () => tries() >= 5, 60_000, 50);
    assert.ok(isAlive(pids[0] as number), 'the one that is ready goes on');
    assert.match(output(), /"process":1,"signal":"SIGKILL".*is started again/);
    process.kill(pids[0] as number, 'SIGKILL');
    assert.equal(await ended, 1, output());
    assert.match(output(), /a process does not start: stopping/);
    assert.deepEqual(pids.map(isAlive), [false, false]);
  },
);

test('where the first cannot start, the whole ends at once and says why', onlyPostgres, async () => {
  const gone = new URL(await emptyPostgres());
  gone.pathname += '-gone';
  const { output, ended } = await startChild(placeOn(gone.href));
  assert.equal(await ended, 1);
  assert.match(output(), /Posthorn did not start: cannot use the database/);
  assert.equal(output().match(/did not start/g)?.length, 1, 'it was tried once');
});
