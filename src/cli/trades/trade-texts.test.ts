import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, TIMELINE, toldOf } from './trade-texts.ts';

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
