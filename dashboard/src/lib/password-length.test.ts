import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongLength } from './password-length.ts';

test('a password is too short, or too long, by its characters, not by the units in which they are stored', () => {
  assert.equal(wrongLength('seven77'), '7 of at least 8 characters.');
  assert.equal(wrongLength('🐟🐟🐟🐟'), '4 of at least 8 characters.');
  assert.equal(wrongLength('🐟🐟🐟🐟🐟🐟🐟🐟'), undefined);
  assert.equal(wrongLength('eight888'), undefined);
  assert.equal(wrongLength('🐟'.repeat(200)), undefined);
  assert.equal(wrongLength('x'.repeat(201)), '201 of at most 200 characters.');
});

test('nothing is said of a field that is empty', () => {
  assert.equal(wrongLength(''), undefined);
});
