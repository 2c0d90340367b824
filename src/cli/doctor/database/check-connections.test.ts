import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { rowsOf } from '../../../../test/helpers/ask.ts';
import { cleanup } from '../../../../test/helpers/cleanup.ts';
import { emptyPostgres, onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { openPostgres } from '../../../platform/db/index.ts';
import { checkConnections, ofOneNode } from './check-connections.ts';
import { serverConnections } from './store.ts';

const database = await withDatabase();
const settings = { DATABASE_POOL: 10, WEB_CONCURRENCY: 1, NATS_URL: undefined } as const;

test('a node takes its pools, and one each to listen unless NATS carries the wake-ups', () => {
  assert.equal(ofOneNode(settings), 11);
  assert.equal(ofOneNode({ ...settings, WEB_CONCURRENCY: 4 }), 44);
  assert.equal(ofOneNode({ ...settings, WEB_CONCURRENCY: 'auto', NATS_URL: 'nats://n' }), 10 * availableParallelism());
});

test('what the server gives is held against what nodes take', onlyPostgres, async () => {
  const { most } = await serverConnections(database.db);
  const stateFor = async (pool: number): Promise<string | undefined> =>
    (await checkConnections(database, { ...settings, DATABASE_POOL: pool }))[0]?.state;
  assert.equal(await stateFor(Math.floor(most / 2) - 1), 'ok');
  assert.equal(await stateFor(Math.floor(most / 2)), 'warn');
  assert.equal(await stateFor(most - 1), 'warn');
  assert.equal(await stateFor(most), 'fail');
  const [finding] = await checkConnections(database, settings);
  assert.match(
    finding?.found ?? '',
    /^a node takes up to 11, and the server gives \d+ \(\d+ are open\): room for \d+ such nodes?/,
  );
});

test('a role or a database that may have fewer is told', onlyPostgres, async () => {
  const admin = await emptyPostgres();
  const role = `posthorn_few_${randomUUID().slice(0, 8)}`;
  await rowsOf(admin, `create role ${role} login password 'x' connection limit 9`);
  cleanup(async () => {
    await rowsOf(admin, `drop role ${role}`);
  });
  const url = new URL(admin);
  [url.username, url.password] = [role, 'x'];
  const few = await openPostgres(url.href, 2);
  cleanup(() => few.close());
  const tell = async (): Promise<string> => {
    const [finding] = await checkConnections(few, settings);
    return `${finding?.state}: ${finding?.found}, ${finding?.todo}`;
  };
  assert.match(
    await tell(),
    new RegExp(
      `^fail: a node takes up to 11, and the role ${role} may have 9 \\(\\d+ are open\\): .*, raise that limit, `,
    ),
  );
  await rowsOf(admin, `alter role ${role} connection limit 100`);
  const name = url.pathname.slice(1);
  await rowsOf(admin, `alter database "${name}" connection limit 12`);
  assert.match(await tell(), new RegExp(`^warn: .*, and the database ${name} takes 12 \\(`));
});

test('behind a pooler, and on the embedded database, there is nothing to say', async () => {
  const pooler = { unset: [] };
  assert.deepEqual(await checkConnections({ ...database, pooler }, settings), []);
  assert.deepEqual(await checkConnections({ ...database, kind: 'pglite' }, settings), []);
});
