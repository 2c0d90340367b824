import type { Db } from '../../../platform/db/index.ts';
import { type Besides, conditionOf, type Others, rankingOf } from './condition.ts';
import { MARK } from './document.ts';
import {
  areFewOfAll,
  type Density,
  type End,
  EVERYWHERE,
  isPromising,
  type Narrowing,
  narrowings,
} from './narrowing.ts';
import { anyOf, isOrdered, type Query, type Term } from './query.ts';
import { type Match, rankedMatches } from './store.ts';

/**
 * The best so many are weighed by their body too; of those found by their title none: what the body adds is a tenth of that,
 * and it was two fifths of the pages that the look read.
 */
const WEIGHED_BY_BODY = 25;
/** So many posts that have the words of a phrase are read for their order. Each takes some 0.01 to 0.02 ms. */
const READ_FOR_ORDER = 300;
/**
 * A look beyond the nearest posts ends after this, and what was found until then is the answer. It takes some
 * milliseconds; this is for lists of words that are each in many posts and hardly ever together. Milliseconds.
 */
const PATIENCE_MS = 1000;

export interface Look {
  /** The state of the posts, and further conditions, as marks. */
  state: string;
  marks: readonly string[];
  now: Date;
  query: Query;
  /** The term of it that the fewest posts are taken to have. */
  rarest?: Term | undefined;
  others: Others;
  end: End;
  /** The words must be in the title. */
  inTitle?: boolean;
  /** So many are enough. */
  wanted: number;
  /** So many are weighed and given. */
  most: number;
  /** So many posts with the words are read, for their rank or for the order of the words. */
  candidates: number;
  /** Public and scheduled posts of the blog. */
  posts: number;
  /** The blog has so many posts that no plan reads a table of them as a whole. */
  isLarge: boolean;
  /** What is known of it before the first look. */
  before: Density | null;
  /** Told after each look that found too few, while the next one is made. */
  onTooFew?: (density: Density) => void;
  /** Of a search that is made beside another: when nobody wants it any more, no further look is made, and none is without a bound. */
  signal?: AbortSignal;
}

export interface Found {
  matches: Match[];
  /** There may be more. */
  cut: boolean;
  /** Posts with the words, whatever their order. */
  looked: number;
  /** Where they were found. */
  narrowing: Narrowing;
  /** The first look has taken too long: there may be any number. */
  gaveUp?: true;
}

/**
 * The conditions of a narrowing. Only public posts have periods. Everywhere, public ones are those that are neither drafts
 * nor archived: these are mostly fewer, and the index goes through what is wanted, not through what is not.
 */
function within({ periods }: Narrowing, state: string, marks: readonly string[]): Besides {
  if (periods !== null) return { marks: [...marks, anyOf(periods)] };
  return state === MARK.public ? { marks, not: [MARK.draft, MARK.archived] } : { marks: [...marks, anyOf([state])] };
}

const NONE = { matches: [], cut: false, looked: 0, gaveUp: true } as const;

/** The matches nearest to one end of time, best first. */
export async function lookFrom(db: Db, look: Look): Promise<Found> {
  const { query, rarest, others, marks, state, now, end, inTitle = false, wanted, candidates, signal } = look;
  const ranking = rankingOf(query, others);
  const ordered = [...query.wanted, ...query.unwanted].some(isOrdered);
  const reads = ordered ? Math.max(candidates, READ_FOR_ORDER) : candidates;
  const lookIn = async (narrowing: Narrowing, atLeast: number, patience: number | null): Promise<Found | null> => {
    const condition = conditionOf(query, others, { ...within(narrowing, state, marks), inTitle, rarest });
    const byBody = inTitle ? 0 : WEIGHED_BY_BODY;
    const options = {
      now,
      end,
      most: look.most,
      candidates: reads,
      atLeast,
      byBody,
      within: patience,
      isLarge: look.isLarge,
    };
    const ranked = await rankedMatches(db, condition, ranking, options);
    return ranked && { ...ranked, narrowing };
  };
  let { before } = look;
  let enough = wanted;
  let last: Narrowing | undefined;
  for (const narrowing of state === MARK.public ? await narrowings(db, now, end) : [EVERYWHERE]) {
    if (signal?.aborted) return { ...NONE, matches: [], narrowing };
    if (!isPromising(narrowing, before, enough)) continue;
    if (narrowing.posts !== EVERYWHERE.posts && areFewOfAll(before, look.posts)) continue;
    // Fewer than are wanted are counted only, as another look follows; but not after the last one.
    const atLeast = narrowing.periods === null ? 0 : wanted;
    // The first of all looks needs no bound: it is among few posts, or among all of a small blog.
    const found = await lookIn(narrowing, atLeast, last || look.before ? PATIENCE_MS : null);
    if (found === null) {
      const again = signal?.aborted ? undefined : last;
      return (again && (await lookIn(again, 0, signal ? PATIENCE_MS : null))) ?? { ...NONE, matches: [], narrowing };
    }
    if (found.cut || found.matches.length >= wanted || narrowing.periods === null) return found;
    before = { posts: narrowing.posts, found: found.looked };
    look.onTooFew?.(before);
    // Of a phrase, as many posts with its words as have so many matches among them, or as are read at all.
    if (ordered) enough = Math.min(reads, (wanted * found.looked) / Math.max(found.matches.length, 1));
    last = narrowing;
  }
  throw new Error('the last narrowing is everywhere');
}
