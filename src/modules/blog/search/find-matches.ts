import type { Db } from '../../../platform/db/index.ts';
import { MARK } from './document.ts';
import { formsOf, likeliest } from './misspelling.ts';
import { allOf, anyOf, parseQuery, type Query, type Term, termQuery } from './query.ts';
import { narrowings } from './narrowing.ts';
import { knownWords, matchesAmong, type Ranking, rankedMatches, wordsBeginning, wordsNear } from './store.ts';
import { rootOf } from './tokens.ts';

/** A search looks at the newest so many matches; so many are counted, ranked and can be paged through. */
export const MATCHES_MAX = 500;

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
}

/** What may stand for each of the wanted words. */
type Others = ReadonlyMap<string, readonly string[]>;

const wordOf = (term: Term): string | undefined => (term.phrase ? undefined : term.words[0]);

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

/** The order of matches: by the words, and by the words in the order in which they were typed. */
function rankingOf({ wanted }: Query, others: Others): Ranking {
  const othersOf = (word: string) => others.get(word) ?? [];
  const words = wanted.flatMap((term) => term.words.flatMap((word) => [word, rootOf(word), ...othersOf(word)]));
  const chain = wanted.map((term) => term.words.map((word) => anyOf([word, ...othersOf(word)])).join(' <-> '));
  return { words: anyOf(words), phrase: wanted.flatMap((term) => term.words).length > 1 ? chain.join(' <-> ') : null };
}

const conditionOf = ({ wanted, unwanted }: Query, others: Others, marks: readonly string[]): string =>
  allOf(
    [...wanted.map((term) => termQuery(term, others.get(wordOf(term) ?? ''))), ...marks],
    unwanted.map((term) => termQuery(term)),
  );

async function run(db: Db, query: Query, others: Others, { marks, state, now }: Search): Promise<string[]> {
  const ranking = rankingOf(query, others);
  for (const periods of state === MARK.public ? await narrowings(db, now) : [null]) {
    const condition = conditionOf(query, others, [...marks, anyOf(periods ?? [state])]);
    const found = await rankedMatches(db, condition, ranking, { now, most: MATCHES_MAX });
    if (found.length === MATCHES_MAX || periods === null) return found;
  }
  return [];
}

/**
 * Ids of the posts that match, best first, at most `MATCHES_MAX`: of more matches, the newest so many. When nothing
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
