/** Forms are made of the beginning of a word only, which bounds how many there are. Letters. */
const BEGINNING = 8;
/** Shorter words may differ in one letter, others in two: nearly everything is near a short word. Letters. */
const TWO_FROM = 6;

/** `start` with the letters from `from` on, and with up to `most` of these left out. */
function without(start: string, letters: readonly string[], from: number, most: number, into: Set<string>): void {
  into.add(start + letters.slice(from).join(''));
  for (let i = from, before = start; most > 0 && i < letters.length; before += letters[i++])
    without(before, letters, i + 1, most - 1, into);
}

/**
 * The word with up to one letter left out, or two of a longer one. Two words that differ by so many letters left out,
 * put in, replaced or swapped share a form (the "symmetric delete" method), so near words are found by equality, in an
 * index, however many words there are.
 */
export function formsOf(word: string): string[] {
  const letters = Array.from(word);
  const forms = new Set<string>();
  const most = letters.length >= TWO_FROM ? 2 : letters.length > 2 ? 1 : 0;
  without('', letters.slice(0, BEGINNING), 0, most, forms);
  return [...forms];
}

/** What a slip costs: to leave out or double a letter is likelier than to type a wrong one. */
const COST = { doubled: 0.6, missing: 0.8, swapped: 0.8, extra: 0.9, wrong: 1 } as const;
/** A wrong first letter is rare. */
const FIRST = 0.5;

/** How far a typed word is from the one meant: the least cost of slips that lead from the one to the other. */
export function slips(typed: string, meant: string): number {
  const a = Array.from(typed);
  const b = Array.from(meant);
  const row = (i: number): number[] => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j * COST.missing : 0));
  const table = a.reduce<number[][]>((rows) => [...rows, row(1)], [row(0)]);
  const at = (i: number, j: number): number => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      const first = i === 1 && j <= 1 ? FIRST : 0;
      const extra = at(i - 1, j) + (a[i - 1] === a[i - 2] ? COST.doubled : COST.extra);
      const missing = at(i, j - 1) + (b[j - 1] === b[j - 2] ? COST.doubled : COST.missing);
      const wrong = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : COST.wrong + first);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + COST.swapped : Infinity;
      (table[i] as number[])[j] = Math.min(extra, missing, j === 0 ? Infinity : wrong, swapped);
    }
  }
  return at(a.length, b.length);
}

/** Costs this close to the least are as likely. */
const SLACK = 0.15;

/** Those of the candidates that were most likely meant, at most `most`; of equals, those used more. */
export function likeliest(
  typed: string,
  candidates: readonly { word: string; used: number }[],
  most: number,
): string[] {
  const limit = Array.from(typed).length >= TWO_FROM ? 2 : 1.5;
  const costs = candidates
    .filter(({ word }) => word !== typed)
    .map(({ word, used }) => ({ word, used, cost: slips(typed, word) }))
    .filter(({ cost }) => cost <= limit)
    .toSorted((a, b) => a.cost - b.cost || b.used - a.used || (a.word < b.word ? -1 : 1));
  const least = costs[0]?.cost ?? 0;
  return costs
    .filter(({ cost }) => cost <= least + SLACK)
    .slice(0, most)
    .map(({ word }) => word);
}
