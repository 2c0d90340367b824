import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainFields } from './plain-messages.ts';

test('fields that every reader understands alike are taken apart', () => {
  assert.deepEqual(plainFields([]), {});
  assert.deepEqual(
    plainFields(['Host: a', 'x-none:', 'x-blank: \t', "!#$%&'*+.^_`|~9: \t a  b\t ", 'constructor: c']),
    {
      host: 'a',
      'x-none': '',
      'x-blank': '',
      "!#$%&'*+.^_`|~9": 'a  b',
      constructor: 'c',
    },
  );
});

test('others are not', () => {
  for (const line of [
    '',
    'x',
    ': a',
    'x : a',
    ' x: a',
    '\tx: a',
    'x y: a',
    'x: \u00fc',
    'x: a\u007f',
    'x: a\0b',
    'x: a\rb',
    'x: a\nb',
    'X: again',
    '__proto__: a',
  ])
    assert.equal(plainFields(['x: first', line]), null, JSON.stringify(line));
});

test('a line of any number of blanks is looked at once', () => {
  const before = process.cpuUsage();
  for (const line of [`x:${' '.repeat(50_000)}\u00fc`, `x:${'\t'.repeat(50_000)}\0`, `x: ${'a '.repeat(25_000)}\u00fc`])
    assert.equal(plainFields([line]), null);
  // With each way to part them it was ten seconds.
  assert.ok(process.cpuUsage(before).user < 5_000_000);
});
