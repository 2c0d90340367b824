import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { cleanText, foldText, MAX_LEVEL, pathBelow, sharedCap, textKey } from './rules.ts';

const refused = (path: string, text: string) => (error: { details?: unknown }) => {
  assert.deepEqual(error.details, [{ path, message: text }]);
  return true;
};

describe('a text', () => {
  test('is trimmed, and kept otherwise as it was written', () => {
    assert.equal(cleanText(' \n\ta  b\r\nc\u3000', 10, 'x'), 'a  b\r\nc');
    assert.equal(cleanText('‮עברית‬ 👩‍👩‍👧', 20, 'x'), '‮עברית‬ 👩‍👩‍👧');
  });

  test('counts characters, not UTF-16 units, and not the white space around it', () => {
    assert.equal(cleanText(` ${'🎉'.repeat(4000)} `.padEnd(50_000), 4000, 'x'), '🎉'.repeat(4000));
    const tooLong = refused('x', 'must NOT have more than 4000 characters');
    assert.throws(() => cleanText('🎉'.repeat(4001), 4000, 'x'), tooLong);
    assert.throws(() => cleanText('a'.repeat(4001), 4000, 'x'), tooLong);
    assert.throws(() => cleanText('a'.repeat(2_000_000), 4000, 'x'), tooLong);
  });

  test('is refused when there is nothing to read in it', () => {
    for (const text of [
      '',
      ' ',
      '\n\t',
      '\u200b\u200d\ufeff',
      '\u202e',
      '\u0007',
      '\u3000\u00a0',
      '\u3164\u115f',
      '\u2800',
      '\ufe0f\u{e0100}',
    ]) {
      assert.throws(() => cleanText(text, 10, 'x'), refused('x', 'must not be empty'), JSON.stringify(text));
    }
    for (const text of ['.', '👍', '٣', '\u0301']) assert.equal(cleanText(text, 10, 'x'), text);
  });
});

test('texts that read alike have one key', () => {
  const alike = ['Crème  BRÛLÉE!', 'creme brulee!', 'ｃｒｅｍｅ\nbrulee!', 'cre\u200bme bru\u00adlee!'];
  assert.deepEqual([...new Set(alike.map(foldText))], ['creme brulee!']);
  assert.equal(new Set(alike.map(textKey)).size, 1);
  assert.notEqual(textKey('creme brulee'), textKey('creme brulee!'));
  for (const unseen of [
    '\ufe0f',
    '\u{e0100}',
    '\u180b',
    '\u3164',
    '\uffa0',
    '\u17b4',
    '\u1ab0',
    '\u1dc4',
    '\u20d2',
    '\ufe20',
  ])
    assert.equal(foldText(`via${unseen}gra`), 'viagra', JSON.stringify(unseen));
  assert.equal(foldText('buy\u2800 now'), 'buy now');
  // Marks that tell words apart.
  for (const word of ['デブ', 'रसोई', 'กิน', 'כִּי', 'كِتاب']) assert.equal(foldText(word), word.normalize('NFKD'));
});

test('replies nest down to the deepest level and then stand beside each other', () => {
  let comment = { id: '1', path: [] as string[] };
  for (let level = 2; level <= MAX_LEVEL; level++) {
    comment = { id: String(level), path: pathBelow(comment) };
    assert.equal(comment.path.length, level - 1);
    assert.equal(comment.path.at(-1), String(level - 1));
  }
  assert.deepEqual(pathBelow(comment), comment.path);
});

test('a page’s replies are shared out evenly, and as many as fit are shown', () => {
  assert.equal(sharedCap([5, 100_000, 3], 1000), 992);
  assert.equal(sharedCap([], 1000), 1000);
  assert.equal(sharedCap([400, 600], 1000), 1000);
  assert.equal(sharedCap([501, 501], 1000), 500);
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 300 }), { maxLength: 100 }),
      fc.integer({ min: 100, max: 1000 }),
      (n, budget) => {
        const cap = sharedCap(n, budget);
        const shown = (most: number) => n.reduce((sum, count) => sum + Math.min(count, most), 0);
        assert.ok(shown(cap) <= budget);
        assert.ok(n.every((count) => count <= cap) || shown(cap + 1) > budget);
      },
    ),
  );
});
