import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { foldText, partsOf, rootOf, wordsOf } from './tokens.ts';

const words = (text: string): string[] => [...wordsOf(foldText(text))];

describe('foldText', () => {
  for (const [text, folded] of [
    ['Jérémy', 'jeremy'],
    ['JEREMY', 'jeremy'],
    ['Je\u0301re\u0301my', 'jeremy'],
    ['Łódź Ærø Straße', 'lodz aero strasse'],
    ['ﬁne ①', 'fine 1'],
    ['İstanbul ISPARTA', 'istanbul isparta'],
    ['Йод', 'иод'],
    ['한국어', '한국어'],
    ['हिन्दी', 'हिन्दी'],
  ] as const) {
    test(`${text} is ${folded}`, () => assert.equal(foldText(text), folded));
  }

  test('of what is folded is the same, for any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (s) => foldText(foldText(s)) === foldText(s)));
  });
});

describe('words', () => {
  for (const [text, expected] of [
    ['The event-loop, again!', ['the', 'event', 'loop', 'again']],
    ['Node.js v18.17.0.', ['node.js', 'v18.17.0']],
    ['read_file() a__b', ['read_file', 'a', 'b']],
    ['C++, C# and #tag', ['c++', 'c#', 'and', 'tag']],
    ['東京タワー go', ['東', '京', 'タ', 'ワ', 'ー', 'go']],
    ['日本。語', ['日', '本', '語']],
    ['a\u0000b 👩‍👩‍👧 …', ['a', 'b']],
    [`x ${'f'.repeat(64)} y`, ['x', '', 'y']],
    ['', []],
  ] as const) {
    test(`of ${JSON.stringify(text.slice(0, 20))}`, () => assert.deepEqual(words(text), expected));
  }

  test('have parts where something joins them', () => {
    assert.deepEqual([partsOf('node.js'), partsOf('c++'), partsOf('plain')], [['node', 'js'], ['c'], []]);
  });

  test('of English have a root; others are left as they are', () => {
    assert.deepEqual(['releases', 'security', 'v18', 'go', 'мир'].map(rootOf), ['releas', 'secur', 'v18', 'go', 'мир']);
  });
});
