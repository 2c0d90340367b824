import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, unprivileged } from '../../scripts/lib/postgres.ts';
import { rowsOf } from './ask.ts';
import { cleanup } from './cleanup.ts';
import { testDb } from './database.ts';
import { until } from './engine.ts';
import { isThere, pgbouncerPath } from './services.ts';

/** Options of a test that needs PgBouncer, and with it PostgreSQL. */
export const needsPooler = {
  skip: testDb !== 'postgres' ? 'a pooler needs PostgreSQL' : !isThere(pgbouncerPath) && 'PgBouncer is not installed',
} as const;

/** Whether a connection to a port of this machine is taken. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

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
    return rowsOf(this.through(`postgres://${encodeURIComponent(this.#user)}@127.0.0.1/pgbouncer`), text);
  }

  async start(): Promise<void> {
    const child = spawn(pgbouncerPath as string, ['-q', join(this.#home, 'pgbouncer.ini')], {
      ...(await unprivileged()),
      cwd: this.#home,
      stdio: 'ignore',
    });
    this.#child = child;
    await until('PgBouncer listens', async () => {
      if (child.exitCode !== null) throw new Error('PgBouncer did not start');
      return listens(this.#port);
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

/** Starts one with these files beside each other, `pgbouncer.ini` among them; it is stopped after the test file. */
export async function poolerOf(files: Record<string, string>, at: { port: number; user: string }): Promise<Pooler> {
  const home = await mkdtemp(join(tmpdir(), 'posthorn-pooler-'));
  cleanup(() => rm(home, { recursive: true, force: true }));
  const owner = await unprivileged();
  const give = async (path: string): Promise<void> => {
    if ('uid' in owner) await chown(path, owner.uid, owner.gid);
  };
  await give(home);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(home, name), text, { mode: 0o600 });
    await give(join(home, name));
  }
  const pooler = new Pooler({ home, ...at });
  cleanup(() => pooler.kill());
  await pooler.start();
  return pooler;
}

/**
 * Starts one that is stopped after the test file.
 *
 * @param size connections of PostgreSQL that it uses at most, for each database
 * @param more other settings of it
 * @param behind address of PostgreSQL; default: that of the run
 */
export async function startPooler(
  size: number,
  more: Record<string, string> = {},
  behind = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres',
): Promise<Pooler> {
  const server = new URL(behind);
  const user = decodeURIComponent(server.username === '' ? 'postgres' : server.username);
  const password = decodeURIComponent(server.password);
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: 'users.txt',
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
  return poolerOf(files, { port, user });
}
