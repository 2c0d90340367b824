import { stem } from 'porter2';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** A word of a text in lower case, and where it stands. */
export interface Place {
  word: string;
  start: number;
  end: number;
}

/** Every word of a text: names of settings, events and header fields are as many as they have parts. */
export const placesOf = (text: string): Place[] =>
  [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));

export const wordsOf = (text: string): string[] => placesOf(text).map(({ word }) => word);

/** What a question is made of, beside what is asked about. */
const SMALL = new Set(
  'a an and are can do does for from how i in is it my of on or that the there this to what when where which with you'.split(
    ' ',
  ),
);

/** So many words of a search count. */
const WORDS = 10;

/** The words that are searched for: the small ones only where there are no others. */
export function queryOf(text: string): string[] {
  const words = wordsOf(text);
  const large = words.filter((word) => !SMALL.has(word));
  return (large.length > 0 ? large : words).slice(0, WORDS);
}

/** What the forms of a word have in common; of what is no word of a language, itself. */
export const rootOf = (word: string): string => (/^[a-z]{3,}$/.test(word) ? stem(word) : word);

/** By what a word of a text is found: also by its beginning, while it is being typed. */
export const formsOf = (word: string): string[] => [...new Set([word, rootOf(word)])];
