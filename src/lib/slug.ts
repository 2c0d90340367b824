import anyAscii from 'any-ascii';

/** Longest slug (contract: "Blog", limits). Characters. */
export const SLUG_MAX = 120;
/** Longest id that a heading is given by its text. Characters. */
export const HEADING_ID_MAX = 80;
export const SLUG_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$';
const SLUG = new RegExp(SLUG_PATTERN);

/** Latin letters that Unicode does not decompose into a base letter and a mark. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');

export const isSlug = (text: string): boolean => text.length <= SLUG_MAX && SLUG.test(text);

/** At most `max` characters of a slug, cut between words where that leaves more than half of it. */
function cut(slug: string, max: number): string {
  if (slug.length <= max) return slug;
  const head = slug.slice(0, max);
  const end = slug[max] === '-' ? max : head.lastIndexOf('-');
  return (end > max / 2 ? head.slice(0, end) : head).replace(/-+$/, '');
}

/**
 * A valid slug made of a text, or '' when the text has no letter or digit of it: accents are folded, everything but
 * a-z and 0-9 becomes one '-', apostrophes vanish. A slug comes back as it is.
 */
export function slugify(text: string, max: number = SLUG_MAX): string {
  const words = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(SPECIAL, (letter) => LETTERS[letter] ?? '')
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return cut(words, max);
}

/** Runs of letters with their marks; which of them are not Latin; Chinese characters, which have no spaces between words. */
const LETTERS_RUN = /[\p{L}\p{M}]+/gu;
const NOT_LATIN = /[^\p{sc=Latin}\p{sc=Common}\p{sc=Inherited}]/u;
const HAN = /\p{sc=Han}/gu;

/** A text with the letters of other scripts in Latin ones, as far as they can be; each Chinese character is a word. */
const inLatin = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(LETTERS_RUN, (run) =>
      NOT_LATIN.test(run) ? anyAscii(run.replaceAll(HAN, (character) => ` ${anyAscii(character)} `)) : run,
    );

/**
 * The same of a text in whatever script: “Привет, мир” is `privet-mir`, “你好” `ni-hao`. By sound and letter for letter, for addresses
 * that can be told apart, not for reading aloud: Arabic and Hebrew come without vowels, Japanese characters as if they were Chinese.
 */
export const slugifyAny = (text: string, max: number = SLUG_MAX): string => slugify(inLatin(text), max);

/** The n-th candidate for a slug that is taken: `base`, `base-2`, `base-3`, …, each a valid slug. */
export function nthSlug(base: string, n: number): string {
  if (n === 1) return base;
  const suffix = `-${n}`;
  return cut(base, SLUG_MAX - suffix.length) + suffix;
}
