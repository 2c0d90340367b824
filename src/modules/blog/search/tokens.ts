import { stem } from 'porter2';

/** Letters that Unicode does not decompose, as people type them on other keyboards. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ſ: 's',
};
/** Accents of Latin, Greek and Cyrillic, points of Hebrew, short vowels of Arabic. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;

/**
 * The form in which words are compared: without case, accents and compatibility forms (`Jérémy` and `jeremy` are one).
 * Done here, at write time and at query time, and not by the database: there it would depend on its locale and on an
 * extension.
 */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(ACCENTS, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþıſ]/g, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');

/** Scripts that are written without spaces: each character is a word, and a run of them a phrase. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((s) => `\\p{scx=${s}}`)
  .join('');
const ALNUM = `(?![${UNSPACED}])[\\p{L}\\p{N}]`;
const MORE = `(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+`;
/**
 * A word: letters and digits, held together by single dots or underscores (`node.js`, `18.17.0`, `read_file`), with the
 * `++` or `#` of a language's name; or one character of an unspaced script.
 */
const WORD = new RegExp(
  `(?=[\\p{L}\\p{N}])[${UNSPACED}]\\p{M}*|(?=${ALNUM})${MORE}(?:[._]${MORE})*(?:\\+\\+|#(?![\\p{L}\\p{N}]))?`,
  'gu',
);
const UNSPACED_START = new RegExp(`^[${UNSPACED}]`, 'u');
/** Longer runs are digests and encoded data. UTF-16 units. */
const WORD_MAX = 40;

/** The words of a folded text, in order; digests and encoded data are ''. */
export function* wordsOf(folded: string): Generator<string> {
  for (const [word] of folded.matchAll(WORD)) yield word.length > WORD_MAX ? '' : word;
}

/** The words of a text that is not folded, each with where it begins. UTF-16 units. */
export function* spansOf(text: string): Generator<[from: number, word: string]> {
  for (const { index, 0: word } of text.matchAll(WORD)) yield [index, word];
}

export const isUnspaced = (word: string): boolean => UNSPACED_START.test(word);

/**
 * The lexemes that words in a row are found by, each with its place among them. Two neighbouring characters of an
 * unspaced script are one lexeme: single ones are in nearly every text, and to compare their places would mean to read
 * each of these texts.
 */
export function chainOf(words: readonly string[]): { lexeme: string; at: number }[] {
  return words.flatMap((word, at) => {
    if (!isUnspaced(word)) return [{ lexeme: word, at }];
    const next = words[at + 1] ?? '';
    if (isUnspaced(next)) return [{ lexeme: word + next, at }];
    return isUnspaced(words[at - 1] ?? '') ? [] : [{ lexeme: word, at }];
  });
}

/** The parts of a compound (`node.js`: node, js; `c++`: c); none for a plain word. */
export function partsOf(word: string): string[] {
  if (!/[._+#]/.test(word)) return [];
  return word.split(/[._+#]+/).filter((part) => part !== '');
}

/** Each two of these words that follow each other, once; none of what is written without spaces, where neighbours are one lexeme already. */
export function pairsOf(words: readonly string[]): [string, string][] {
  const pairs = new Map<string, [string, string]>();
  for (const [i, word] of words.entries()) {
    const next = words[i + 1] ?? '';
    if (word === '' || next === '' || isUnspaced(word) || isUnspaced(next)) continue;
    pairs.set(`${word} ${next}`, [word, next]);
  }
  return [...pairs.values()];
}

/**
 * The root of an English word by the Porter 2 rules; any other word as it is. Words of other languages that look
 * English are cut too, alike in posts and in queries, so that they are found all the same.
 */
export const rootOf = (word: string): string => (/^[a-z]{3,}$/.test(word) ? stem(word) : word);
