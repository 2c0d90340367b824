import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort, unprivileged } from '../../scripts/lib/postgres.ts';
import { cleanup } from './cleanup.ts';
import { testDb } from './database.ts';
import { until } from './engine.ts';
import { pgbouncerPath } from './services.ts';

const isInstalled = pgbouncerPath !== null && existsSync(pgbouncerPath);

/** Options of a test that needs PgBouncer, and with it PostgreSQL. */
export const needsPooler = {
  skip: testDb !== 'postgres' ? 'a pooler needs PostgreSQL' : !isInstalled && 'PgBouncer is not installed',
} as const;

/** PgBouncer in transaction mode in front of the PostgreSQL of the run, with all its other settings as they come. */
export class Pooler {
  readonly #home: string;
  readonly #port: number;
  readonly #user: string;
  #child: ChildProcess | undefined;

  constructor(at: { home: string; port: number; user: string }) {
    this.#home = at.home;
    this.#port = at.port;
    this.#user = at.user;
  }

  /** The address of a database through it. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  /** A command of its console, such as RECONNECT; gives its rows. */
  async command(text: string): Promise<Record<string, unknown>[]> {
    const url = this.through(`postgres://${encodeURIComponent(this.#user)}@127.0.0.1/pgbouncer`);
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async start(): Promise<void> {
    const child = spawn(pgbouncerPath as string, ['-q', join(this.#home, 'pgbouncer.ini')], {
      ...(await unprivileged()),
      cwd: this.#home,
      stdio: 'ignore',
    });
    this.#child = child;
    const answers = (): Promise<boolean> =>
      this.command('SHOW VERSION').then(
        () => true,
        () => false,
      );
    await until('PgBouncer answers', async () => {
      if (child.exitCode !== null) throw new Error('PgBouncer did not start');
      return answers();
    });
  }

  /** kill -9: every connection ends without a word, on both sides. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

/**
 * Starts one that is stopped after the test file.
 *
 * @param size connections of PostgreSQL that it uses at most, for each database
 * @param more other settings of it
 */
export async function startPooler(size: number, more: Record<string, string> = {}): Promise<Pooler> {
  const server = new URL(process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres');
  const user = decodeURIComponent(server.username === '' ? 'postgres' : server.username);
  const password = decodeURIComponent(server.password);
  const home = await mkdtemp(join(tmpdir(), 'posthorn-pooler-'));
  cleanup(() => rm(home, { recursive: true, force: true }));
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(home, 'users.txt'),
    admin_users: user,
    pool_mode: 'transaction',
    default_pool_size: size,
    max_client_conn: 500,
    ...more,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const target = `* = host=${server.hostname} port=${server.port === '' ? '5432' : server.port}`;
  const files = {
    'pgbouncer.ini': `[databases]\n${target}\n[pgbouncer]\n${lines.join('\n')}\n`,
    'users.txt': `"${user}" "${password}"\n`,
  };
  const owner = await unprivileged();
  const give = async (path: string): Promise<void> => {
    if ('uid' in owner) await chown(path, owner.uid, owner.gid);
  };
  await give(home);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(home, name), text, { mode: 0o600 });
    await give(join(home, name));
  }
  const pooler = new Pooler({ home, port, user });
  cleanup(() => pooler.kill());
  await pooler.start();
  return pooler;
}
