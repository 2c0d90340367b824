import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicNow, systemClock } from '../../lib/clock.ts';
import { Failure } from '../failure.ts';

/**
 * What is done under a lock takes milliseconds; one of this age whose program cannot be looked for (it ran on another machine
 * that has the same folder) is of one that was killed. Milliseconds.
 */
const LEFT_BEHIND_MS = 10_000;
/** Longest wait for it: above the age at which one that was left behind is taken away. Milliseconds. */
const PATIENCE_MS = 15_000;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Whether a program of this machine runs, be it suspended, or another user's. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Locks of this process. One that another process of its number has left (in a container all have the same) is none of them. */
const ours = new Set<string>();

/** Who holds a lock: machine, process, and a number that nobody else has. */
const newOwner = (): string => `${hostname()} ${process.pid} ${randomUUID()}`;

const ownerOf = (lock: string): Promise<string> => readFile(lock, 'utf8');

async function isOld(file: string): Promise<boolean> {
  return systemClock.now() - (await stat(file)).mtimeMs > LEFT_BEHIND_MS;
}

async function isLeftBehind(lock: string): Promise<boolean> {
  // Nothing is in it while it is being made.
  const owner = await ownerOf(lock);
  const [machine, pid] = owner.split(' ');
  if (machine === hostname() && pid === String(process.pid)) return !ours.has(owner);
  if (machine === hostname() && pid !== undefined) return !runs(Number(pid));
  return isOld(lock);
}

/** Takes away a lock whose program is gone. Only one does so at a time, or it might be the lock of the next. */
async function clear(lock: string): Promise<void> {
  const clearing = `${lock}.clearing`;
  try {
    if (!(await isLeftBehind(lock))) return;
    if (!(await take(clearing, newOwner()))) {
      if (await isOld(clearing)) await rm(clearing, { force: true });
      return;
    }
    try {
      if (await isLeftBehind(lock)) await rm(lock, { force: true });
    } finally {
      await rm(clearing, { force: true });
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function take(lock: string, owner: string): Promise<boolean> {
  try {
    await writeFile(lock, owner, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // It is there, and a full disk took no word of whose it is.
    if (codeOf(error) === 'ENOSPC') await rm(lock, { force: true });
    throw error;
  }
}

/** Not the one of somebody who took it for left behind. */
async function release(lock: string, owner: string): Promise<void> {
  if ((await ownerOf(lock).catch(() => '')) === owner) await rm(lock, { force: true });
}

/** Runs it while no other process does the same for this file, whose folder must be there. For what takes milliseconds. */
export async function exclusively<T>(file: string, run: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const owner = newOwner();
  ours.add(owner);
  try {
    return await underLock(lock, owner, run);
  } finally {
    ours.delete(owner);
  }
}

async function underLock<T>(lock: string, owner: string, run: () => Promise<T>): Promise<T> {
  const deadline = monotonicNow() + PATIENCE_MS;
  while (!(await take(lock, owner))) {
    if (monotonicNow() > deadline) {
      const [, pid] = (await ownerOf(lock).catch(() => '')).split(' ');
      throw new Failure(`process ${pid ?? '?'} holds ${lock}: end it, or remove the file when it is no posthorn`);
    }
    await clear(lock);
    await wait(5 + Math.random() * 20);
  }
  try {
    return await run();
  } finally {
    await release(lock, owner);
  }
}
