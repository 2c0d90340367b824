import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { type LineDiff, lineDiff } from './line-diff.ts';

/** What the diff makes of `from`; throws where a hunk does not say what stands there. */
function applied(from: string, { hunks }: LineDiff): string {
  const before = from.split('\n');
  const after: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    after.push(...before.slice(at, hunk.fromLine - 1));
    at = hunk.fromLine - 1;
    assert.equal(after.length, hunk.toLine - 1);
    for (const line of hunk.lines) {
      if (line[0] !== '+') assert.equal(line.slice(1), before[at++]);
      if (line[0] !== '-') after.push(line.slice(1));
    }
    assert.equal(at, hunk.fromLine - 1 + hunk.fromCount);
    assert.equal(after.length, hunk.toLine - 1 + hunk.toCount);
  }
  return [...after, ...before.slice(at)].join('\n');
}

describe('a line diff', () => {
  test('shows a change with three lines around it', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
    const changed = lines.with(9, 'ten').toSpliced(20, 0, 'new');
    assert.deepEqual(lineDiff(lines.join('\n'), changed.join('\n')), {
      added: 2,
      removed: 1,
      exact: true,
      hunks: [
        {
          fromLine: 7,
          fromCount: 7,
          toLine: 7,
          toCount: 7,
          lines: [' line 7', ' line 8', ' line 9', '-line 10', '+ten', ' line 11', ' line 12', ' line 13'],
        },
        {
          fromLine: 18,
          fromCount: 6,
          toLine: 18,
          toCount: 7,
          lines: [' line 18', ' line 19', ' line 20', '+new', ' line 21', ' line 22', ' line 23'],
        },
      ],
    });
  });

  test('of equal texts is empty; of an empty one it is all', () => {
    assert.deepEqual(lineDiff('a\nb', 'a\nb'), { added: 0, removed: 0, exact: true, hunks: [] });
    assert.deepEqual(lineDiff('', 'a\nb').hunks[0]?.lines, ['-', '+a', '+b']);
    assert.deepEqual(lineDiff('a\r\nb', 'a\nb').hunks[0]?.lines, ['-a\r', '+a', ' b']);
  });

  test('leads from one text to the other, whatever they hold', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '-', '+x', ' 👩‍👩‍👧'), { maxLength: 40 })
      .map((l) => l.join('\n'));
    fc.assert(
      fc.property(text, text, (from, to) => {
        const diff = lineDiff(from, to);
        assert.equal(applied(from, diff), to);
        assert.equal(diff.exact, true);
        const count = (op: string) => diff.hunks.flatMap((h) => h.lines).filter((l) => l[0] === op).length;
        assert.deepEqual([count('+'), count('-')], [diff.added, diff.removed]);
      }),
      { numRuns: 500 },
    );
  });

  test('of a million characters in which nothing fits is a replacement, in bounded time', () => {
    const noise = (seed: number) =>
      Array.from({ length: 500_000 }, (_, i) => String.fromCodePoint(97 + ((i * seed * (i % 13)) % 7))).join('\n');
    const [from, to] = [`same\n${noise(3)}\nend`, `same\n${noise(5)}\nend`];
    const diff = lineDiff(from, to);
    assert.equal(diff.exact, false);
    assert.ok(applied(from, diff) === to);
    const few = lineDiff(from, from.replace('same', 'Same'));
    assert.deepEqual([few.exact, few.added, few.removed, few.hunks.length], [true, 1, 1, 1]);
  });
});
