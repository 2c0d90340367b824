import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { settle } from './settle.ts';

test('a run without gaps is taken whole, a gap stops the reader before it', () => {
  assert.deepEqual(settle(0, [], 0), { settled: [], blocked: false });
  assert.deepEqual(settle(4, [5, 6, 7], 0), { settled: [5, 6, 7], blocked: false });
  assert.deepEqual(settle(4, [5, 7, 8], 0), { settled: [5], blocked: true });
  assert.deepEqual(settle(4, [6], 0), { settled: [], blocked: true });
});

test('a gap that is known to be dead is passed, one above it is not', () => {
  assert.deepEqual(settle(4, [6, 9, 10], 9), { settled: [6, 9, 10], blocked: false });
  assert.deepEqual(settle(4, [6, 9, 12], 9), { settled: [6, 9], blocked: true });
  assert.deepEqual(settle(4, [6, 9], 5), { settled: [], blocked: true }, 'only gaps up to 5 are dead');
});

/** A log in which some positions are committed, some are open (commit or roll back later), some never existed. */
const history = fc.array(fc.constantFrom('committed', 'commits late', 'rolls back late', 'never'), { maxLength: 40 });

test('property: whatever commits late, and whenever a barrier is passed, the reader takes every event once and in order', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat(4), { maxLength: 60 }), (states, limits) => {
      const open = new Set<number>();
      const visible = new Set<number>();
      const everCommitted: number[] = [];
      for (const [i, state] of states.entries()) {
        if (state.endsWith('late')) open.add(i + 1);
        if (state === 'committed') visible.add(i + 1);
        if (state.startsWith('commit')) everCommitted.push(i + 1);
      }
      const taken: number[] = [];
      let deadUpTo = 0;
      const read = (limit: number): boolean => {
        const after = taken.at(-1) ?? 0;
        const seen = [...visible].filter((p) => p > after).toSorted((a, b) => a - b);
        const settled = settle(after, seen.slice(0, limit), deadUpTo);
        taken.push(...settled.settled);
        // A barrier: everything up to the last row seen is dead once nothing below it is open.
        const upTo = seen.slice(0, limit).at(-1) ?? 0;
        if (settled.blocked && ![...open].some((p) => p < upTo)) deadUpTo = Math.max(deadUpTo, upTo);
        return settled.blocked || settled.settled.length > 0;
      };
      for (const [i, limit] of limits.entries()) {
        read(limit + 1);
        const [next] = i % 3 === 0 ? open : [];
        if (next === undefined) continue;
        open.delete(next);
        if (states[next - 1] === 'commits late') visible.add(next);
      }
      for (const p of open) if (states[p - 1] === 'commits late') visible.add(p);
      open.clear();
      while (read(5));
      assert.deepEqual(taken, everCommitted);
    }),
    { numRuns: 500 },
  );
});
