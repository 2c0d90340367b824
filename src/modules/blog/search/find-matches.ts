import type { Db } from '../../../platform/db/index.ts';
import { conditionOf } from './condition.ts';
import { type Found, type Look, lookFrom } from './look.ts';
import { type Density, type End, EVERYWHERE, isPromising } from './narrowing.ts';
import { isOrdered, parseQuery, type Query } from './query.ts';
import { byWeight, type Match, matchesAmong } from './store.ts';
import { expectedTitles, LARGE, rarestOf, type Vocabulary, vocabularyOf, withMeant } from './vocabulary.ts';

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
/**
 * Of several words, the more are expected the less is the guess worth: a quarter of 2,000 were there, an eighth of 6,000, a twentieth of 20,000
 * (medians of pairs of words, at a million posts). Beyond so many it counts by their root.
 */
const USUAL = 2000;
/** Beside newer matches, more of them are not weighed: a page or two are at the top. */
const TITLES_MAX = 100;
/** Where few of the posts that are read for the order of their words have it (less than a page), so many are, and where none has it, so many. */
const FEW = 20;
const READ_FOR_FEW = 1000;
const READ_FOR_NONE = 5000;

/** Conditions beyond the words, as parts of a tsquery (`publicMarks`); all must hold. */
export interface Search {
  q: string;
  /** The state of the posts, as a mark. */
  state: string;
  marks: readonly string[];
  now: Date;
  /** Which of more than `MATCHES_MAX` matches are kept; the best are of the newest, and of the newest by title. */
  keep: 'best' | End;
}

/** The best of both, each once, best first. */
function bestOf(some: readonly Match[], more: readonly Match[]): Match[] {
  const all = new Map<string, Match>();
  for (const match of [...some, ...more].toSorted(byWeight)) if (!all.has(match.id)) all.set(match.id, match);
  return [...all.values()].slice(0, MATCHES_MAX);
}

const kindOf = ({ wanted }: Query): keyof typeof SURE =>
  wanted.some(isOrdered) ? 'phrase' : wanted.length > 1 ? 'words' : 'word';

/** So many of the expected titles are taken for sure. */
function sureOf(query: Query, expected: number): number {
  const kind = kindOf(query);
  return SURE[kind] * (kind === 'words' && expected > USUAL ? Math.sqrt(expected * USUAL) : expected);
}

/** Where few have the words in their order, more posts with the words are read for it. */
async function withFarther(db: Db, look: Look, near: Found, matches: Match[]): Promise<Match[]> {
  if (!near.cut || matches.length >= FEW) return matches;
  const before = { posts: near.narrowing.posts, found: near.looked };
  const reads = matches.length === 0 ? READ_FOR_NONE : READ_FOR_FEW;
  const far = await lookFrom(db, { ...look, wanted: reads, candidates: reads, before });
  return bestOf(matches, far.matches);
}

/**
 * Where so many posts may say it in their title that these are all that a search gives, they are looked for first; else
 * the posts that have the words anywhere, and of more than a search gives those with a title, which may be older.
 */
async function run(db: Db, query: Query, known: Vocabulary, { keep, ...search }: Search): Promise<string[]> {
  const end = keep === 'oldest' ? 'oldest' : 'newest';
  const { others, posts } = known;
  const all = { wanted: MATCHES_MAX, most: MATCHES_MAX, candidates: MATCHES_MAX, posts, isLarge: posts >= LARGE };
  const look: Look = { ...search, query, rarest: rarestOf(query, known), others, end, ...all, before: null };
  let titles: Match[] | null = null;
  const expected = expectedTitles(query, known);
  if (keep === 'best' && search.marks.length === 0 && expected >= MATCHES_MAX) {
    const before = { posts, found: sureOf(query, expected) };
    const found = await lookFrom(db, { ...look, inTitle: true, before });
    if (found.matches.length >= MATCHES_MAX) return found.matches.map(({ id }) => id);
    if (!found.gaveUp) titles = found.matches;
  }
  const findTitles = ({ posts: of, found }: Density, signal?: AbortSignal): Promise<Found> => {
    const before = { posts: of, found: found / MATCHES_PER_TITLE };
    const options = { inTitle: true, wanted: TITLES, most: TITLES_MAX, before, ...(signal ? { signal } : {}) };
    return lookFrom(db, { ...look, ...options });
  };
  // Whatever becomes of the search, this one ends with it: no further look is made for it.
  const beside = new AbortController();
  let ahead: Promise<Found> | null = null;
  const onTooFew = (density: Density): void => {
    if (titles || keep !== 'best' || db.isTransaction || !isPromising({ ...EVERYWHERE, posts }, density, MATCHES_MAX))
      return;
    ahead ??= findTitles(density, beside.signal);
    // Awaited where it is wanted; else it is nobody's.
    ahead.catch(() => undefined);
  };
  try {
    const near = await lookFrom(db, { ...look, onTooFew });
    if (keep === 'best' && (near.cut || near.matches.length >= MATCHES_MAX)) {
      titles ??= (await (ahead ?? findTitles({ posts: near.narrowing.posts, found: near.looked }))).matches;
    }
    const matches = titles ? bestOf(near.matches, titles) : near.matches;
    return (await withFarther(db, look, near, matches)).map(({ id }) => id);
  } finally {
    beside.abort();
  }
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
