import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isUuid, leastUuidv7, uuidv7 } from './ids.ts';

const NOW = Date.UTC(2026, 0, 1);

test('an id is a UUID of version 7 and variant 10 that holds its time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (ahead) => {
      // Times ascend over all runs: an id is never older than the one before.
      const at = Date.UTC(2100, 0, 1) + ahead;
      const id = uuidv7(at);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.ok(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) >= at);
    }),
  );
});

test('ids of one millisecond ascend and differ, also more than its counter holds, also when the clock goes back', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => uuidv7(NOW - i));
  for (let i = 1; i < ids.length; i++) assert.ok((ids[i] as string) > (ids[i - 1] as string), `at ${i}`);
});

test('isUuid takes any UUID and nothing else', () => {
  assert.ok(isUuid(uuidv7(NOW)));
  assert.ok(isUuid('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'));
  for (const text of [
    '',
    'x',
    'a0eebc999c0b4ef8bb6d6bb9bd380a11',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1',
    ' a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  ]) {
    assert.ok(!isUuid(text), text);
  }
});

test('the least id of a time is below every id of it, and above all earlier ones', () => {
  const later = Date.UTC(2150, 0, 1);
  const [before, at] = [uuidv7(later - 1), uuidv7(later)];
  assert.ok(before < leastUuidv7(later) && leastUuidv7(later) < at);
  assert.equal(leastUuidv7(-1), '00000000-0000-0000-0000-000000000000');
  assert.ok(isUuid(leastUuidv7(Date.UTC(9999, 0, 1))));
});
