import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { contrast, readable, textOn } from './colour.ts';

test('the contrast of WCAG 2.2', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#777777'), 1);
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54');
});

test('every accent becomes readable on both grounds, and a readable one stays as it is', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, '0')}`);
  const grounds = [
    ['#fdfcfa', '#f4f2ee'],
    ['#14171a', '#1e2327'],
  ];
  fc.assert(
    fc.property(colour, (accent) => {
      for (const some of grounds) {
        const shown = readable(accent, some, 4.5);
        for (const ground of some) assert.ok(contrast(shown, ground) >= 4.5, `${accent} → ${shown} on ${ground}`);
      }
      assert.ok(contrast(textOn(accent), accent) >= 4.5);
    }),
  );
  assert.equal(readable('#0b6e6e', ['#ffffff'], 4.5), '#0b6e6e');
});
