import { parseQuery, type Term } from '../search/query.ts';
import { foldText, isUnspaced, partsOf, rootOf, spansOf } from '../search/tokens.ts';

/** A piece of a text; `isHit`: it is what was searched for. */
export interface Piece {
  text: string;
  isHit: boolean;
}

/** How much is shown before the first hit. UTF-16 units. */
const BEFORE = 80;

interface Wanted {
  /** Words as they are and their roots. */
  words: ReadonlySet<string>;
  /** Beginning of an unfinished word, or ''. */
  beginning: string;
  /** Runs of an unspaced script. */
  runs: readonly string[];
}

function wantedOf(terms: readonly Term[]): Wanted {
  const words = new Set<string>();
  const runs: string[] = [];
  let beginning = '';
  for (const term of terms) {
    if (isUnspaced(term.words[0] ?? '')) runs.push(term.words.join(''));
    else for (const word of term.words) words.add(word).add(rootOf(word));
    if (term.last) beginning = term.words.at(-1) ?? '';
  }
  return { words, beginning, runs };
}

/** Where in a text the hits are, in order: `[from, until]` in UTF-16 units, none within another. */
function hitsIn(text: string, { words, beginning, runs }: Wanted): [number, number][] {
  const hits: [number, number][] = [];
  for (const [from, word] of spansOf(text)) {
    const folded = foldText(word);
    const all = [folded, rootOf(folded), ...partsOf(folded)];
    if (all.some((w) => words.has(w)) || (beginning !== '' && folded.startsWith(beginning))) {
      hits.push([from, from + word.length]);
    }
  }
  for (const run of runs) {
    for (let at = text.indexOf(run); at >= 0; at = text.indexOf(run, at + run.length)) hits.push([at, at + run.length]);
  }
  return hits.toSorted((a, b) => a[0] - b[0]).filter(([from], i, all) => i === 0 || from >= (all[i - 1]?.[1] ?? 0));
}

function piecesOf(text: string, hits: readonly [number, number][]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [from, until] of hits) {
    if (from > at) pieces.push({ text: text.slice(at, from), isHit: false });
    pieces.push({ text: text.slice(from, until), isHit: true });
    at = until;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isHit: false });
  return pieces;
}

/**
 * Shows where the words of a search are in a text, as the search compares them: without case and accents, by the roots of
 * English words, the last one unfinished. What only a misspelling found has no hit.
 */
export class Highlighter {
  readonly #wanted: Wanted;

  constructor(q: string) {
    this.#wanted = wantedOf(parseQuery(q).wanted);
  }

  /** The text in pieces, and whether any is a hit. */
  mark(text: string): { pieces: Piece[]; isHit: boolean } {
    const hits = hitsIn(text, this.#wanted);
    return { pieces: piecesOf(text, hits), isHit: hits.length > 0 };
  }

  /** About `length` UTF-16 units around the first hit; null without one. */
  around(text: string, length: number): Piece[] | null {
    const [first] = hitsIn(text, this.#wanted);
    if (!first) return null;
    const space = first[0] <= BEFORE ? -1 : text.indexOf(' ', first[0] - BEFORE);
    const from = space < 0 || space > first[0] ? Math.max(0, first[0] - BEFORE) : space + 1;
    const end = from + length >= text.length ? text.length : text.lastIndexOf(' ', from + length);
    const until = end < first[1] ? Math.max(first[1], from + length) : end;
    const shown = text.slice(from, until).toWellFormed();
    const pieces = this.mark(shown).pieces;
    return [
      ...(from > 0 ? [{ text: '… ', isHit: false }] : []),
      ...pieces,
      ...(until < text.length ? [{ text: ' …', isHit: false }] : []),
    ];
  }
}
