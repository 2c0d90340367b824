import assert from 'node:assert/strict';
import { test } from 'node:test';
import { told } from './told.ts';

const of = (...outcomes: ('CHANGED' | 'UNCHANGED' | 'NOT_FOUND')[]) =>
  outcomes.map((outcome, i) => ({ id: `${i}`, outcome, status: outcome === 'NOT_FOUND' ? null : ('HIDDEN' as const) }));

test('what is told of a decision is what became of each comment', () => {
  assert.equal(told(of('CHANGED'), 'HIDDEN'), 'The comment is hidden.');
  assert.equal(told(of('UNCHANGED'), 'VISIBLE'), 'The comment was visible already.');
  assert.equal(told(of('NOT_FOUND'), 'HIDDEN'), 'The comment is gone: it was deleted meanwhile.');
  assert.equal(told(of('CHANGED', 'CHANGED'), 'HIDDEN'), '2 comments are hidden now.');
  assert.equal(
    told(of('CHANGED', 'UNCHANGED', 'NOT_FOUND', 'NOT_FOUND'), 'VISIBLE'),
    '1 comment is visible now. 1 was visible already. 2 are gone: they were deleted meanwhile.',
  );
  assert.equal(
    told(of('NOT_FOUND', 'UNCHANGED'), 'HIDDEN'),
    '1 was hidden already. 1 is gone: it was deleted meanwhile.',
  );
});
