import { parseQuery, type Term } from '../search/query.ts';
import { foldText, isUnspaced, partsOf, rootOf, spansOf } from '../search/tokens.ts';

/** A piece of a text; `isHit`: it is what was searched for. */
export interface Piece {
  text: string;
  isHit: boolean;
}

/** How much is shown before the first hit. UTF-16 units. */
const BEFORE = 80;
/** Of so many words it is remembered whether they are hits. */
const COMPARED_MAX = 20_000;

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

type Hit = readonly [from: number, until: number];

/** Where the runs of an unspaced script are. UTF-16 units. */
function* runsIn(text: string, runs: readonly string[]): Generator<Hit> {
  for (const run of runs) {
    for (let at = text.indexOf(run); at >= 0; at = text.indexOf(run, at + run.length)) yield [at, at + run.length];
  }
}

function piecesOf(text: string, hits: readonly Hit[]): Piece[] {
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
  /** Whether a word is a hit: a text has each of its words many times, and to fold one takes some microseconds. */
  readonly #compared = new Map<string, boolean>();

  constructor(q: string) {
    this.#wanted = wantedOf(parseQuery(q).wanted);
  }

  #isHit(word: string): boolean {
    const known = this.#compared.get(word);
    if (known !== undefined) return known;
    const { words, beginning } = this.#wanted;
    const folded = foldText(word);
    const isHit =
      [folded, ...partsOf(folded)].some((w) => words.has(w) || words.has(rootOf(w))) ||
      (beginning !== '' && folded.startsWith(beginning));
    if (this.#compared.size >= COMPARED_MAX) this.#compared.clear();
    this.#compared.set(word, isHit);
    return isHit;
  }

  /** Where words of a text are hits, in order. UTF-16 units. */
  *#wordsIn(text: string): Generator<Hit> {
    for (const [from, word] of spansOf(text)) if (this.#isHit(word)) yield [from, from + word.length];
  }

  /** Where in a text the hits are, in order, none within another. */
  #hitsIn(text: string): Hit[] {
    const hits = [...this.#wordsIn(text), ...runsIn(text, this.#wanted.runs)].toSorted((a, b) => a[0] - b[0]);
    return hits.filter(([from], i) => i === 0 || from >= (hits[i - 1]?.[1] ?? 0));
  }

  /** The first hit of a text; what is behind it is not read. */
  #firstIn(text: string): Hit | undefined {
    const firsts = [
      ...this.#wordsIn(text).take(1),
      ...this.#wanted.runs.flatMap((run) => [...runsIn(text, [run]).take(1)]),
    ];
    return firsts.toSorted((a, b) => a[0] - b[0])[0];
  }

  /** The text in pieces, and whether any is a hit. */
  mark(text: string): { pieces: Piece[]; isHit: boolean } {
    const hits = this.#hitsIn(text);
    return { pieces: piecesOf(text, hits), isHit: hits.length > 0 };
  }

  /** About `length` UTF-16 units around the first hit; null without one. */
  around(text: string, length: number): Piece[] | null {
    const first = this.#firstIn(text);
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
