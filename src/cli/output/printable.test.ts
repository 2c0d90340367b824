import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printable } from './printable.ts';

test('nothing of a text acts on the terminal, or turns the writing of what is behind it', () => {
  assert.equal(printable('a\u001b[31mb\nc\u009bd'), 'a?[31mb?c?d');
  assert.equal(printable('invoice\u202Efdp.exe \u2066x\u2069'), 'invoice?fdp.exe ?x?');
  assert.equal(printable('שלום, Jérémy 🎉 👩‍👧'), 'שלום, Jérémy 🎉 👩‍👧');
});
