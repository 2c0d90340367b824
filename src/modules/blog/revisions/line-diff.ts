import { diffArrays } from 'diff';

/** A stretch of changed lines with what stands around it, as in a unified diff; line numbers from 1. */
export interface Hunk {
  fromLine: number;
  fromCount: number;
  toLine: number;
  toCount: number;
  /** ' ' common, '-' only in `from`, '+' only in `to`; then the line. */
  lines: string[];
}

export interface LineDiff {
  added: number;
  removed: number;
  /** False: the texts differ so much that what lies between the first and the last difference is shown as replaced. */
  exact: boolean;
  hunks: Hunk[];
}

/** Common lines shown before and after a change. */
const CONTEXT = 3;
/**
 * Lines added and removed up to which the shortest diff is looked for. The search is quadratic in this number and in
 * nothing else: see the measurement in docs/adr/0014.
 */
const MAX_EDITS = 1000;

type Run = { op: ' ' | '-' | '+'; count: number };

/** Lines as numbers, equal where the lines are: comparing two is one step, however long they are. */
function numbered(texts: readonly string[][]): number[][] {
  const known = new Map<string, number>();
  return texts.map((lines) =>
    lines.map((line) => {
      const number = known.get(line) ?? known.size;
      known.set(line, number);
      return number;
    }),
  );
}

function runsOf(from: number[], to: number[]): { runs: Run[]; exact: boolean } {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const inner = [from.slice(start, from.length - end), to.slice(start, to.length - end)] as const;
  const oneSided = inner.some((side) => side.length === 0);
  const changes = oneSided ? undefined : diffArrays(...inner, { maxEditLength: MAX_EDITS });
  const middle: Run[] = changes?.map((c) => ({ op: c.added ? '+' : c.removed ? '-' : ' ', count: c.count })) ?? [
    { op: '-', count: inner[0].length },
    { op: '+', count: inner[1].length },
  ];
  const runs: Run[] = [{ op: ' ', count: start }, ...middle, { op: ' ', count: end }];
  return { runs: runs.filter((run) => run.count > 0), exact: oneSided || changes !== undefined };
}

function hunksOf(runs: readonly Run[], from: readonly string[], to: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | null = null;
  let [a, b] = [0, 0];
  const take = (into: Hunk, { op, count }: Run): void => {
    const side = op === '+' ? to.slice(b, b + count) : from.slice(a, a + count);
    for (const line of side) into.lines.push(op + line);
    if (op !== '+') into.fromCount += count;
    if (op !== '-') into.toCount += count;
  };
  for (const [i, run] of runs.entries()) {
    const common = run.op === ' ';
    if (hunk && common) {
      const last = i === runs.length - 1;
      const joins = !last && run.count <= 2 * CONTEXT;
      take(hunk, { op: ' ', count: joins ? run.count : Math.min(CONTEXT, run.count) });
      if (!joins) hunk = null;
    }
    if (!common) {
      if (!hunk) {
        const before = Math.min(CONTEXT, a);
        hunk = { fromLine: a - before + 1, fromCount: 0, toLine: b - before + 1, toCount: 0, lines: [] };
        hunks.push(hunk);
        a -= before;
        take(hunk, { op: ' ', count: before });
        a += before;
      }
      take(hunk, run);
    }
    if (run.op !== '+') a += run.count;
    if (run.op !== '-') b += run.count;
  }
  return hunks;
}

/** The lines that differ between two texts. The cost is linear in their length, whatever they hold. */
export function lineDiff(from: string, to: string): LineDiff {
  if (from === to) return { added: 0, removed: 0, exact: true, hunks: [] };
  const [fromLines, toLines] = [from.split('\n'), to.split('\n')];
  const [fromNumbers = [], toNumbers = []] = numbered([fromLines, toLines]);
  const { runs, exact } = runsOf(fromNumbers, toNumbers);
  const lines = (op: Run['op']): number => runs.reduce((sum, run) => sum + (run.op === op ? run.count : 0), 0);
  return { added: lines('+'), removed: lines('-'), exact, hunks: hunksOf(runs, fromLines, toLines) };
}
