import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { EventProgress } from './types.ts';
import { Window } from './window.ts';

/** Takes an event on that causes so many deliveries. */
function take(window: Window, position: number, deliveries: number): EventProgress {
  const event = window.create(position);
  window.open(event, deliveries);
  return event;
}

test('the cursor stands before the first event that has a delivery without a row', () => {
  const window = new Window(10, 1);
  const [a, b, c] = [take(window, 11, 1), take(window, 14, 2), take(window, 15, 0)];
  assert.equal(window.cursorAfter(new Map()), 10);
  assert.equal(window.cursorAfter(new Map([[b, 2]])), 10, 'a is still open');
  assert.equal(
    window.cursorAfter(
      new Map([
        [a, 1],
        [b, 1],
      ]),
    ),
    11,
  );
  assert.equal(
    window.cursorAfter(
      new Map([
        [a, 1],
        [b, 2],
      ]),
    ),
    15,
  );
  assert.deepEqual([window.size, window.unfinished], [2, 2], 'asking changed nothing');
  window.close(new Map([[a, 1]]));
  assert.deepEqual([window.cursorAfter(new Map()), window.size, window.unfinished], [11, 1, 1]);
  window.close(new Map([[b, 2]]));
  assert.deepEqual([window.cursorAfter(new Map()), window.size, window.unfinished], [15, 0, 0]);
  assert.equal(c.position, 15);
});

test('behind one slow delivery finished events pile up, and do not count as unfinished', () => {
  const window = new Window(0, 1);
  const slow = take(window, 1, 1);
  for (let p = 2; p <= 20_000; p++) window.close(new Map([[take(window, p, 1), 1]]));
  assert.deepEqual([window.size, window.unfinished, window.cursorAfter(new Map())], [20_000, 1, 0]);
  window.close(new Map([[slow, 1]]));
  assert.deepEqual([window.size, window.unfinished, window.cursorAfter(new Map())], [0, 0, 20_000]);
});

test('property: in whatever order rows are written, the cursor never passes an event without them, and reaches the end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { maxLength: 60 }), fc.array(fc.nat(1000), { maxLength: 300 }), (counts, picks) => {
      const window = new Window(0, 1);
      const missing = new Map(counts.map((n, i) => [take(window, i + 1, n), n]));
      const check = (cursor: number): void => {
        const open = [...missing].filter(([, n]) => n > 0).map(([e]) => e.position);
        assert.equal(cursor, Math.min(...open, counts.length + 1) - 1);
      };
      const write = (event: EventProgress, n: number): void => {
        const closing = new Map([[event, n]]);
        missing.set(event, (missing.get(event) ?? 0) - n);
        check(window.cursorAfter(closing));
        window.close(closing);
        check(window.cursorAfter(new Map()));
        assert.equal(window.unfinished, [...missing.values()].filter((left) => left > 0).length);
      };
      for (const pick of picks) {
        const open = [...missing].filter(([, n]) => n > 0);
        const [event, left] = open[pick % Math.max(1, open.length)] ?? [];
        if (event && left) write(event, 1 + (pick % left));
      }
      for (const [event, left] of missing) if (left > 0) write(event, left);
      assert.equal(window.cursorAfter(new Map()), counts.length);
    }),
  );
});
