import { MARK, quoted } from './document.ts';
import { chainOf, foldText, isUnspaced, pairsOf, partsOf, rootOf, wordsOf } from './tokens.ts';

/** Most words of a query that are looked at; further ones are dropped, also of a phrase. */
const WORDS_MAX = 24;

/** A part of a query: a word, or several that must follow each other. */
export interface Term {
  words: readonly string[];
  /** Typed between quotation marks, or a run of an unspaced script. */
  phrase: boolean;
  /** The typed text ends in it, so that it may be unfinished. */
  last: boolean;
}

/** The word of a term that is a single one. */
export const wordOf = (term: Term): string | undefined => (term.phrase ? undefined : term.words[0]);

export interface Query {
  wanted: readonly Term[];
  unwanted: readonly Term[];
}

/**
 * `-` at the start of a term, then a phrase (the closing mark may be missing) or what reaches to the next space. Two dashes begin an
 * option of a command line (`--inspect`), which is looked for.
 */
const CHUNK = /(-(?!-))?(?:["“”„«»]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+))/gu;

function termsOf(chunk: string, phrase: boolean): Term[] {
  const words = [...wordsOf(chunk)].filter((word) => word !== '');
  if (words.length === 0) return [];
  if (phrase)
    return [{ words: words.flatMap((word) => (partsOf(word).length > 0 ? partsOf(word) : word)), phrase, last: false }];
  const terms: Term[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    if (run.length > 0) terms.push({ words: run, phrase: run.length > 1, last: false });
    run = [];
  };
  for (const word of words) {
    if (isUnspaced(word)) run.push(word);
    else {
      endRun();
      terms.push({ words: [word], phrase: false, last: false });
    }
  }
  endRun();
  return terms;
}

/**
 * What is asked for. Every text is a query: what is no word is left out, an operator without its operand too. Words
 * that a dash joins are words of their own.
 */
export function parseQuery(q: string): Query {
  const wanted: Term[] = [];
  const unwanted: Term[] = [];
  let left = WORDS_MAX;
  let open = false;
  for (const [, minus, phrase, plain] of foldText(q).matchAll(CHUNK)) {
    open = false;
    for (const { words, ...rest } of termsOf(phrase ?? plain ?? '', phrase !== undefined)) {
      if (left === 0) break;
      // A sentence in Thai or Japanese is one long term: its beginning finds it too.
      const term = { ...rest, words: words.slice(0, left) };
      left -= term.words.length;
      if (minus === '-') unwanted.push(term);
      else wanted.push(term);
      open = minus !== '-' && !term.phrase && !isUnspaced(term.words[0] ?? '');
    }
  }
  const last = wanted.pop();
  if (last) wanted.push({ ...last, last: open && !/\s$/u.test(q) });
  return { wanted, unwanted };
}

/** No post has it. */
const NOTHING = '=nothing';

/** Either of these lexemes, as text of a tsquery; of none, what nothing matches. */
export const anyOf = (lexemes: readonly string[]): string =>
  `(${[...new Set(lexemes.length === 0 ? [NOTHING] : lexemes)].map(quoted).join(' | ')})`;

/** How a word is looked for: as it is, or as another lexeme (`MARK.title`). */
type LexemeOf = (word: string) => string;
const itself: LexemeOf = (word) => word;

/**
 * A single word as text of a tsquery: by its root, which a document has of every word, and as it is, which may be the root of others (`embed` is
 * that of `embedded`, and has itself another). `others` are words that may stand for it.
 */
function wordQuery(words: readonly string[], others: readonly string[], lexemeOf: LexemeOf): string {
  const either = (all: readonly string[]) => anyOf(all.map(lexemeOf));
  const bothWays = (word: string): string[] => [word, rootOf(word)];
  const any = either([...words.flatMap(bothWays), ...others.map(rootOf)]);
  const parts = words.flatMap(partsOf);
  // Texts miss the space after a full stop; numbers of versions must not fall apart.
  if (parts.length < 2 || /\p{N}/u.test(words.join(''))) return any;
  return `(${any} | ${parts.map((part) => either(bothWays(part))).join(' & ')})`;
}

/**
 * A term as texts of tsqueries, all of which must hold, but not in which order the words of a phrase stand: what the index
 * knows by itself.
 */
export function termQueries(term: Term, others: readonly string[] = [], lexemeOf = itself): string[] {
  if (!term.phrase) return [wordQuery(term.words, others, lexemeOf)];
  return chainOf(term.words).map(({ lexeme }) => anyOf([lexemeOf(lexeme)]));
}

/** The same for words that must be in the title, where the index also knows which two follow each other. */
export function titleQueries(term: Term, others: readonly string[] = []): string[] {
  const isInPairs = term.phrase && term.words.length > 1 && !term.words.some(isUnspaced);
  if (!isInPairs) return termQueries(term, others, MARK.title);
  return pairsOf(term.words).map((pair) => anyOf([MARK.titlePair(pair)]));
}

/** Whether it takes more than the index: a phrase of several lexemes, whose places only the document has. */
export const isOrdered = (term: Term): boolean => term.phrase && chainOf(term.words).length > 1;

/** A phrase with the order of its words, as text of a tsquery. */
export const orderQuery = ({ words }: Term): string =>
  `(${chainOf(words)
    .map(({ lexeme, at }, i, all) => (i === 0 ? '' : ` <${at - (all[i - 1]?.at ?? 0)}> `) + quoted(lexeme))
    .join('')})`;

/** All of these, none of those. */
export const allOf = (wanted: readonly string[], unwanted: readonly string[]): string =>
  [...wanted, ...unwanted.map((part) => `!${part}`)].join(' & ');
