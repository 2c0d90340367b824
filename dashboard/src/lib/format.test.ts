import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf } from './format.ts';

test('a sentence has one full stop, whether it came with its own or without', () => {
  assert.equal(sentenceOf('Not saved: the post was changed elsewhere'), 'Not saved: the post was changed elsewhere.');
  assert.equal(sentenceOf('Not saved: The post is archived.'), 'Not saved: The post is archived.');
  assert.equal(sentenceOf('Is it?'), 'Is it?');
});
