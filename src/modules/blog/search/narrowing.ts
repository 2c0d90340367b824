import type { Db } from '../../../platform/db/index.ts';
import { periodsBetween } from './periods.ts';
import { timesOfNth } from './store.ts';

/**
 * A search looks among the newest (or oldest) so many posts first, then among more, and among all only when these have
 * too few matches: a word that is in every post is then found in the first few thousand, and no search reads a million
 * entries of the index for the sake of the few hundred that are shown.
 */
const NEAREST = [1000, 8000, 64_000];
/** The times of these posts may be this old: they say where to look first, not what is found. Milliseconds. */
const KEPT_MS = 5 * 60_000;

/** From which end of the posts' times matches are looked for. */
export type End = 'newest' | 'oldest';

interface Kept {
  until: number;
  times: Promise<(Date | null)[]>;
}
const kept: Record<End, WeakMap<Db, Kept>> = { newest: new WeakMap(), oldest: new WeakMap() };

async function timesOf(db: Db, now: Date, end: End): Promise<(Date | null)[]> {
  const known = kept[end].get(db);
  if (known && known.until > now.getTime() && known.until <= now.getTime() + KEPT_MS) return known.times;
  const times = timesOfNth(db, NEAREST, { now, end });
  kept[end].set(db, { until: now.getTime() + KEPT_MS, times });
  times.catch(() => kept[end].delete(db));
  return times;
}

/** The time of the outermost post. Never a kept one: a post with an older date may have come since. */
const endOf = async (db: Db, now: Date, end: End): Promise<Date> =>
  end === 'newest' ? now : ((await timesOfNth(db, [0], { now, end }))[0] ?? now);

/** Where to look, in order: lexemes of periods that hold the newest or oldest posts, and at last null for everywhere. */
export async function narrowings(db: Db, now: Date, end: End): Promise<(string[] | null)[]> {
  const times = (await timesOf(db, now, end)).filter((time) => time !== null);
  if (times.length === 0) return [null];
  const outermost = await endOf(db, now, end);
  const periods = times.map((time) =>
    end === 'newest' ? periodsBetween(time, outermost) : periodsBetween(outermost, time),
  );
  return [...periods.filter((p) => p !== null), null];
}
