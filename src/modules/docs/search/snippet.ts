import { placesOf } from './words.ts';

/** A piece of a text; `isHit`: it was searched for. */
export interface Piece {
  text: string;
  isHit: boolean;
}

/** So many words are shown. */
const SHOWN = 36;
/** So many of them before the first one that was searched for. */
const BEFORE = 6;

/** Where the most different ones of `terms` stand near to each other: the first of such places. */
function bestStart(forms: readonly (readonly string[])[], terms: ReadonlySet<string>): number {
  let best = { start: 0, found: 0 };
  for (const [start, own] of forms.entries()) {
    if (!own.some((form) => terms.has(form))) continue;
    const near = new Set(forms.slice(start, start + SHOWN - BEFORE).flat());
    const found = [...terms].filter((term) => near.has(term)).length;
    if (found > best.found) best = { start, found };
  }
  return Math.max(0, best.start - BEFORE);
}

/** The part of a text that has most of what was searched for, which is marked. `found`: some of what `formsOf` gives for its words. */
export function snippetOf(
  text: string,
  found: readonly string[],
  formsOf: (word: string) => readonly string[],
): Piece[] {
  const terms = new Set(found);
  const places = placesOf(text);
  const forms = places.map(({ word }) => formsOf(word));
  const from = bestStart(forms, terms);
  const shown = places.slice(from, from + SHOWN);
  const [first, last] = [shown[0], shown.at(-1)];
  if (!first || !last) return [];
  const pieces: Piece[] = [];
  const isLast = from + SHOWN >= places.length;
  const end = isLast ? text.length : last.end;
  let at = from === 0 ? 0 : first.start;
  if (at > 0) pieces.push({ text: '… ', isHit: false });
  for (const [i, place] of shown.entries()) {
    if (!forms[from + i]?.some((form) => terms.has(form))) continue;
    if (place.start > at) pieces.push({ text: text.slice(at, place.start), isHit: false });
    pieces.push({ text: text.slice(place.start, place.end), isHit: true });
    at = place.end;
  }
  if (end > at) pieces.push({ text: text.slice(at, end), isHit: false });
  return isLast ? pieces : [...pieces, { text: ' …', isHit: false }];
}
