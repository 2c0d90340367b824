import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);
const STANDARD_URL = 'postgres://postgres@127.0.0.1:5432/postgres';
/** Least version that the service takes. */
const LEAST_VERSION = 15;
/** A new cluster answers within this. Milliseconds. */
const START_MS = 30_000;

export interface FoundPostgres {
  url: string;
  about: string;
  stop(): Promise<void>;
}

/** Major version of the server that answers there; null when none does. */
async function versionAt(url: string): Promise<number | null> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ v: string }>("select current_setting('server_version_num') as v");
    return Math.floor(Number(rows[0]?.v) / 10_000);
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Folders with initdb of version 15 or newer, newest first. */
async function binaries(): Promise<string | null> {
  const debian = await readdir('/usr/lib/postgresql').catch(() => [] as string[]);
  const folders = [
    ...debian.map((v) => join('/usr/lib/postgresql', v, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  let best: { folder: string; version: number } | null = null;
  for (const folder of folders) {
    const out = await run(join(folder, 'initdb'), ['--version']).then(
      (r) => r.stdout,
      () => '',
    );
    const version = Number(/(\d+)/.exec(out)?.[1] ?? 0);
    if (version >= LEAST_VERSION && version > (best?.version ?? 0)) best = { folder, version };
  }
  return best?.folder ?? null;
}

/** PostgreSQL and PgBouncer refuse to run as root: then they run as `postgres`, or else as `nobody`. */
export async function unprivileged(): Promise<{ uid: number; gid: number } | Record<string, never>> {
  if (process.getuid?.() !== 0) return {};
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!user) throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  const giveUp = performance.now() + START_MS;
  while ((await versionAt(url)) === null) {
    if (child.exitCode !== null || performance.now() > giveUp) throw new Error('the temporary cluster did not start');
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** A cluster of its own, gone once it is stopped. */
export interface TemporaryCluster extends FoundPostgres {
  /** Ends every connection, and answers at the same address again. What was committed is there. */
  restart(): Promise<void>;
  /** An end without warning and without a goodbye; `restart` starts it again. */
  kill(): Promise<void>;
  /** A new streaming replica of it. */
  replica(): Promise<TemporaryCluster>;
  /** What it is if it is restored from a backup of now, on the same timeline; both go their own ways. */
  restored(): Promise<TemporaryCluster>;
}

type User = Awaited<ReturnType<typeof unprivileged>>;

interface Place {
  /** Of the programs. */
  folder: string;
  user: User;
  home: string;
  data: string;
}

/** A new place, filled by one of PostgreSQL's programs. */
async function makePlace(folder: string, program: string, argsOf: (data: string) => string[]): Promise<Place> {
  const user = await unprivileged();
  const home = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  try {
    if ('uid' in user) await chown(home, user.uid, user.gid);
    const data = join(home, 'data');
    await run(join(folder, program), argsOf(data), { ...user, cwd: home });
    return { folder, user, home, data };
  } catch (error) {
    await rm(home, { recursive: true, force: true });
    throw error;
  }
}

const makeCluster = async (folder: string): Promise<TemporaryCluster> =>
  openCluster(
    await makePlace(folder, 'initdb', (data) => [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ]),
  );

/** A copy of the server at this address; with `-R` it follows. */
const makeCopy = async (folder: string, url: string, ...options: '-R'[]): Promise<TemporaryCluster> =>
  openCluster(
    await makePlace(folder, 'pg_basebackup', (data) => [
      '-d',
      url,
      '-D',
      data,
      ...options,
      '-X',
      'stream',
      '--checkpoint=fast',
      '--no-sync',
    ]),
  );

async function openCluster({ folder, user, home, data }: Place): Promise<TemporaryCluster> {
  const remove = (): Promise<void> => rm(home, { recursive: true, force: true });
  try {
    const port = await freePort();
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'max_connections=200',
    ];
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const launch = async (): Promise<ChildProcess> => {
      const args = ['-D', data, ...settings.flatMap((s) => ['-c', s])];
      const child = spawn(join(folder, 'postgres'), args, { ...user, cwd: home, stdio: 'ignore' });
      await answering(url, child).catch(async (error: unknown) => {
        await end(child, 'SIGINT');
        throw error;
      });
      return child;
    };
    let server = await launch();
    return {
      url,
      about: `a temporary cluster made with ${folder}`,
      async restart() {
        await end(server, 'SIGINT');
        server = await launch();
      },
      kill: () => end(server, 'SIGQUIT'),
      replica: () => makeCopy(folder, url, '-R'),
      restored: () => makeCopy(folder, url),
      async stop() {
        await end(server, 'SIGINT');
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** SIGINT is a fast shutdown: connections are ended, what is committed is written. SIGQUIT leaves all to the recovery. */
async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  await ended;
}

/** A cluster made with what is installed, for whoever must stop and start it. A string says why there is none. */
export async function temporaryCluster(): Promise<TemporaryCluster | string> {
  const folder = await binaries();
  if (folder === null) return `PostgreSQL ${LEAST_VERSION} or newer is not installed`;
  return makeCluster(folder).catch((error: unknown) => (error as Error).message);
}

/**
 * A PostgreSQL for the tests: the one of TEST_DATABASE_URL, else the one on the standard port, else a temporary cluster
 * made with what is installed. A string says why there is none.
 */
export async function findPostgres(): Promise<FoundPostgres | string> {
  const given = process.env.TEST_DATABASE_URL;
  const url = given ?? STANDARD_URL;
  const version = await versionAt(url);
  if (version !== null && version >= LEAST_VERSION) {
    return { url, about: `version ${version} at ${new URL(url).host}`, stop: async () => undefined };
  }
  if (given !== undefined)
    return version === null
      ? 'nothing answers at TEST_DATABASE_URL'
      : `TEST_DATABASE_URL is version ${version}; ${LEAST_VERSION} or newer is needed`;
  const made = await temporaryCluster();
  return typeof made === 'string' ? `nothing answers at ${STANDARD_URL}; ${made}` : made;
}
