import type { Db } from '../../../platform/db/index.ts';
import { periodsBetween } from './periods.ts';
import { timesOfNth } from './store.ts';

/**
 * A search looks among the newest (or oldest) so many posts first, then among more, and among all only when these have
 * too few matches: a word that is in every post is then found in the first few thousand, and no search reads a million
 * entries of the index for the sake of the few hundred that are shown.
 */
const NEAREST = [1000, 4000, 16_000, 64_000, 256_000];
/** Between two of these, the steps of a look: each is half as many again as the one before, and its time a guess. */
const BETWEEN = [1.4, 2, 2.8];
/** A look is for so many times what is wanted: to fall short by a few costs a whole look. */
const MARGIN = 1.2;
/** Where none was found, so many are taken for found: too few for a look at a part of the posts. */
const LEAST = 0.5;
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

/** A part of the posts to look among. */
export interface Narrowing {
  /** Lexemes of the periods that hold them; null: everywhere. */
  periods: string[] | null;
  /** How many they are, about. */
  posts: number;
}

export const EVERYWHERE: Narrowing = { periods: null, posts: Number.POSITIVE_INFINITY };

interface Step {
  time: Date;
  posts: number;
}

/** The known times, and between two of them those that would be if posts came evenly. */
export function stepsOf(times: readonly (Date | null)[]): Step[] {
  const known = times.flatMap((time, i) => (time === null ? [] : [{ time, posts: NEAREST[i] as number }]));
  return known.flatMap((step, i) => {
    const next = known[i + 1];
    if (!next) return [step];
    const between = BETWEEN.map((factor) => {
      const posts = factor * step.posts;
      const share = (posts - step.posts) / (next.posts - step.posts);
      return { posts, time: new Date(step.time.getTime() + share * (next.time.getTime() - step.time.getTime())) };
    });
    return [step, ...between];
  });
}

/** Where to look, in order: among the newest or oldest posts, among more, and at last everywhere. */
export async function narrowings(db: Db, now: Date, end: End): Promise<Narrowing[]> {
  const steps = stepsOf(await timesOf(db, now, end));
  if (steps.length === 0) return [EVERYWHERE];
  const outermost = await endOf(db, now, end);
  const near = steps.map(({ time, posts }): Narrowing => {
    let periods: string[] | null | undefined;
    const find = () => (end === 'newest' ? periodsBetween(time, outermost) : periodsBetween(outermost, time));
    // Most steps are passed over: only of those that are taken it is worth a tenth of a millisecond.
    return {
      posts,
      get periods() {
        return periods === undefined ? (periods = find()) : periods;
      },
    };
  });
  return [...near, EVERYWHERE];
}

/** So many matches were found, or are to be expected, among so many posts. */
export interface Density {
  posts: number;
  found: number;
}

/**
 * Whether to look among these posts for `wanted` matches, after what was found in a smaller part: not where fewer are to
 * be expected, since a look further on would have to follow.
 */
export const isPromising = (next: Narrowing, before: Density | null, wanted: number): boolean =>
  next.posts === EVERYWHERE.posts ||
  before === null ||
  (Math.max(before.found, LEAST) / before.posts) * next.posts >= MARGIN * wanted;
