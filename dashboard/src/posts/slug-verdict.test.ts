import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugAfterSave, slugVerdict } from './slug-verdict.ts';

const reply = (slug: string, available: boolean) => ({ slug, available, suggestion: `${slug}-2` });

test('a slug is judged by the reply about itself, not by the one about what stood there before', () => {
  assert.deepEqual(slugVerdict('a-good-slug', undefined), { fault: null, isFree: false });
  assert.deepEqual(slugVerdict('a-good-slug', reply('a-goo', true)), { fault: null, isFree: false });
  assert.deepEqual(slugVerdict('taken-too', reply('taken', false)), { fault: null, isFree: false });
  assert.deepEqual(slugVerdict('free', reply('free', true)), { fault: null, isFree: true });
  assert.equal(slugVerdict('taken', reply('taken', false)).fault, 'Another post has this slug.');
});

test('what is no slug is told at once, and is not said to be another post’s', () => {
  assert.equal(slugVerdict('Half a', undefined).fault, 'Not a slug.');
  assert.equal(slugVerdict('Half a', reply('Half a', false)).fault, 'Not a slug.');
  assert.equal(slugVerdict('', reply('of-the-title', true)).fault, null);
});

test('what cannot be taken leaves the slug as it was saved', () => {
  assert.equal(slugAfterSave('new-one', 'saved', undefined), 'new-one');
  assert.equal(slugAfterSave('Half a', 'saved', undefined), 'saved');
  assert.equal(slugAfterSave('taken', 'saved', reply('taken', false)), 'saved');
  assert.equal(slugAfterSave('taken', '', reply('taken', false)), '');
  assert.equal(slugAfterSave('', 'saved', reply('of-the-title', true)), 'saved');
  assert.equal(slugAfterSave('', '', reply('of-the-title', true)), 'of-the-title-2');
});
