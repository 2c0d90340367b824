import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CounterCells } from './counter-cells.ts';

/** Cells of one post, whose counter in the database is `stored`, read as slowly as the test wants. */
function given() {
  const state = { stored: '1', mono: 0, reads: 0, gate: Promise.resolve() };
  const cells = new CounterCells({
    async read() {
      const seen = state.stored;
      state.reads++;
      await state.gate;
      return new Map([['a', seen]]);
    },
    monotonic: () => state.mono,
  });
  const fill = async () => {
    const { cells: filled } = await cells.fill(
      async () => state.stored,
      (text) => [['a', text]],
    );
    return filled;
  };
  return { state, cells, fill };
}

test('an answer that is older than what a reply brought meanwhile does not replace it', async () => {
  const { state, cells, fill } = given();
  const [cell] = await fill();
  state.mono = 1000;
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = promise;
  const waiting = cells.confirm([cell as never]);
  while (state.reads === 0) await new Promise(setImmediate);
  state.mono = 1001;
  state.stored = '2';
  cells.touch(['a']);
  await fill();
  resolve();
  await waiting;
  assert.equal(cell?.text, '2');
  assert.equal(cells.confirm([cell as never]), null, 'it is known to be right');
});

test('a reader that waits gets its counters also when everything is dropped meanwhile', async () => {
  const { state, cells, fill } = given();
  const [cell] = await fill();
  state.stored = '2';
  cells.touch(['a']);
  const waiting = cells.confirm([cell as never]);
  cells.clear();
  await waiting;
  assert.equal(cell?.text, '2');
});
