import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { formsOf, likeliest, slips } from './misspelling.ts';

const share = (a: string, b: string): boolean => formsOf(a).some((form) => formsOf(b).includes(form));

describe('near words share a form', () => {
  const word = fc.stringMatching(/^[a-f]{4,8}$/);
  const place = fc.nat(7);
  const letter = fc.constantFrom('x', 'y', 'z');
  for (const [slip, change] of [
    ['left out', (w: string, i: number) => w.slice(0, i) + w.slice(i + 1)],
    ['put in', (w: string, i: number, l: string) => w.slice(0, i) + l + w.slice(i)],
    ['replaced', (w: string, i: number, l: string) => w.slice(0, i) + l + w.slice(i + 1)],
    ['swapped', (w: string, i: number) => w.slice(0, i) + (w[i + 1] ?? '') + (w[i] ?? '') + w.slice(i + 2)],
  ] as const) {
    test(`one letter ${slip}`, () => {
      fc.assert(fc.property(word, place, letter, (w, i, l) => share(w, change(w, i % w.length, l))));
    });
  }

  test('far ones do not, and a long word has few forms', () => {
    assert.ok(!share('event', 'stream'));
    assert.ok(formsOf('internationalisation').length < 40);
  });
});

describe('the likeliest word', () => {
  const vocabulary = ['loop', 'log', 'top', 'lot', 'event', 'even', 'sent', 'javascript', 'typescript', 'receive'];
  const candidates = vocabulary.map((word) => ({ word, used: 1 }));
  for (const [typed, meant] of [
    ['lop', ['loop']],
    ['evnt', ['event']],
    ['javscrpt', ['javascript']],
    ['recieve', ['receive']],
    ['zzzz', []],
  ] as const) {
    test(`for ${typed}`, () => assert.deepEqual(likeliest(typed, candidates, 4), meant));
  }

  test('of equals is the one used more', () => {
    assert.deepEqual(
      likeliest(
        'lpg',
        [
          { word: 'log', used: 1 },
          { word: 'leg', used: 9 },
        ],
        1,
      ),
      ['leg'],
    );
  });

  test('a slip costs nothing only between equal words', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 6 }),
        fc.string({ maxLength: 6 }),
        (a, b) => (slips(a, b) === 0) === (a === b),
      ),
    );
  });
});
