import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directionOf } from './direction.ts';

test('the first letter tells, not a tag, a reference, a number or a mark', () => {
  const cases: Record<string, 'ltr' | 'rtl'> = {
    '<p>Hello שלום</p>': 'ltr',
    '<p>שלום Hello</p>': 'rtl',
    '<h2 id="a" class="b">2026: «مرحبا»</h2>': 'rtl',
    '<p>&nbsp;&amp;&#8207; 1. 漢字</p>': 'ltr',
    '<p>𞤀𞤣𞤤𞤢𞤥</p>': 'rtl',
    '<p>1 &lt; 2</p>': 'ltr',
    '': 'ltr',
  };
  for (const [html, direction] of Object.entries(cases)) assert.equal(directionOf(html), direction, html);
});

test('a text without a letter is looked through once', () => {
  const startedAt = process.cpuUsage();
  for (const piece of ['<', '&', '1 ', '<p>', '&#1']) directionOf(piece.repeat(300_000));
  assert.ok(process.cpuUsage(startedAt).user < 8_000_000);
});
