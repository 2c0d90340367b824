import {
  allOf,
  anyOf,
  isOrdered,
  orderQuery,
  type Query,
  type Term,
  termQueries,
  titleQueries,
  wordOf,
} from './query.ts';
import type { Condition, Ranking } from './store.ts';
import { rootOf } from './tokens.ts';

/** What may stand for each of the wanted words. */
export type Others = ReadonlyMap<string, readonly string[]>;

/** The order of matches: by the words, and by the words in the order in which they were typed. */
export function rankingOf({ wanted }: Query, others: Others): Ranking {
  const othersOf = (word: string) => others.get(word) ?? [];
  const words = wanted.flatMap((term) => term.words.flatMap((word) => [word, rootOf(word), ...othersOf(word)]));
  const chain = wanted.map((term) => term.words.map((word) => anyOf([word, ...othersOf(word)])).join(' <-> '));
  return { words: anyOf(words), phrase: wanted.flatMap((term) => term.words).length > 1 ? chain.join(' <-> ') : null };
}

export interface Besides {
  /** Texts of tsqueries that must hold, too. */
  marks?: readonly string[];
  /** Lexemes of which posts must have none. */
  not?: readonly string[];
  /** The words and phrases must be in the title. */
  inTitle?: boolean;
  /** The one that the fewest posts are taken to have. */
  rarest?: Term | undefined;
}

/** What posts must have: the words and phrases, of which there is at least one, and what is asked for besides. */
export function conditionOf(
  { wanted, unwanted }: Query,
  others: Others,
  { marks = [], not = [], inTitle = false, rarest }: Besides = {},
): Condition {
  const found = (term: Term) => (inTitle ? titleQueries : termQueries)(term, others.get(wordOf(term) ?? ''));
  const [first, ...more] = new Set((rarest ? [rarest, ...wanted] : wanted).flatMap(found));
  const without = unwanted.filter((term) => !isOrdered(term)).flatMap((term) => termQueries(term));
  // What is not wanted is looked up for what a word gives, the rarest (1.6 in place of 2.8 ms beside one that is in a third of all
  // titles, at a million posts); by itself it would be compared with everything.
  const nor = not.length === 0 ? [] : [anyOf(not)];
  const index = first === undefined ? [] : [allOf([first], [...without, ...nor]), ...more, ...marks];
  const never = unwanted.filter(isOrdered).map(orderQuery);
  const order = allOf(wanted.filter(isOrdered).map(orderQuery), never);
  // That a phrase is not in the title says nothing of the rest.
  return { index, order: order === '' ? null : order, orderInHead: inTitle && never.length === 0 };
}
