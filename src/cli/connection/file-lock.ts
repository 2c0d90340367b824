import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicNow, systemClock } from '../../lib/clock.ts';
import { Failure } from '../failure.ts';

/** What is done under a lock takes milliseconds; one of this age is of a program that was killed. Milliseconds. */
const LEFT_BEHIND_MS = 10_000;
/** Longest wait for it: above the age at which one that was left behind is taken away. Milliseconds. */
const PATIENCE_MS = 15_000;

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

async function isOld(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file);
  return systemClock.now() - mtimeMs > LEFT_BEHIND_MS;
}

/** Takes away a lock whose program is gone. */
async function clear(lock: string): Promise<void> {
  try {
    if (!(await isOld(lock))) return;
    const aside = `${lock}.${randomUUID()}`;
    await rename(lock, aside);
    // Somebody else was faster, and what was moved is the new one: it goes back, unless there is one again.
    if (!(await isOld(aside))) await link(aside, lock).catch(() => undefined);
    await rm(aside, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Runs it while no other process does the same for this file, whose folder must be there. For what takes milliseconds. */
export async function exclusively<T>(file: string, run: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const deadline = monotonicNow() + PATIENCE_MS;
  while (!(await take(lock))) {
    if (monotonicNow() > deadline) throw new Failure(`${lock} does not go away: remove it when no posthorn runs`);
    await clear(lock);
    await wait(5 + Math.random() * 20);
  }
  try {
    return await run();
  } finally {
    await rm(lock, { force: true });
  }
}
