import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../lib/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import { firstGap, lastVisible, settledByReaders, writersNow } from './store.ts';

/** How long transactions that are writing are waited for, and how often they are looked at. Milliseconds. */
const PATIENCE_MS = 1000;
const LOOK_EVERY_MS = 25;

/**
 * The position up to which nothing can be added to the log any more (see settle.ts). That of the last event that can be
 * seen, if those who were writing then have ended within a second, or left no gap; else that before the first gap behind
 * what some reader has passed, since readers pass none that may still be filled.
 */
export async function settledEnd(db: Db): Promise<number> {
  const last = await lastVisible(db);
  const writers = await writersNow(db);
  const began = monotonicNow();
  let above: number | null = null;
  while (!writers.isDisjointFrom(await writersNow(db))) {
    above ??= Math.min(await settledByReaders(db), last);
    const gap = await firstGap(db, { above, below: last });
    if (gap === null) return last;
    if (monotonicNow() - began >= PATIENCE_MS) return gap - 1;
    // What is taken stays taken.
    above = gap - 1;
    await pause(LOOK_EVERY_MS);
  }
  return last;
}
