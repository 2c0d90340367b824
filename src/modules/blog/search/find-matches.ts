import type { Db } from '../../../platform/db/index.ts';
import { MARK } from './document.ts';
import { type Besides, conditionOf, type Others, rankingOf } from './condition.ts';
import { type Density, type End, EVERYWHERE, isPromising, type Narrowing, narrowings } from './narrowing.ts';
import { anyOf, isOrdered, parseQuery, type Query } from './query.ts';
import { type Match, matchesAmong, rankedMatches } from './store.ts';
import { expectedTitles, LARGE, type Vocabulary, vocabularyOf, withMeant } from './vocabulary.ts';

/** A search gives so many matches at most; so many are counted, ranked and can be paged through. */
export const MATCHES_MAX = 200;
/**
 * Of those that say it in their title, so many are looked for; older ones come by their words. About one match in sixty is
 * one (counted in titles of real posts); it says where to begin, not what is found.
 */
const TITLES = 50;
const MATCHES_PER_TITLE = 60;
/**
 * Where to look for titles rests on a guess, which is taken for so much less, for one word, several, or a phrase: a look among
 * too few costs another one, one among too many some microseconds for each match.
 */
const SURE = { word: 0.35, words: 0.15, phrase: 0.06 };
/** Beside newer matches, more of them are not weighed: a page or two are at the top. */
const TITLES_MAX = 100;
/**
 * The best so many are weighed by their body too; of those found by their title none: what the body adds is a tenth of that,
 * and it was two fifths of the pages that the look read.
 */
const WEIGHED_BY_BODY = 25;
/**
 * So many posts that have the words of a phrase are read for their order; where few of these have it (less than a page), so
 * many, and where none has it, so many. Each takes some 0.01 to 0.02 ms.
 */
const READ_FOR_ORDER = 300;
const FEW = 20;
const READ_FOR_FEW = 1000;
const READ_FOR_NONE = 5000;
/**
 * A look beyond the nearest posts ends after this, and what was found until then is the answer. It takes some
 * milliseconds; this is for lists of words that are each in many posts and hardly ever together. Milliseconds.
 */
const PATIENCE_MS = 1000;

/** Conditions beyond the words, as parts of a tsquery (`MARK`, `anyOf`); all must hold. */
export interface Search {
  q: string;
  /** The state of the posts, as a mark. */
  state: string;
  marks: readonly string[];
  now: Date;
  /** Which of more than `MATCHES_MAX` matches are kept; the best are of the newest, and of the newest by title. */
  keep: 'best' | End;
}

interface Look extends Pick<Search, 'marks' | 'state' | 'now'> {
  query: Query;
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
  /** The blog has so many posts that no plan reads a table of them as a whole. */
  isLarge: boolean;
  /** What is known of it before the first look. */
  before: Density | null;
  /** Told after each look that found too few, while the next one is made. */
  onTooFew?: (density: Density) => void;
}

