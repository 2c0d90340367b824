import { type Db, databaseOf } from '../../../platform/db/index.ts';
import type { Others } from './condition.ts';
import { formsOf, likeliest } from './misspelling.ts';
import { type Query, type Term, wordOf } from './query.ts';
import { rootOf } from './tokens.ts';
import { lookUpWords, type UsedWord, wordsNear } from './words-store.ts';

/** Words that an unfinished last word may stand for. */
const ENDINGS = 8;
/** From this length on a last word is taken for unfinished. Letters. */
const UNFINISHED_FROM = 2;
/** Words that a misspelt one may stand for, how many of a query are put right, and how many are looked at for it. */
const MEANT = 4;
const MISSPELT = 6;
const NEAR = 300;

/** From so many posts on no plan reads a table of them as a whole. */
export const LARGE = 50_000;
/** Databases with so many. */
const large = new WeakSet<Db>();

/** Whether a search has found the blog to be so large. */
export const isLargeBlog = (db: Db): boolean => large.has(databaseOf(db));

/** What is known of the words of a query, and what may stand for them. */
export interface Vocabulary {
  others: Others;
  /** Posts that are public or scheduled. */
  posts: number;
  /** How often a word was in a title, tags or an excerpt when a post was kept up (see `upkeep`); more often than posts have it there, where these were saved often. */
  used: ReadonlyMap<string, number>;
  /** The same of the words of one root that begin alike, each post as often as it has one of them; 0: a word of it is in bodies only. Without an entry there is none. */
  ofRoot: ReadonlyMap<string, number>;
}

/** What nearly all words of a root begin with (`happ`: `happy`, `happiness`); null: the word is of no language that has roots here. */
function stemOf(word: string): string | null {
  if (!/^[a-z]{3,}$/.test(word)) return null;
  const root = rootOf(word);
  return root.length > 2 && root.endsWith('i') ? root.slice(0, -1) : root;
}

/** The words of a root that do not begin with what `stemOf` gives: of `code` that is `coding`, and of any the word that was typed. */
function besideStem(word: string): string[] {
  const stem = stemOf(word);
  if (stem === null) return [word];
  const root = rootOf(word);
  const form = `${root.slice(0, -1)}ing`;
  const forms = root.endsWith('e') && rootOf(form) === root ? [word, form] : [word];
  return [...new Set(forms)].filter((one) => !one.startsWith(stem));
}

/** The words of each root. */
function byRoot(words: readonly string[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const word of words) all.set(rootOf(word), [...(all.get(rootOf(word)) ?? []), word]);
  return all;
}

/** How often the words of each root were used, of those that begin as `stemOf` gives it. */
function usesOfRoots(words: readonly UsedWord[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const { word, used } of words) {
    const stem = stemOf(word);
    if (stem !== null && word.startsWith(stem)) all.set(rootOf(word), (all.get(rootOf(word)) ?? 0) + used);
  }
  return all;
}

/** The words of a query, with those that an unfinished last one may stand for. */
export async function vocabularyOf(db: Db, { wanted }: Query): Promise<Vocabulary> {
  const last = wanted.find((term) => term.last);
  const typed = last && wordOf(last);
  const start = typed !== undefined && Array.from(typed).length >= UNFINISHED_FROM ? typed : null;
  const words = new Set(
    wanted.flatMap((term) => term.words.flatMap((word) => [word, rootOf(word), ...besideStem(word)])),
  );
  const stems = new Set(wanted.flatMap((term) => stemOf(wordOf(term) ?? '') ?? []));
  const asked = { words: [...words], stems: [...stems], start, most: ENDINGS, isLarge: isLargeBlog(db) };
  const { posts, used, beginning, stemmed } = await lookUpWords(db, asked);
  if (posts >= LARGE) large.add(databaseOf(db));
  return {
    others: new Map(start === null ? [] : [[start, beginning.map(({ word }) => word)]]),
    posts,
    used: new Map([...used, ...beginning.map(({ word, used: by }) => [word, by] as const)]),
    ofRoot: new Map([...usesOfRoots(beginning), ...usesOfRoots(stemmed)]),
  };
}

const isKnown = (word: string, { used, ofRoot }: Vocabulary): boolean =>
  used.has(word) || used.has(rootOf(word)) || ofRoot.has(rootOf(word)) || ofRoot.has(word);

/** With words near those that no post has (`every`: near all of them); null: there are none. */
export async function withMeant(
  db: Db,
  { wanted }: Query,
  known: Vocabulary,
  every: boolean,
): Promise<Vocabulary | null> {
  const words = wanted.flatMap((term) => wordOf(term) ?? []);
  const doubtful = words.filter((word) => (every || !isKnown(word, known)) && /^\p{L}{3,24}$/u.test(word));
  const others = new Map(known.others);
  const used = new Map(known.used);
  let ofRoot = known.ofRoot;
  let any = false;
  for (const word of doubtful.slice(0, MISSPELT)) {
    const near = await wordsNear(db, formsOf(word), NEAR);
    const meant = likeliest(word, near, MEANT);
    others.set(word, meant);
    any ||= meant.length > 0;
    for (const one of near) if (meant.includes(one.word)) used.set(one.word, one.used);
    // Most words of a root are near to what one of them was meant to be.
    ofRoot = new Map([...usesOfRoots(near), ...ofRoot]);
  }
  return any ? { ...known, others, used, ofRoot } : null;
}

/** Of those that have a word in title, tags or excerpt, so many have it in the title. */
const IN_TITLE = 0.5;

/** In how many titles, tags or excerpts the words of a term are, about; no more than there are posts, though a post that is saved often is counted as often. */
function usedBy(term: Term, { posts, used, ofRoot, others }: Vocabulary): number {
  const by = (words: readonly string[]): number[] => words.map((word) => Math.min(used.get(word) ?? 0, posts));
  const sum = (words: Iterable<string>): number => by([...new Set(words)]).reduce((all, one) => all + one, 0);
  const word = wordOf(term);
  if (word === undefined) return Math.min(...by(term.words));
  // A word, and what may stand for it, is looked for by its root, which all words of it have. Of those that begin alike only the first ones are read.
  const all = [word, ...(others.get(word) ?? [])];
  const groups = byRoot(all);
  // The word itself may be the root of others, too, as `embed` is that of `embedded`, though its own is `emb`.
  if (!groups.has(word)) groups.set(word, []);
  const ofGroup = ([root, words]: [string, string[]]): number => {
    const own = all.includes(root) ? words : [...words, root];
    return Math.max((ofRoot.get(root) ?? 0) + sum(words.flatMap(besideStem)), sum(own));
  };
  const ofAll = [...groups].map(ofGroup).reduce((total, one) => total + one, 0);
  return Math.min(ofAll, posts);
}

/** The term that the fewest posts are taken to have. */
export const rarestOf = ({ wanted }: Query, known: Vocabulary): Term | undefined =>
  wanted
    .map((term) => ({ term, by: usedBy(term, known) }))
    .toSorted((a, b) => a.by - b.by)
    .map(({ term }) => term)[0];

/**
 * How many posts may have all of the words in their title: of several, half-way (by factors) between those that have the
 * rarest of them and those that had all by chance.
 */
export function expectedTitles({ wanted }: Query, known: Vocabulary): number {
  const [rarest = 0, ...more] = wanted.map((term) => usedBy(term, known)).toSorted((a, b) => a - b);
  const byChance = more.reduce((product, one) => product * Math.min(1, one / Math.max(known.posts, 1)), rarest);
  return Math.sqrt(rarest * byChance) * IN_TITLE;
}
