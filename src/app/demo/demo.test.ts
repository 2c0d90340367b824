import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { emptyPostgres, testDb } from '../../../test/helpers/database.ts';
import { migratedDataDir } from '../../../test/helpers/embedded.ts';
import { type Config, ConfigError, parseConfig } from '../../platform/config/index.ts';
import { createLog } from '../../platform/log/log.ts';
import { type Service, start } from '../start.ts';
import { type Demo, demoFile, readDemo, writeDemo } from './demo-file.ts';
import { demoTable } from './demo-table.ts';
import { wantsDemo } from './wants-demo.ts';

const DAY_MS = 24 * 3600 * 1000;
const log = createLog('silent');
// Here, and not in the test: it is dropped after the file, when the service has stopped.
const postgresUrl = testDb === 'postgres' ? await emptyPostgres() : undefined;
const skip = testDb === 'postgres' ? 'of the embedded database' : false;

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-demo-'));
  after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
// A thirtieth of the time of each password.
const CHEAP = { PASSWORD_HASH_COST: '10' };
const embedded = (dataDir: string, env: Record<string, string> = {}): Config =>
  parseConfig({ POSTHORN_ENV: 'test', POSTHORN_DEMO: 'true', POSTHORN_DATA_DIR: dataDir, PORT: '0', ...CHEAP, ...env });

type Json = Record<string, unknown>;
async function call(service: Service, method: string, path: string, token: string | null, body?: object) {
  const reply = await fetch(service.url + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: reply.status, json: (await reply.json()) as Json };
}
const signIn = async (service: Service, email: string, password: string) => {
  const { status, json } = await call(service, 'POST', '/v1/auth/sign-in', null, { email, password });
  assert.equal(status, 200, email);
  return { token: String(json['accessToken']), user: json['user'] as { blogRole: string | null; operator: boolean } };
};

const tableOf = (service: Service, dataDir: string): string => {
  assert.ok(service.demo);
  return demoTable({
    demo: service.demo,
    url: 'http://127.0.0.1:3000',
    site: 'http://127.0.0.1:3000/blog',
    version: '1.2.3',
    dataDir,
    usual: { url: 'http://127.0.0.1:3000', dataDir },
  });
};
/** The cells of the table's rows, by who, as a person reads them. */
const rowsOf = (table: string): string[][] =>
  table
    .split('\n')
    .map((line) => line.trim().split(/ {3,}/))
    .filter((cells) => cells.length === 3 && cells[0] !== 'who');

async function totals(service: Service, operator: string, editor: string): Promise<unknown[]> {
  const lists = ['/v1/admin/users', '/v1/admin/accounts', '/v1/admin/api-keys'];
  const counted = await Promise.all(lists.map((path) => call(service, 'GET', path, operator)));
  const posts = await call(service, 'GET', '/v1/blog/manage/posts', editor);
  return [...counted, posts].map(({ json }) => json['total']);
}

const STALE: Demo = { about: '', createdAt: '2026-01-01T00:00:00.000Z', users: [], accounts: [] };

