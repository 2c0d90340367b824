import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import { freePort } from '../../scripts/lib/postgres.ts';
import { startChild } from '../helpers/child.ts';
import { cleanup } from '../helpers/cleanup.ts';
import { migratedPostgres } from '../helpers/database.ts';
import { needsPooler, poolerOf } from '../helpers/pooler.ts';
import { blocksFor, placed } from './runnable.ts';

const PASSWORD = 'of the page';

/** What the service says at its start when the page's last statements were not executed. */
const ASKS_FOR_SETTINGS = /alter role .* set jit/;

describe('the pooler of the page', needsPooler, () => {
  test("PgBouncer takes its file, the service its settings, and PostgreSQL what is set for the service's role", async () => {
    const [ini, sh, sql] = blocksFor('docs/operations.md', 'test/docs/pooler-page.test.ts').map(({ text }) => text);
    assert.ok(ini !== undefined && sh !== undefined && sql !== undefined, 'a block is missing');
    const direct = new URL(await migratedPostgres());
    const database = direct.pathname.slice(1);
    const role = `${database}_role`;
    const admin = new Client({ connectionString: direct.href });
    await admin.connect();
    cleanup(async () => {
      await admin.query(`reassign owned by ${role} to current_user; drop owned by ${role}; drop role ${role}`);
      await admin.end();
    });
    await admin.query(`create role ${role} login password '${PASSWORD}'`);
    await admin.query(`grant all on all tables in schema public to ${role}`);
    await admin.query(`grant all on schema public to ${role}; grant all on all sequences in schema public to ${role}`);

    const port = await freePort();
    const server = direct.port === '' ? '5432' : direct.port;
    const files = {
      'pgbouncer.ini': placed(ini, {
        'host=10.0.0.5 dbname=posthorn': `host=${direct.hostname} port=${server} dbname=${database}`,
        '0.0.0.0': '127.0.0.1',
        '6432': String(port),
        '/etc/pgbouncer/': '',
      }),
      'userlist.txt': `"${role}" "${PASSWORD}"\n`,
    };
    await poolerOf(files, { port, user: role });
    const script = placed(sh, {
      'posthorn:…@pooler:6432': `${role}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
      'posthorn:…@10.0.0.5:5432/posthorn': `${role}:${encodeURIComponent(PASSWORD)}@${direct.hostname}:${server}/${database}`,
    });
    const shown = execFileSync('bash', ['-c', `${script}\nenv`], { encoding: 'utf8', env: { PATH: process.env.PATH } });
    const setting = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(shown)?.[1] ?? '';
    const env = {
      DATABASE_URL: setting('DATABASE_URL'),
      DATABASE_LISTEN_URL: setting('DATABASE_LISTEN_URL'),
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
    };
    assert.ok(env.DATABASE_URL.includes(`:${port}/`) && env.DATABASE_LISTEN_URL.includes(database));

    const before = await startChild(env);
    assert.equal((await fetch(`${before.url}/readyz`)).status, 200, before.output());
    assert.match(before.output(), ASKS_FOR_SETTINGS);
    before.child.kill('SIGTERM');
    assert.equal(await before.ended, 0);

    await admin.query(placed(sql, { 'role posthorn in database posthorn': `role ${role} in database ${database}` }));
    // A pooler keeps connections that began with the settings of before.
    const [again] = [await freePort()];
    await poolerOf(
      { ...files, 'pgbouncer.ini': files['pgbouncer.ini'].replace(String(port), String(again)) },
      { port: again, user: role },
    );
    const after = await startChild({ ...env, DATABASE_URL: env.DATABASE_URL.replace(`:${port}/`, `:${again}/`) });
    assert.equal((await fetch(`${after.url}/readyz`)).status, 200, after.output());
    assert.doesNotMatch(after.output(), ASKS_FOR_SETTINGS);
  });
});
