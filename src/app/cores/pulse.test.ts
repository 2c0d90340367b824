import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pulse } from './pulse.ts';

const asked = (pulse: Pulse, times: number): boolean[] => Array.from({ length: times }, () => pulse.hangs());

test('a process hangs after four questions in vain, and not while it answers one of them', () => {
  const pulse = new Pulse();
  assert.deepEqual(asked(pulse, 5), [false, false, false, false, true]);
  const late = new Pulse();
  assert.deepEqual(asked(late, 4), [false, false, false, false]);
  late.answered();
  assert.deepEqual(asked(late, 5), [false, false, false, false, true]);
});