test('an empty embedded database gets a demo whose printed credentials work; the next start prints the same', {
  skip,
}, async (t) => {
  const dataDir = await tempDir();
  // What a start leaves that was killed between writing the file and the commit: a file that tells of nothing.
  await writeDemo(dataDir, {
    ...STALE,
    accounts: [{ who: 'site', name: '', id: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01', key: 'ph_x', keyIsFor: '' }],
  });
  const service = await start(embedded(dataDir), log);
  t.after(() => service.stop());
  const table = tableOf(service, dataDir);
  const rows = rowsOf(table);
  assert.equal(service.setupToken, null);
  assert.equal((await stat(demoFile(dataDir))).mode & 0o777, 0o600);

  const users = new Map<string, Awaited<ReturnType<typeof signIn>>>();
  for (const [who, email, password] of rows.slice(0, 6))
    users.set(who ?? '', await signIn(service, email ?? '', password ?? ''));
  const roles = [...users].map(([who, { user }]) => [who, user.blogRole, user.operator]);
  assert.deepEqual(roles, [
    ['reader', null, false],
    ['author', 'AUTHOR', false],
    ['editor', 'EDITOR', false],
    ['operator', null, true],
    ['merchant', null, false],
    ['business', null, false],
  ]);
  for (const who of ['merchant', 'business']) {
    const { json } = await call(service, 'GET', '/v1/auth/me', users.get(who)?.token ?? '');
    assert.equal((json['accounts'] as Json[])[0]?.['type'], who.toUpperCase());
  }

  const keys = new Map(rows.slice(6).map(([who, key]) => [who, key ?? '']));
  assert.deepEqual([...keys.keys()], ['site', 'merchant', 'business', 'platform', 'other merchant']);
  const status = async (method: string, path: string, who: string, body?: object): Promise<number> =>
    (await call(service, method, path, keys.get(who) ?? '', body)).status;
  assert.equal(await status('GET', '/v1/blog/posts', 'site'), 200);
  assert.equal(await status('GET', '/v1/webhooks/endpoints', 'site'), 403);
  assert.equal(await status('GET', '/v1/blog/posts', 'merchant'), 200);
  assert.equal(await status('GET', '/v1/webhooks/endpoints', 'merchant'), 200);
  assert.equal(await status('GET', '/v1/webhooks/business-subscriptions', 'business'), 200);
  assert.equal(await status('GET', '/v1/blog/posts', 'business'), 403);
  const event = { event: 'trade.cancelled', data: { tradeSessionId: 'ts_1', reason: 'DECLINED' }, accountIds: [] };
  assert.equal(await status('POST', '/v1/events', 'platform', event), 202);
  assert.equal(await status('POST', '/v1/events', 'merchant', event), 403);

  const [, header, url] = /curl -H "Authorization: (Bearer \S+)" (\S+)/.exec(table) ?? [];
  const pasted = new URL(url ?? '');
  const listed = await fetch(service.url + pasted.pathname, { headers: { authorization: header ?? '' } });
  const { data } = (await listed.json()) as { data: { featured: boolean; slug: string }[] };
  assert.equal(data.length, 6);
  assert.deepEqual(
    data.filter((p) => p.featured).map((p) => p.slug),
    ['welcome-to-posthorn'],
  );

  const editor = users.get('editor')?.token ?? '';
  const managed = (await call(service, 'GET', '/v1/blog/manage/posts', editor)).json['data'] as Json[];
  const count = (status: string): number => managed.filter((p) => p['status'] === status).length;
  assert.deepEqual(['DRAFT', 'SCHEDULED', 'PUBLISHED'].map(count), [1, 1, 6]);
  const scheduled = managed.find((p) => p['status'] === 'SCHEDULED');
  assert.equal(Date.parse(String(scheduled?.['publishedAt'])) - Date.parse(service.demo?.createdAt ?? ''), DAY_MS);

  const operator = users.get('operator')?.token ?? '';
  const before = await totals(service, operator, editor);
  await service.stop();
  const again = await start(embedded(dataDir), log);
  t.after(() => again.stop());
  assert.equal(tableOf(again, dataDir), table);
  assert.deepEqual(await totals(again, operator, editor), before);
  assert.deepEqual(before, [6, 5, 5, 8]);
  await again.stop();

  // The file of another database would print keys that open nothing.
  await writeDemo(dataDir, {
    ...STALE,
    accounts: [{ who: 'site', name: '', id: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01', key: 'ph_x', keyIsFor: '' }],
  });
  const strange = await start(embedded(dataDir), log);
  t.after(() => strange.stop());
  assert.equal(strange.demo, null);
});

test('a demo whose credentials cannot be kept is not created at all', { skip }, async (t) => {
  const dataDir = await migratedDataDir();
  await mkdir(demoFile(dataDir));
  await assert.rejects(start(embedded(dataDir), log), { code: /EISDIR|ENOTEMPTY|EEXIST|EPERM/ });
  await rm(demoFile(dataDir), { recursive: true });

  const off = await start(embedded(dataDir, { POSTHORN_DEMO: 'false' }), log);
  t.after(() => off.stop());
  assert.equal(off.demo, null);
  assert.equal(await readDemo(dataDir), null);
  // It is empty still: nobody to sign in, so a token is offered.
  const person = { email: 'me@example.com', name: 'Me', password: 'a long enough password' };
  const made = await call(off, 'POST', '/v1/auth/setup', null, { token: off.setupToken, ...person });
  assert.equal(made.status, 201);
  await off.stop();

  const mine = await start(embedded(dataDir), log);
  t.after(() => mine.stop());
  assert.deepEqual([mine.demo, mine.setupToken], [null, null], 'an installation with an operator is somebody’s');
});

test('an operator of the settings is the only one', { skip }, async (t) => {
  const dataDir = await migratedDataDir();
  const mine = { POSTHORN_OPERATOR_EMAIL: 'boss@example.com', POSTHORN_OPERATOR_PASSWORD: 'a long enough password' };
  const service = await start(embedded(dataDir, mine), log);
  t.after(() => service.stop());
  assert.ok(service.demo && !service.demo.users.some((u) => u.who === 'operator'));
  const { user, token } = await signIn(service, mine.POSTHORN_OPERATOR_EMAIL, mine.POSTHORN_OPERATOR_PASSWORD);
  assert.equal(user.operator, true);
  const { json } = await call(service, 'GET', '/v1/admin/users?operator=true', token);
  assert.equal(json['total'], 1);
});

test('PostgreSQL never gets a demo', { skip: testDb === 'pglite' ? 'of PostgreSQL' : false }, async (t) => {
  const dataDir = await tempDir();
  const config = parseConfig({
    DATABASE_URL: postgresUrl ?? '',
    POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    POSTHORN_DATA_DIR: dataDir,
    PORT: '0',
  });
  assert.equal(config.POSTHORN_ENV, 'development');
  const service = await start(config, log);
  t.after(() => service.stop());
  assert.equal(service.demo, null);
  assert.match(service.setupToken ?? '', /^ph_setup_/);
});

test('which settings ask for a demo', () => {
  const key = { POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
  const postgres = { DATABASE_URL: 'postgres://localhost/x', ...key };
  const production = { POSTHORN_ENV: 'production', ...key };
  const wanted = (env: Record<string, string>): boolean => wantsDemo(parseConfig(env));
  assert.equal(wanted({}), true);
  assert.equal(wanted({ POSTHORN_DEMO: 'false' }), false);
  assert.equal(wanted({ POSTHORN_ENV: 'test' }), false);
  assert.equal(wanted({ POSTHORN_ENV: 'test', POSTHORN_DEMO: 'true' }), true);
  assert.equal(wanted(postgres), false);
  assert.equal(wanted(production), false);
  for (const env of [postgres, production]) {
    assert.throws(
      () => parseConfig({ ...env, POSTHORN_DEMO: 'true' }),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.faults.join(), /^POSTHORN_DEMO/);
        return true;
      },
    );
    assert.equal(wanted({ ...env, POSTHORN_DEMO: 'false' }), false);
  }
});
