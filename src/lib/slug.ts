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

/** The n-th candidate for a slug that is taken: `base`, `base-2`, `base-3`, …, each a valid slug. */
export function nthSlug(base: string, n: number): string {
  if (n === 1) return base;
  const suffix = `-${n}`;
  return cut(base, SLUG_MAX - suffix.length) + suffix;
}
