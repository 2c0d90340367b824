import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, mkdtemp, readdir, readFile, readlink, rm, stat, statfs, writeFile } from 'node:fs/promises';
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
  /** The same without waiting, for a process that ends now. */
  abandon(): void;
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

const PREFIX = 'posthorn-postgres-';
/** A file with the process that made a place. */
const OWNER = 'owner';
/** A server that is just ending may still write there. */
const REMOVE = { recursive: true, force: true, maxRetries: 10 } as const;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const pidIn = async (...path: string[]): Promise<number | null> => {
  const pid = Number.parseInt(await readFile(join(...path), 'utf8').catch(() => ''), 10);
  return pid > 0 ? pid : null;
};

/** Ends and removes what a process that was killed has left in this place; nothing of other users, and no process that is not its server. */
async function sweepOne(home: string): Promise<void> {
  const owner = await pidIn(home, OWNER);
  if (owner === null || isAlive(owner)) return;
  const ours = [process.getuid?.(), (await unprivileged()).uid];
  if (!ours.includes((await stat(home)).uid)) return;
  const data = join(home, 'data');
  const server = await pidIn(data, 'postmaster.pid');
  const isServer = server !== null && (await readlink(`/proc/${server}/cwd`).catch(() => null)) === data;
  if (isServer) process.kill(server, 'SIGQUIT');
  await rm(home, REMOVE);
}

/** What killed processes have left here. One that cannot be removed is in nobody's way. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [] as string[])) {
    if (name.startsWith(PREFIX)) await sweepOne(join(parent, name)).catch(() => undefined);
  }
}

interface Place {
  /** Of the programs. */
  folder: string;
  user: User;
  home: string;
  data: string;
}

/** A new place below `parent`, filled by one of PostgreSQL's programs. */
async function makePlace(
  folder: string,
  program: string,
  argsOf: (data: string) => string[],
  parent = tmpdir(),
): Promise<Place> {
  const user = await unprivileged();
  const home = await mkdtemp(join(parent, PREFIX));
  try {
    await writeFile(join(home, OWNER), String(process.pid));
    if ('uid' in user) await chown(home, user.uid, user.gid);
    const data = join(home, 'data');
    await run(join(folder, program), argsOf(data), { ...user, cwd: home });
    return { folder, user, home, data };
  } catch (error) {
    await rm(home, REMOVE);
    throw error;
  }
}

const initdbArgs = (data: string): string[] => [
  '-D',
  data,
  '-U',
  'postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--no-sync',
];

const makeCluster = async (folder: string, parent?: string, more?: readonly string[]): Promise<TemporaryCluster> =>
  openCluster(await makePlace(folder, 'initdb', initdbArgs, parent), more);

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

async function openCluster(
  { folder, user, home, data }: Place,
  more: readonly string[] = [],
): Promise<TemporaryCluster> {
  const remove = (): Promise<void> => rm(home, REMOVE);
  try {
    const port = await freePort();
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'max_connections=200',
      ...more,
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
      abandon() {
        server.kill('SIGQUIT');
        rmSync(home, REMOVE);
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

/** A file system in memory, and what it and the machine must have to spare for the databases of all tests. Bytes. */
const MEMORY = '/dev/shm';
const ROOM = 8_000_000_000;
/** Databases that live for a minute need no vacuum, and pages that are never lost with the power need no copies. */
const FLEETING = ['autovacuum=off', 'full_page_writes=off', 'max_wal_size=256MB'];

/** Where the databases of the tests lie best: in memory, where there is room for them. */
async function roomiest(): Promise<string> {
  const free = await statfs(MEMORY).then(
    (fs) => fs.bavail * fs.bsize,
    () => 0,
  );
  return Math.min(free, process.availableMemory()) >= ROOM ? MEMORY : tmpdir();
}

/**
 * A PostgreSQL for the tests: the one of TEST_DATABASE_URL, else a temporary cluster made with what is installed, else the
 * one on the standard port. A string says why there is none.
 */
export async function findPostgres(): Promise<FoundPostgres | string> {
  const given = process.env.TEST_DATABASE_URL;
  const made = given === undefined ? await clusterOfTests() : '';
  if (typeof made !== 'string') return made;
  const url = given ?? STANDARD_URL;
  const at = given === undefined ? STANDARD_URL : 'TEST_DATABASE_URL';
  const version = await versionAt(url);
  if (version !== null && version >= LEAST_VERSION) {
    const about = `version ${version} at ${new URL(url).host}`;
    return { url, about, stop: async () => undefined, abandon: () => undefined };
  }
  const why =
    version === null ? `nothing answers at ${at}` : `${at} is version ${version}; ${LEAST_VERSION} or newer is needed`;
  return made === '' ? why : `${made}; ${why}`;
}

async function clusterOfTests(): Promise<FoundPostgres | string> {
  const folder = await binaries();
  if (folder === null) return `no PostgreSQL ${LEAST_VERSION} or newer is in /usr/lib/postgresql or PATH`;
  for (const place of new Set([MEMORY, tmpdir()])) await sweep(place);
  const parent = await roomiest();
  const made = await makeCluster(folder, parent, FLEETING).catch((error: unknown) => (error as Error).message);
  return typeof made === 'string' ? made : { ...made, about: `${made.about} in ${parent}` };
}
