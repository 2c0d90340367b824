/** Blocks of Unicode for scripts that are written from right to left, as UAX 9 sets them apart. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** A tag, a reference to a character, or text between them. */
const PIECE = /<[^<>]*>|&#?\w+;|[^<&]+|[<&]/g;

/**
 * The direction of HTML by its first letter, as `dir="auto"` finds it; `ltr` without one. Chrome goes over all that stands in such an element with each
 * piece that is put into it: a post of 13,500 paragraphs took it 25 s to load, and 1.2 s with the direction said.
 */
export function directionOf(html: string): 'ltr' | 'rtl' {
  for (const [piece] of html.matchAll(PIECE)) {
    if (piece.startsWith('<') || piece.startsWith('&')) continue;
    const letter = /\p{L}/u.exec(piece)?.[0];
    if (letter !== undefined) return FROM_RIGHT.test(letter) ? 'rtl' : 'ltr';
  }
  return 'ltr';
}
