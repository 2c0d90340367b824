import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS } from '../src/contracts/events/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { rowsOf } from './helpers/ask.ts';
import { startChild } from './helpers/child.ts';
import { Client, Cores, isRefused, twoProcessesOn } from './helpers/cores.ts';
import { emptyPostgres, onlyPostgres, testDb } from './helpers/database.ts';
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
  const { output, ended } = await startChild({ ...twoProcessesOn(url), PORT: String(service.port) });
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
