import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { type NatsServer, noNatsServers, startNatsServers } from '../../../test/helpers/nats-servers.ts';
import { testService } from '../../../test/helpers/service.ts';
import { startSmtpServer } from '../../../test/helpers/smtp-server.ts';
import { loadMigrations, migrate, openPglite } from '../../platform/db/index.ts';
import { folderFinding, spaceFinding } from './check-machine.ts';
import { clockFinding } from './clock-finding.ts';

interface Finding {
  what: string;
  state: string;
  found: string;
  todo: string | null;
}

const service = await testService({ withoutLoops: true });

async function examined(
  shell: Shell,
  ...args: string[]
): Promise<{ code: number | null; of: (what: string) => Finding }> {
  const { code, out, err } = await shell.run('doctor', '--json', ...args);
  assert.equal(err, '');
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return {
    code,
    of(what) {
      const found = findings.find((f) => f.what === what);
      assert.ok(found, `${what} in ${out}`);
      return found;
    },
  };
}

describe('posthorn doctor', { concurrency: 2 }, () => {
  test('on a machine with nothing on it: a start is all that is missing, and nothing is made', async () => {
    const shell = new Shell();
    const { code, out } = await shell.run('doctor', '--url', 'http://127.0.0.1:1');
    assert.equal(code, 0, out);
    assert.match(out, /^ok {4}settings: they fit together; POSTHORN_ENV is development$/m);
    assert.match(out, /^warn {2}database: there is none in \.data yet\n {6}the first start makes it; or set /m);
    assert.match(out, /^ok {4}NATS: not used; one process needs none$/m);
    assert.match(out, /^ok {4}Redis: not used; /m);
    assert.match(out, /^(ok|warn) +disk: \d+ [MG]iB free \(\.data\)$/m);
    assert.match(
      out,
      /^warn {2}service: cannot reach http:\/\/127\.0\.0\.1:1: bad port\n {6}start it with "npm start", /m,
    );
    assert.match(out, /\n\d ok, \d to look at, 0 failed\n$/);
    assert.equal(existsSync(join(shell.home, '.data')), false);
  });

  test('with a database, whose migrations it compares, and a service', async () => {
    const shell = new Shell();
    const dir = join(shell.home, '.data');
    const database = await openPglite(dir);
    const migrations = await loadMigrations();
    await migrate(database.db, migrations.slice(0, -1));
    const inUse = await examined(shell, '--url', service.url);
    assert.deepEqual(
      [inUse.of('database').state, inUse.of('database').found],
      ['ok', 'embedded PGlite in .data, in use by a service that runs'],
    );
    assert.equal(inUse.of('service').found, `${service.url} is ready`);
    assert.equal(inUse.of('clock, against the service').found, 'the same time');
    await database.close();
    const behind = await examined(shell, '--url', service.url);
    assert.match(behind.of('database').found, /^embedded PGlite 1\d\S* answers \(\.data\)$/);
    assert.equal(behind.of('migrations').found, '1 are not applied yet');
    assert.deepEqual([behind.of('clock, against the database').state, behind.code], ['ok', 0]);
    const again = await openPglite(dir);
    await migrate(again.db, migrations);
    await again.db
      .insertInto('schema_migrations')
      .values({ name: '9999-later.sql', checksum: 'x', applied_at: new Date(0) })
      .execute();
    await again.close();
    const newer = await examined(shell, '--url', service.url);
    assert.deepEqual([newer.of('migrations').state, newer.code], ['fail', 1]);
    assert.match(newer.of('migrations').found, /newer than this version: it has 9999-later\.sql$/);
  });

  test('what keeps every command from the service is a finding among the others', async () => {
    const shell = new Shell();
    mkdirSync(join(shell.home, 'posthorn'));
    writeFileSync(join(shell.home, 'posthorn', 'credentials.json'), '{"profiles": {}}', { mode: 0o644 });
    const open = await examined(shell, '--url', service.url);
    assert.deepEqual([open.code, open.of('connection').state, open.of('settings').state], [1, 'fail', 'ok']);
    assert.match(open.of('connection').found, /^others can read .*: close it with "chmod 600 /);
    const misspelt = await examined(new Shell(), '--url', 'http://a b');
    assert.equal(misspelt.of('connection').found, '--url: http://a b is not an address');
    assert.deepEqual([misspelt.code, misspelt.of('disk').what], [1, 'disk']);
  });

  test('with settings that are wrong, each is told', async () => {
    const shell = new Shell({ PORT: 'x', REDIS_URL: 'localhost:6379', POSTHORN_MASTR_KEY: '1', SMPT_URL: 'smtp://a' });
    const { code, out } = await shell.run('doctor', '--url', 'http://127.0.0.1:1');
    assert.equal(code, 1);
    assert.match(out, /^fail {2}settings: PORT must be a whole number from 0 to 65535, not "x"$/m);
    assert.match(
      out,
      /^fail {2}settings: POSTHORN_MASTR_KEY is not a setting of Posthorn; is POSTHORN_MASTER_KEY meant\?$/m,
    );
    assert.match(
      out,
      /^fail {2}settings: REDIS_URL must be a URL that begins with redis:\/\/ or rediss:\/\/, such as /m,
    );
    assert.match(out, /^warn {2}settings: SMPT_URL is not a setting of Posthorn; is SMTP_URL meant\?$/m);
    assert.match(out, /\n0 ok, 2 to look at, 3 failed\n$/);
  });

  test('in production the service is started without npm, which would not wait for its end', async () => {
    const shell = new Shell({
      POSTHORN_ENV: 'production',
      DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/none',
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    const { of } = await examined(shell, '--url', 'http://127.0.0.1:1');
    assert.match(of('service').todo ?? '', /^start it with "node src\/main\.ts", /);
    assert.match(of('database').todo ?? '', /the server runs.*disk/);
  });

  test('servers that are away, or say nothing, are told within seconds', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const shell = new Shell({
      DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/none',
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      NATS_URL: 'nats://127.0.0.1:1',
      REDIS_URL: `redis://127.0.0.1:${port}`,
      POSTHORN_PUBLIC_URL: `http://127.0.0.1:1`,
    });
    const { code, of } = await examined(shell, '--url', service.url);
    silent.close();
    assert.equal(code, 1);
    assert.deepEqual(
      ['database', 'NATS', 'Redis', 'service', 'public address'].map((what) => of(what).state),
      ['fail', 'fail', 'fail', 'ok', 'warn'],
    );
    assert.match(of('database').found, /^cannot use the database of DATABASE_URL: /);
    assert.match(of('Redis').found, /no answer in time|timeout/i);
  });
});

test('a NATS server with a user is asked as the service would, and the password is not told', {
  skip: noNatsServers ?? false,
}, async () => {
  const [server] = (await startNatsServers(1, ['--user', 'ph', '--pass', 'secret123'])) as [NatsServer];
  const found = async (who: string): Promise<string> => {
    const url = `nats://${who}@127.0.0.1:${server.port}`;
    const { out } = await new Shell({ NATS_URL: url }).run('doctor', '--url', 'http://127.0.0.1:1');
    assert.doesNotMatch(out, /secret/);
    return /^.*NATS: .*$/m.exec(out)?.[0] ?? out;
  };
  assert.match(await found('ph:secret123'), /^ok {4}NATS: \S+ answers \(NATS_URL\)$/);
  assert.match(await found('ph:secret124'), /^fail {2}NATS: .*Authorization Violation/i);
});

test('a mail server is asked for the connection and the login, and gets no mail', async () => {
  const server = await startSmtpServer();
  const found = async (url: string): Promise<string> => {
    const { out } = await new Shell({ SMTP_URL: url, SMTP_FROM: 'a@example.com' }).run(
      'doctor',
      '--url',
      'http://127.0.0.1:1',
    );
    assert.doesNotMatch(out, /secret/);
    return /^.*mail server: .*$/m.exec(out)?.[0] ?? out;
  };
  assert.match(await found(server.url), /^ok {4}mail server: takes the connection and the login \(SMTP_URL\)$/);
  // The server offers no TLS, without which no password is sent.
  assert.match(await found(server.url.replace('//', '//ph:secret@')), /^fail {2}mail server: ETLS /);
  assert.match(await found('smtp://127.0.0.1:1'), /^fail {2}mail server: .*ECONNREFUSED/);
  assert.deepEqual(server.received, []);
});

test('the key set of an identity provider is read as the service would', async () => {
  const replies: Record<string, string> = {
    '/keys': '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
    '/none': '{"keys":[]}',
    '/other': '{"kees":[]}',
  };
  const server = createHttpServer((request, response) => response.end(replies[request.url ?? ''])).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const found = async (jwksUrl: string): Promise<string> => {
    const env = {
      POSTHORN_OIDC_ISSUER: 'https://id.example.com',
      POSTHORN_OIDC_AUDIENCE: 'posthorn',
      POSTHORN_OIDC_JWKS_URL: jwksUrl,
    };
    const { out } = await new Shell(env).run('doctor', '--url', 'http://127.0.0.1:1');
    return /^.*identity provider: .*$/m.exec(out)?.[0] ?? out;
  };
  const at = (path: string): string => `http://127.0.0.1:${port}${path}`;
  assert.match(await found(at('/keys')), /^ok {4}identity provider: its key set has 1 key \(POSTHORN_OIDC_JWKS_URL\)$/);
  assert.match(await found(at('/none')), /^fail {2}identity provider: its key set has 0 keys/);
  assert.match(await found(at('/other')), /^fail {2}identity provider: .*malformed/);
  assert.match(await found('http://127.0.0.1:1/keys'), /^fail {2}identity provider: .*could not be fetched: CONNECT/);
  assert.match(await found('https://10.1.2.3/keys'), /^fail {2}identity provider: POSTHORN_OIDC_JWKS_URL .*not public/);
  server.close();
});

test('a data folder that keeps nothing is told as such', () => {
  const told = (type: number, refused: string | null): unknown[] => {
    const { state, found } = folderFinding('.data', { type, refused });
    return [state, found];
  };
  assert.deepEqual(
    [told(0xef53, null), told(0x01021994, null), told(0xef53, 'EROFS'), told(0xef53, 'EACCES')],
    [
      ['ok', '.data can be written'],
      ['warn', '.data is in memory (tmpfs): what is kept there is lost when the machine or the container restarts'],
      ['fail', '.data is on a read-only file system'],
      ['fail', 'this user may not write to .data (EACCES)'],
    ],
  );
});

test('what is free on a disk, and how clocks agree', () => {
  const MIB = 1024 * 1024;
  assert.deepEqual(
    [50, 500, 5000, 50_000].map((n) => [spaceFinding(n * MIB, 'd').state, spaceFinding(n * MIB, 'd').found]),
    [
      ['fail', '50 MiB free (d)'],
      ['warn', '500 MiB free (d)'],
      ['ok', '5000 MiB free (d)'],
      ['ok', '48 GiB free (d)'],
    ],
  );
  assert.deepEqual(
    [0, 3000, -10_000, 400_000].map((off) => [clockFinding('c', off, 0, 0).state, clockFinding('c', off, 0, 0).found]),
    [
      ['ok', 'the same time'],
      ['ok', '3.0 s apart'],
      ['warn', '10.0 s apart'],
      ['fail', '400.0 s apart: if the database is wrong, receivers refuse what is signed'],
    ],
  );
});

// By itself: a database that another test begins in this process keeps the service from answering in time.
test('asks the service at HOST and PORT of the settings, where nothing names another address', async () => {
  const { port } = new URL(service.url);
  for (const HOST of ['127.0.0.1', '0.0.0.0'])
    assert.equal((await examined(new Shell({ HOST, PORT: port }))).of('service').found, `${service.url} is ready`);
  const named = await examined(new Shell({ PORT: port, POSTHORN_URL: 'http://127.0.0.1:1' }));
  assert.equal(named.of('service').found, 'cannot reach http://127.0.0.1:1: bad port');
});
