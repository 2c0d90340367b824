import { allOf, anyOf, isOrdered, orderQuery, type Query, type Term, termQuery, titleQuery } from './query.ts';
import type { Condition, Ranking } from './store.ts';
import { rootOf } from './tokens.ts';

/** What may stand for each of the wanted words. */
export type Others = ReadonlyMap<string, readonly string[]>;

/** The word of a term that is a single one. */
export const wordOf = (term: Term): string | undefined => (term.phrase ? undefined : term.words[0]);

/** The order of matches: by the words, and by the words in the order in which they were typed. */
export function rankingOf({ wanted }: Query, others: Others): Ranking {
  const othersOf = (word: string) => others.get(word) ?? [];
  const words = wanted.flatMap((term) => term.words.flatMap((word) => [word, rootOf(word), ...othersOf(word)]));
  const chain = wanted.map((term) => term.words.map((word) => anyOf([word, ...othersOf(word)])).join(' <-> '));
  return { words: anyOf(words), phrase: wanted.flatMap((term) => term.words).length > 1 ? chain.join(' <-> ') : null };
}

/** What posts must have: the words and phrases (`inTitle`: in their title), and the marks. */
export function conditionOf(
  { wanted, unwanted }: Query,
  others: Others,
  marks: readonly string[],
  inTitle = false,
): Condition {
  const found = (term: Term): string => (inTitle ? titleQuery : termQuery)(term, others.get(wordOf(term) ?? ''));
  const index = allOf(
    [...wanted.map(found), ...marks],
    unwanted.filter((term) => !isOrdered(term)).map((term) => termQuery(term)),
  );
  const never = unwanted.filter(isOrdered).map(orderQuery);
  const order = allOf(wanted.filter(isOrdered).map(orderQuery), never);
  // That a phrase is not in the title says nothing of the rest.
  return { index, order: order === '' ? null : order, orderInHead: inTitle && never.length === 0 };
}
