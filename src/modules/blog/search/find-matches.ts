import { type Db, readWithin } from '../../../platform/db/index.ts';
import { MARK } from './document.ts';
import { formsOf, likeliest } from './misspelling.ts';
import { conditionOf, type Others, rankingOf, titlesWith, wordOf } from './condition.ts';
import { type End, narrowings } from './narrowing.ts';
import { anyOf, parseQuery, type Query } from './query.ts';
import { knownWords, type Match, matchesAmong, rankedMatches, wordsBeginning, wordsNear } from './store.ts';
import { rootOf } from './tokens.ts';

/** A search gives so many matches at most; so many are counted, ranked and can be paged through. */
export const MATCHES_MAX = 500;
/** Documents that are read for the order of the words of a phrase: about the work of ranking 500 matches. */
const READ_FOR_ORDER = 1000;
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
}

/** The matches nearest to one end of time, best first; `cut` says that there may be more. */
async function lookFrom(db: Db, look: Look): Promise<{ matches: Match[]; cut: boolean }> {
  const { query, others, marks, state, now, end } = look;
  const ranking = rankingOf(query, others);
  let found: { matches: Match[]; cut: boolean } | undefined;
  for (const periods of state === MARK.public ? await narrowings(db, now, end) : [null]) {
    const condition = conditionOf(query, others, [...marks, anyOf(periods ?? [state])]);
    const candidates = condition.order === null ? MATCHES_MAX : READ_FOR_ORDER;
    const options = { now, end, most: MATCHES_MAX, candidates };
    const read = (on: Db) => rankedMatches(on, condition, ranking, options);
    // The first look needs no bound: it is among a thousand posts, or among all of a small blog.
    const next = found ? await readWithin(db, PATIENCE_MS, read) : await read(db);
    if (next === null) break;
    found = next;
    if (found.cut || found.matches.length === MATCHES_MAX) break;
  }
  return found ?? { matches: [], cut: false };
}

const byWeight = (a: Match, b: Match): number =>
  b.weight - a.weight || b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1);

/** The best of both, each once, best first. */
function bestOf(some: readonly Match[], more: readonly Match[]): Match[] {
  const all = new Map<string, Match>();
  for (const match of [...some, ...more].toSorted(byWeight)) if (!all.has(match.id)) all.set(match.id, match);
  return [...all.values()].slice(0, MATCHES_MAX);
}

async function run(db: Db, query: Query, others: Others, { keep, ...search }: Search): Promise<string[]> {
  const look: Look = { ...search, query, others, end: keep === 'oldest' ? 'oldest' : 'newest' };
  let { matches, cut } = await lookFrom(db, look);
  if (keep === 'best' && (cut || matches.length === MATCHES_MAX)) {
    // Of so many matches, those that say it in their title may be older than the newest ones.
    const inTitle = await lookFrom(db, { ...look, marks: [...look.marks, ...titlesWith(query, others)] });
    matches = bestOf(matches, inTitle.matches);
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
  return matchesAmong(db, conditionOf(query, await endingsOf(db, query), marks), ids);
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
