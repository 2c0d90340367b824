import type { Db } from '../../../platform/db/index.ts';
import { periodsBetween } from './periods.ts';
import { timesOfNth } from './store.ts';

/**
 * A search looks among the newest so many posts first, then among more, and among all only when these have too few
 * matches: a word that is in every post is then found in the first few thousand, and no search reads a million entries
 * of the index for the sake of the few hundred that are shown.
 */
const NEWEST = [1000, 8000, 64_000];
/** The times of these posts may be this old: they say where to look first, not what is found. Milliseconds. */
const KEPT_MS = 5 * 60_000;

interface Kept {
  until: number;
  times: Promise<(Date | null)[]>;
}
const kept = new WeakMap<Db, Kept>();

async function timesOf(db: Db, now: Date): Promise<(Date | null)[]> {
  const known = kept.get(db);
  if (known && known.until > now.getTime() && known.until <= now.getTime() + KEPT_MS) return known.times;
  const times = timesOfNth(db, NEWEST, now);
  kept.set(db, { until: now.getTime() + KEPT_MS, times });
  times.catch(() => kept.delete(db));
  return times;
}

/** Where to look, in order: lexemes of periods that hold the newest posts, and at the end null for everywhere. */
export async function narrowings(db: Db, now: Date): Promise<(string[] | null)[]> {
  const times = await timesOf(db, now);
  return [
    ...times.flatMap((time) => (time === null ? [] : [periodsBetween(time, now)])).filter((p) => p !== null),
    null,
  ];
}
