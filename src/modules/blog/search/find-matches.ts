import { type Db, readWithin } from '../../../platform/db/index.ts';
import { MARK } from './document.ts';
import { formsOf, likeliest } from './misspelling.ts';
import { conditionOf, type Others, rankingOf, wordOf } from './condition.ts';
import { type Density, type End, EVERYWHERE, isPromising, type Narrowing, narrowings } from './narrowing.ts';
import { anyOf, isOrdered, parseQuery, type Query } from './query.ts';
import { knownWords, type Match, matchesAmong, rankedMatches, wordsBeginning, wordsNear } from './store.ts';
import { rootOf } from './tokens.ts';

/** A search gives so many matches at most; so many are counted, ranked and can be paged through. */
export const MATCHES_MAX = 200;
/**
 * Of those that say it in their title, so many are looked for; older ones come by their words. About one match in sixty is
 * one (counted in titles of real posts); it says where to begin, not what is found.
 */
const TITLES = 50;
const MATCHES_PER_TITLE = 60;
/** More of them are not weighed: a page or two are at the top. */
const TITLES_MAX = 100;
/**
 * The best so many are weighed by their body too; of those found by their title none: what the body adds is a tenth of that,
 * and it was two fifths of the pages that the look read.
 */
const WEIGHED_BY_BODY = 50;
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

/** Words that an unfinished last word may stand for. */
const ENDINGS = 8;
/** From this length on a last word is taken for unfinished. Letters. */
const UNFINISHED_FROM = 2;
/** Words that a misspelt one may stand for, how many of a query are put right, and how many are looked at for it. */
const MEANT = 4;
const MISSPELT = 6;
const NEAR = 300;

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

async function endingsOf(db: Db, { wanted }: Query): Promise<Others> {
  const last = wanted.find((term) => term.last);
  const word = last && wordOf(last);
  if (word === undefined || Array.from(word).length < UNFINISHED_FROM) return new Map();
  return new Map([[word, await wordsBeginning(db, word, ENDINGS)]]);
}

/** Words near those that no post has; when posts have each of them, words near all. */
async function meantBy(db: Db, words: readonly string[], every: boolean): Promise<Others> {
  const known = every ? new Set<string>() : await knownWords(db, words);
  const doubtful = words.filter((word) => !known.has(word) && !known.has(rootOf(word)) && /^\p{L}{3,24}$/u.test(word));
  const others = new Map<string, readonly string[]>();
  for (const word of doubtful.slice(0, MISSPELT)) {
    others.set(word, likeliest(word, await wordsNear(db, formsOf(word), NEAR), MEANT));
  }
  return others;
}

interface Look extends Pick<Search, 'marks' | 'state' | 'now'> {
  query: Query;
  others: Others;
  end: End;
  /** The words must be in the title. */
  inTitle?: boolean;
  /** So many are enough. */
  wanted: number;
  /** So many posts with the words are read, for their rank or for the order of the words. */
  candidates: number;
  /** What is known of it before the first look. */
  before: Density | null;
}

interface Found {
  matches: Match[];
  /** There may be more. */
  cut: boolean;
  /** Posts with the words, whatever their order. */
  looked: number;
  /** Where they were found. */
  narrowing: Narrowing;
}

/** The matches nearest to one end of time, best first. */
async function lookFrom(db: Db, look: Look): Promise<Found> {
  const { query, others, marks, state, now, end, inTitle = false, wanted, candidates } = look;
  const ranking = rankingOf(query, others);
  const ordered = [...query.wanted, ...query.unwanted].some(isOrdered);
  const most = ordered ? Math.max(candidates, READ_FOR_ORDER) : candidates;
  const lookIn = async (on: Db, narrowing: Narrowing, atLeast: number): Promise<Found> => {
    const condition = conditionOf(query, others, [...marks, anyOf(narrowing.periods ?? [state])], inTitle);
    const [best, byBody] = inTitle ? [TITLES_MAX, 0] : [MATCHES_MAX, WEIGHED_BY_BODY];
    const options = { now, end, most: best, candidates: most, atLeast, byBody };
    return { ...(await rankedMatches(on, condition, ranking, options)), narrowing };
  };
  let { before } = look;
  let enough = wanted;
  let last: Narrowing | undefined;
  for (const narrowing of state === MARK.public ? await narrowings(db, now, end) : [EVERYWHERE]) {
    if (!isPromising(narrowing, before, enough)) continue;
    // Fewer than are wanted are counted only, as another look follows; but not after the last one.
    const atLeast = narrowing.periods === null ? 0 : wanted;
    // The first of all looks needs no bound: it is among few posts, or among all of a small blog.
    const read = (on: Db) => lookIn(on, narrowing, atLeast);
    const found = last || look.before ? await readWithin(db, PATIENCE_MS, read) : await read(db);
    if (found === null) return last ? lookIn(db, last, 0) : { matches: [], cut: false, looked: 0, narrowing };
    if (found.cut || found.matches.length >= wanted || narrowing.periods === null) return found;
    before = { posts: narrowing.posts, found: found.looked };
    // Of a phrase, as many posts with its words as have so many matches among them, or as are read at all.
    if (ordered) enough = Math.min(most, (wanted * found.looked) / Math.max(found.matches.length, 1));
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

async function run(db: Db, query: Query, others: Others, { keep, ...search }: Search): Promise<string[]> {
  const end = keep === 'oldest' ? 'oldest' : 'newest';
  const look: Look = { ...search, query, others, end, wanted: MATCHES_MAX, candidates: MATCHES_MAX, before: null };
  const near = await lookFrom(db, look);
  let { matches } = near;
  if (keep === 'best' && (near.cut || matches.length >= MATCHES_MAX)) {
    // Of so many matches, those that say it in their title may be older than the newest ones.
    const before = { posts: near.narrowing.posts, found: near.looked / MATCHES_PER_TITLE };
    const titles = await lookFrom(db, { ...look, inTitle: true, wanted: TITLES, before });
    matches = bestOf(matches, titles.matches);
  }
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
  const endings = await endingsOf(db, query);
  const found = await run(db, query, endings, search);
  if (found.length > 0) return found;
  const words = query.wanted.flatMap((term) => wordOf(term) ?? []);
  for (const every of [false, true]) {
    const meant = await meantBy(db, words, every);
    if ([...meant.values()].every((others) => others.length === 0)) continue;
    const again = await run(db, query, new Map([...endings, ...meant]), search);
    if (again.length > 0) return again;
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
  return matchesAmong(db, conditionOf(query, await endingsOf(db, query), marks), ids, MATCHES_MAX);
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
