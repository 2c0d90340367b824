import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TradeSide } from '../../../client/src/index.ts';
import { type Entry, stateOf, TIMELINE, toldOf } from './trade-texts.ts';

const at = '2026-01-31T09:00:00.000Z';

test('an entry of a kind that only a newer service knows has a row that says where the rest of it is', () => {
  const entry = { kind: 'WEATHER', at, forecast: 'rain' } as unknown as Entry;
  assert.deepEqual(toldOf(entry), { what: null, id: null, more: 'in --json' });
  const row = TIMELINE.slice(1).map((column) => column.of(entry));
  assert.deepEqual(row, ['weather', null, null, 'in --json']);
});

test('a step that was refused says why, and has the id of what caused it', () => {
  const step = { kind: 'STEP', at, cause: 'item.sold', status: 'HOLD', refused: 'Too early.' } as const;
  assert.deepEqual(toldOf({ ...step, eventId: null, reportId: 'r' }), {
    what: 'refused',
    id: 'r',
    more: 'by item.sold, Too early.',
  });
  assert.equal(toldOf({ ...step, refused: null, eventId: 'e', reportId: null }).what, 'now HOLD');
});

test('of a cancelled trade nothing is to be paid or handed over any more', () => {
  const side = (checkout: object, fulfillment: object | null) => ({ checkout, fulfillment }) as unknown as TradeSide;
  const paid = side({ status: 'COMPLETED', refundDue: true }, { status: 'PENDING', returnedAt: null });
  const open = side({ status: 'OPEN', refundDue: false }, null);
  assert.deepEqual(
    [stateOf(paid, 'CANCELLED'), stateOf(open, 'CANCELLED'), stateOf(open, 'HOLD')],
    ['paid, refund due, not handed over', 'not paid', 'to pay'],
  );
  const late = side({ status: 'FAILED', paidAt: at, refundDue: true }, null);
  const failed = side({ status: 'FAILED', paidAt: null, refundDue: false }, null);
  assert.deepEqual(
    [stateOf(late, 'CANCELLED'), stateOf(failed, 'CANCELLED')],
    ['paid too late, refund due', 'not paid'],
  );
  const fulfilled = side({ status: 'COMPLETED', refundDue: false }, { status: 'PENDING', returnedAt: null });
  assert.equal(stateOf(fulfilled, 'FULFILLMENT'), 'paid, to hand over');
});
