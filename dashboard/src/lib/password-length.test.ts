import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortness } from './password-length.ts';

test('a password is too short by its characters, not by the units in which they are stored', () => {
  assert.equal(shortness('seven77'), '7 of at least 8 characters.');
  assert.equal(shortness('🐟🐟🐟🐟'), '4 of at least 8 characters.');
  assert.equal(shortness('🐟🐟🐟🐟🐟🐟🐟🐟'), undefined);
  assert.equal(shortness('eight888'), undefined);
});

test('nothing is said of a field that is empty', () => {
  assert.equal(shortness(''), undefined);
});
