import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LogTail } from './log-tail.ts';
import type { LoggedEvent } from './types.ts';

/** Positions whose events are kept, as log-tail.ts has it. */
const KEPT = 16_384;

const now = new Date('2026-01-01T00:00:00.000Z');
const at = (position: number): LoggedEvent => ({
  position,
  id: `01a1fe0a-25f9-71ec-aa5f-${String(position).padStart(12, '0')}`,
  event: 'checkout.started',
  data: { tradeSessionId: String(position) },
  accountIds: [],
  occurredAt: now,
  recordedAt: now,
  requestId: 'test-request',
  causedBy: null,
});
const names = (events: readonly LoggedEvent[]): unknown[] => events.map((e) => e.data.tradeSessionId);

/** Few places, each for several positions; some other ones. */
const anyPosition = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 3 })).map(([place, n]) => place + n * KEPT),
  fc.integer({ min: 1, max: 4 * KEPT }),
);
/** Events that come, and how far the one reader is then: also past all that is kept. */
const anySteps = fc.array(fc.record({ come: fc.array(anyPosition, { maxLength: 8 }), consumed: anyPosition }), {
  maxLength: 12,
});

test('memory has of each place the latest event that is not consumed, and no other', () => {
  fc.assert(
    fc.property(anySteps, (steps) => {
      const tail = new LogTail();
      tail.follow('a', 0);
      const model = new Map<number, number>();
      let done = 0;
      for (const { come, consumed } of steps) {
        tail.push(come.map(at));
        for (const position of come)
          if (position > done && position > (model.get(position % KEPT) ?? 0)) model.set(position % KEPT, position);
        tail.consumed('a', consumed);
        done = Math.max(done, consumed);
        for (const [place, position] of model) if (position <= done) model.delete(place);
        const kept = new Set(model.values());
        for (const position of new Set([...come, ...kept]))
          assert.deepEqual(names(tail.take(position - 1, 1)), kept.has(position) ? [String(position)] : []);
        assert.equal(tail.hasBeyond(0), kept.size > 0 && !kept.has(1), 'whether there is anything');
      }
    }),
  );
});

test('what was consumed leaves memory, also when it is told of late', () => {
  const tail = new LogTail();
  tail.follow('a', 0);
  tail.push([at(1), at(2), at(4)]);
  tail.push([at(3)]);
  assert.equal(tail.take(0, 10).length, 4);
  tail.consumed('a', 3);
  tail.push([at(2)]);
  assert.deepEqual(names(tail.take(3, 10)), ['4']);
  tail.consumed('a', 4);
  assert.equal(tail.hasBeyond(4), false, 'nothing is left');
});

test('nothing is kept without a reader, before its start and after its end', () => {
  const tail = new LogTail();
  const kept = (): unknown[] => [tail.take(0, 10).length, tail.hasBeyond(0), tail.hasBeyond(1), tail.hasBeyond(5)];
  tail.push([at(1), at(2)]);
  tail.consumed('a', 1);
  tail.push([at(2)]);
  assert.deepEqual(kept(), [0, false, false, false], 'no reader yet');
  tail.follow('a', 2);
  tail.push([at(1), at(2), at(3), at(4)]);
  assert.deepEqual(names(tail.take(2, 10)), ['3', '4'], 'only what is after its start');
  tail.unfollow('a');
  assert.deepEqual(kept(), [0, false, false, false], 'what was kept is gone');
  tail.push([at(5)]);
  tail.consumed('a', 4);
  tail.push([at(6)]);
  assert.deepEqual(kept(), [0, false, false, false], 'and nothing comes again');
  tail.follow('a', 6);
  tail.push([at(7)]);
  assert.deepEqual(names(tail.take(6, 10)), ['7'], 'a later reader begins anew');
});

test('what the slowest of several readers has yet to read is kept, and keeps nobody else busy', () => {
  const tail = new LogTail();
  tail.follow('fast', 0);
  tail.follow('slow', 0);
  tail.push([at(1), at(2), at(3)]);
  tail.consumed('fast', 3);
  assert.deepEqual(names(tail.take(0, 10)), ['1', '2', '3']);
  assert.equal(tail.hasBeyond(3), false, 'nothing is behind what the fast one has read');
  tail.consumed('slow', 1);
  assert.deepEqual(names(tail.take(1, 10)), ['2', '3']);
  tail.unfollow('slow');
  assert.deepEqual(tail.take(1, 10), []);
  tail.push([at(5)]);
  assert.equal(tail.hasBeyond(3), true);
});
