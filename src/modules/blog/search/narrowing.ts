import { type Db, databaseOf } from '../../../platform/db/index.ts';
import { countOf, readNumbers } from '../counts/store.ts';
import { periodsBetween } from './periods.ts';
import { timesOfNth } from './store.ts';

/**
 * A search looks among the newest (or oldest) so many posts first, then among more, and among all only when these have
 * too few matches: a word that is in every post is then found in the first few thousand, and no search reads a million
 * entries of the index for the sake of the few hundred that are shown.
 */
const NEAREST = [1000, 4000, 16_000, 64_000, 256_000];
/** Between two of these, and from the last one to all, the steps of a look: each is about so many times the one before, and its time a guess. */
const GROWTH = Math.SQRT2;
/** A look is for so many times what is wanted: to fall short by a few costs a whole look. */
const MARGIN = 1.6;
/** Where none was found, so many are taken for found: too few for a look at a part of the posts. */
const LEAST = 0.5;
/** The times of these posts may be this old: they say where to look first, not what is found. Milliseconds. */
const KEPT_MS = 5 * 60_000;

const HOUR_MS = 3_600_000;

/** From which end of the posts' times matches are looked for. */
export type End = 'newest' | 'oldest';

interface Kept {
  until: number;
  steps: Promise<Step[]>;
  /** The narrowings from the hour of an outermost post on, with the periods that were asked for. */
  near?: { hour: number; narrowings: Narrowing[] };
}
const kept: Record<End, WeakMap<Db, Kept>> = { newest: new WeakMap(), oldest: new WeakMap() };

function keptOf(db: Db, now: Date, end: End): Kept {
  const database = databaseOf(db);
  const known = kept[end].get(database);
  if (known && known.until > now.getTime() && known.until <= now.getTime() + KEPT_MS) return known;
  const steps = findSteps(db, now, end);
  const fresh = { until: now.getTime() + KEPT_MS, steps };
  kept[end].set(database, fresh);
  steps.catch(() => kept[end].delete(database));
  return fresh;
}

async function findSteps(db: Db, now: Date, end: End): Promise<Step[]> {
  const times = await timesOfNth(db, NEAREST, { now, end });
  const known = times.flatMap((time, i) => (time === null ? [] : [{ time, posts: NEAREST[i] as number }]));
  if (known.length < NEAREST.length) return stepsBetween(known, null);
  const [posts = 0] = await readNumbers(db, [countOf('all', [''])]);
  const [time] = await timesOfNth(db, [0], { now, end: end === 'newest' ? 'oldest' : 'newest' });
  return stepsBetween(known, time ? { time, posts } : null);
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

/**
 * The known times, and between two of them those that would be if posts came evenly; also from the nearest known ones to the
 * `last` post, but not that: among all it is looked without periods.
 */
export function stepsBetween(known: readonly Step[], last: Step | null): Step[] {
  return known.flatMap((step, i) => {
    const next = known[i + 1] ?? last;
    const steps = [step];
    if (!next) return steps;
    // None so near to the next one that it is hardly less.
    for (let posts = step.posts * GROWTH; posts * 1.2 < next.posts; posts *= GROWTH) {
      const share = (posts - step.posts) / (next.posts - step.posts);
      const time = new Date(step.time.getTime() + share * (next.time.getTime() - step.time.getTime()));
      steps.push({ posts: Math.round(posts), time });
    }
    return steps;
  });
}

/** Where to look, in order: among the newest or oldest posts, among more, and at last everywhere. */
export async function narrowings(db: Db, now: Date, end: End): Promise<Narrowing[]> {
  const known = keptOf(db, now, end);
  const steps = await known.steps;
  if (steps.length === 0) return [EVERYWHERE];
  // Periods are hours at their finest.
  const hour = Math.floor((await endOf(db, now, end)).getTime() / HOUR_MS);
  if (known.near?.hour !== hour) known.near = { hour, narrowings: [...narrowingsFrom(steps, hour, end), EVERYWHERE] };
  return known.near.narrowings;
}

function narrowingsFrom(steps: readonly Step[], hour: number, end: End): Narrowing[] {
  const outermost = new Date(hour * HOUR_MS);
  return steps.map(({ time, posts }): Narrowing => {
    let periods: string[] | null | undefined;
    const find = () => (end === 'newest' ? periodsBetween(time, outermost) : periodsBetween(outermost, time));
    // Most steps are passed over: of those that are taken it is worth a tenth of a millisecond.
    return {
      posts,
      get periods() {
        return periods === undefined ? (periods = find()) : periods;
      },
    };
  });
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

/**
 * Where no more are to be expected among all posts, these are looked through at once: the index compares each of the matches with
 * each period, which takes longer than to read a few hundred that are too old (at a million posts 0.3 in place of 1.4 ms with nine years).
 */
const FEW_OF_ALL = 800;

/** Whether to look everywhere rather than in some periods, after what was found in a smaller part of `all` posts. */
export const areFewOfAll = (before: Density | null, all: number): boolean =>
  before !== null && (Math.max(before.found, LEAST) / before.posts) * all <= FEW_OF_ALL;