interface Found {
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
async function lookFrom(db: Db, look: Look): Promise<Found> {
  const { query, others, marks, state, now, end, inTitle = false, wanted, candidates } = look;
  const ranking = rankingOf(query, others);
  const ordered = [...query.wanted, ...query.unwanted].some(isOrdered);
  const reads = ordered ? Math.max(candidates, READ_FOR_ORDER) : candidates;
  const lookIn = async (narrowing: Narrowing, atLeast: number, patience: number | null): Promise<Found | null> => {
    const condition = conditionOf(query, others, { ...within(narrowing, state, marks), inTitle });
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
    if (!isPromising(narrowing, before, enough)) continue;
    // Fewer than are wanted are counted only, as another look follows; but not after the last one.
    const atLeast = narrowing.periods === null ? 0 : wanted;
    // The first of all looks needs no bound: it is among few posts, or among all of a small blog.
    const found = await lookIn(narrowing, atLeast, last || look.before ? PATIENCE_MS : null);
    if (found === null) return (last && (await lookIn(last, 0, null))) ?? { ...NONE, matches: [], narrowing };
    if (found.cut || found.matches.length >= wanted || narrowing.periods === null) return found;
    before = { posts: narrowing.posts, found: found.looked };
    look.onTooFew?.(before);
    // Of a phrase, as many posts with its words as have so many matches among them, or as are read at all.
    if (ordered) enough = Math.min(reads, (wanted * found.looked) / Math.max(found.matches.length, 1));
    last = narrowing;
  }
  throw new Error('the last narrowing is everywhere');
}

const byWeight = (a: Match, b: Match): number => b.weight - a.weight || b.at - a.at || (a.id < b.id ? 1 : -1);

/** The best of both, each once, best first. */
function bestOf(some: readonly Match[], more: readonly Match[]): Match[] {
  const all = new Map<string, Match>();
  for (const match of [...some, ...more].toSorted(byWeight)) if (!all.has(match.id)) all.set(match.id, match);
  return [...all.values()].slice(0, MATCHES_MAX);
}

const kindOf = ({ wanted }: Query): keyof typeof SURE =>
  wanted.some(isOrdered) ? 'phrase' : wanted.length > 1 ? 'words' : 'word';

/**
 * Where so many posts may say it in their title that these are all that a search gives, they are looked for first; else
 * the posts that have the words anywhere, and of more than a search gives those with a title, which may be older.
 */
async function run(db: Db, query: Query, known: Vocabulary, { keep, ...search }: Search): Promise<string[]> {
  const end = keep === 'oldest' ? 'oldest' : 'newest';
  const { others, posts } = known;
  const all = { wanted: MATCHES_MAX, most: MATCHES_MAX, candidates: MATCHES_MAX, isLarge: posts >= LARGE };
  const look: Look = { ...search, query, others, end, ...all, before: null };
  let titles: Match[] | null = null;
  const expected = expectedTitles(query, known);
  if (keep === 'best' && search.marks.length === 0 && expected >= MATCHES_MAX) {
    const before = { posts, found: expected * SURE[kindOf(query)] };
    const found = await lookFrom(db, { ...look, inTitle: true, before });
    if (found.matches.length >= MATCHES_MAX) return found.matches.map(({ id }) => id);
    if (!found.gaveUp) titles = found.matches;
  }
  const findTitles = ({ posts: of, found }: Density): Promise<Found> => {
    const before = { posts: of, found: found / MATCHES_PER_TITLE };
    return lookFrom(db, { ...look, inTitle: true, wanted: TITLES, most: TITLES_MAX, before });
  };
  let beside: Promise<Found> | null = null;
  const onTooFew = (density: Density): void => {
    if (titles || keep !== 'best' || db.isTransaction || !isPromising({ ...EVERYWHERE, posts }, density, MATCHES_MAX))
      return;
    beside ??= findTitles(density);
    // Awaited where it is needed.
    beside.catch(() => undefined);
  };
  const near = await lookFrom(db, { ...look, onTooFew });
  let { matches } = near;
  if (keep === 'best' && (near.cut || matches.length >= MATCHES_MAX)) {
    titles ??= (await (beside ?? findTitles({ posts: near.narrowing.posts, found: near.looked }))).matches;
  }
  if (titles) matches = bestOf(matches, titles);
  if (near.cut && matches.length < FEW) {
    const before = { posts: near.narrowing.posts, found: near.looked };
    const reads = matches.length === 0 ? READ_FOR_NONE : READ_FOR_FEW;
    const far = await lookFrom(db, { ...look, wanted: reads, candidates: reads, before });
    matches = bestOf(matches, far.matches);
  }
  return matches.map(({ id }) => id);
}

/**
 * Ids of the posts that match, best first, at most `MATCHES_MAX`: of more matches, those that `keep` names. When nothing
 * matches, misspelt words are taken for those that they are near to. No text is an error; without a word that is
 * wanted, nothing matches.
 */
export async function findMatches(db: Db, search: Search): Promise<string[]> {
  const query = parseQuery(search.q);
  if (query.wanted.length === 0) return [];
  const known = await vocabularyOf(db, query);
  const found = await run(db, query, known, search);
  if (found.length > 0) return found;
  for (const every of [false, true]) {
    const meant = await withMeant(db, query, known, every);
    const again = meant && (await run(db, query, meant, search));
    if (again && again.length > 0) return again;
  }
  return [];
}

/** Those of these posts that match, whatever their time; their words must be spelt right. */
export async function findAmong(
  db: Db,
  { q, marks }: Pick<Search, 'q' | 'marks'>,
  ids: readonly string[],
): Promise<string[]> {
  const query = parseQuery(q);
  if (query.wanted.length === 0 || ids.length === 0) return [];
  return matchesAmong(db, conditionOf(query, (await vocabularyOf(db, query)).others, { marks }), ids, MATCHES_MAX);
}

/** Filters of the public list as parts of a query. */
export function publicMarks(filter: {
  categoryKey: string | undefined;
  tagKeys: readonly string[];
  featured: boolean | undefined;
  authorIds: readonly string[] | undefined;
}): string[] {
  const { categoryKey, tagKeys, featured, authorIds } = filter;
  return [
    ...(categoryKey === undefined ? [] : [anyOf([MARK.category(categoryKey)])]),
    ...tagKeys.map((key) => anyOf([MARK.tag(key)])),
    ...(featured === undefined ? [] : [anyOf([featured ? MARK.featured : MARK.plain])]),
    ...(authorIds === undefined ? [] : [anyOf(authorIds.map(MARK.author))]),
  ];
}
