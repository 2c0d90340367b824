import { createHash } from 'node:crypto';
import { mkdir, rm, rmdir, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monotonicNow, systemClock } from '../../lib/clock.ts';

/** Longest path of a unix socket that every system takes. Bytes. */
const SOCKET_PATH_MAX = 100;
/** A takeover takes milliseconds; an older mark is of a process that died in it. */
const STALE_TAKEOVER_MS = 5000;

export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError';
  constructor(dir: string) {
    super(
      `the data folder ${dir} is in use by another Posthorn process. The embedded database takes one process: stop the other one, choose another POSTHORN_DATA_DIR, or set DATABASE_URL to run several on PostgreSQL.`,
    );
  }
}

function socketPath(dir: string): string {
  const inside = join(dir, 'lock.sock');
  const digest = createHash('sha256').update(dir).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\posthorn-${digest}`;
  return Buffer.byteLength(inside) <= SOCKET_PATH_MAX ? inside : join(tmpdir(), `posthorn-${digest}.sock`);
}

const isLive = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(path);
    socket.once('connect', () => (socket.destroy(), done(true)));
    socket.once('error', () => done(false));
  });

const listen = (path: string): Promise<Server | null> =>
  new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done(null) : fail(error)));
    server.listen(path, () => done(server.unref()));
  });

/** Only one process at a time may replace a dead one's socket; else two could each remove the other's. */
async function underTakeover<T>(path: string, fn: () => Promise<T>): Promise<T | null> {
  const mark = `${path}.takeover`;
  try {
    await mkdir(mark);
  } catch (error) {
    // A disk that is read-only, or full, is nobody's takeover.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const age = await stat(mark).then(
      (s) => systemClock.now() - s.mtimeMs,
      () => 0,
    );
    if (age > STALE_TAKEOVER_MS) await rmdir(mark).catch(() => undefined);
    return null;
  }
  try {
    return await fn();
  } finally {
    await rmdir(mark);
  }
}

/**
 * Takes the data folder for this process, or throws DataDirInUseError. Two PGlite processes on one folder lose data
 * (measured), and PGlite does not refuse it. The mark is a listening socket: the system closes it with the process,
 * however that ends, so a kill -9 leaves nothing that would have to be removed by hand.
 */
export async function lockDataDir(dir: string): Promise<() => Promise<void>> {
  const path = socketPath(resolve(dir));
  const deadline = monotonicNow() + 2 * STALE_TAKEOVER_MS;
  for (;;) {
    let server = await listen(path);
    if (!server) {
      if (await isLive(path)) throw new DataDirInUseError(resolve(dir));
      server = await underTakeover(path, async () => {
        if (await isLive(path)) return null;
        await rm(path, { force: true });
        return listen(path);
      });
    }
    if (server) {
      const held = server;
      return () => new Promise((done) => held.close(() => done()));
    }
    if (monotonicNow() > deadline) throw new DataDirInUseError(resolve(dir));
    await new Promise((done) => setTimeout(done, 50));
  }
}
