import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { cutText, EXCERPT_MAX, excerptOf, firstHeading, readingMinutes } from './markdown-text.ts';

describe('readingMinutes', () => {
  const cases: [number, number][] = [
    [0, 1],
    [1, 1],
    [356, 1],
    [357, 2],
    [594, 2],
    [595, 3],
    [2380, 10],
  ];
  for (const [words, minutes] of cases) {
    test(`${words} words are ${minutes} min`, () => assert.equal(readingMinutes('Wort — '.repeat(words)), minutes));
  }
});

describe('excerptOf', () => {
  const cases: [string, string, string][] = [
    ['takes prose', 'One.\nTwo.\n\nThree.', 'One. Two. Three.'],
    ['leaves headings out', '# Title\n\nText\n----\nMore', 'Text More'],
    ['falls back to headings', '## Only this ##\n\n```js\nx\n```', 'Only this'],
    ['leaves code out', '```js\nconst x = 1;\n```\nAfter `it`.', 'After it.'],
    ['knows longer fences', '````\n```\nno\n````\nyes', 'yes'],
    [
      'unwraps links and emphasis',
      'See **[the docs](https://x.y/(a))** and _this_ [ref][1] snake_case_name.',
      'See the docs and this ref snake_case_name.',
    ],
    [
      'drops images, tags, comments',
      '![alt](a.png)\n<p align="center">Hi <b>you</b></p>\n<!-- no\nno -->there',
      'Hi you there',
    ],
    ['drops the line of an open tag', '<AlertBox\n  level="info">\nText', 'level="info"> Text'],
    ['drops tables and definitions', '| a | b |\n|---|---|\n[1]: https://x.y\nText', 'Text'],
    ['reads lists and quotes', '> - [x] one\n> 2. two', 'one two'],
    [
      'keeps what is escaped',
      'A \\<div> and \\</b>, \\&lt; or \\<!-- this\nand that',
      'A <div> and </b>, &lt; or <!-- this and that',
    ],
    ['decodes once', 'a &amp;lt; b &lt;i&gt;', 'a &lt; b <i>'],
    ['drops module lines of MDX', "import X from './x'\nexport const a = {}\nText", 'Text'],
    ['is empty for nothing', '\n\n```\nx\n```\n', ''],
  ];
  for (const [name, markdown, text] of cases) test(name, () => assert.equal(excerptOf(markdown), text));

  test('is at most as long as it may be and never ends in half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (markdown) => {
        const text = excerptOf(markdown);
        assert.ok(text.length <= EXCERPT_MAX);
        assert.equal(markdown.isWellFormed() && !text.isWellFormed(), false);
      }),
    );
  });

  test('stays quick on hostile bodies of a million characters', () => {
    for (const piece of [
      '[',
      '<',
      '![',
      '<!--',
      '`',
      '*',
      '_',
      '>',
      '[a](',
      '<a',
      '\n<!-- --',
      '&',
      '\\',
      '#',
      '\n# #',
      `\n# <a ${'#'.repeat(1990)}>`,
      ' ',
      '\n|',
    ]) {
      const body = piece.repeat(Math.floor(1_000_000 / piece.length));
      // CPU, not time: other processes may be busy.
      const start = process.cpuUsage();
      excerptOf(body);
      readingMinutes(body);
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 6_000_000, JSON.stringify(piece));
    }
  });
});

test('cutText cuts at a word and says so', () => {
  assert.equal(cutText('one two three', 9), 'one two…');
  assert.equal(cutText('one two', 7), 'one two');
  assert.equal(cutText('x'.repeat(20), 10), `${'x'.repeat(9)}…`);
});

test('firstHeading', () => {
  assert.equal(firstHeading('text\n\n## The *one*\n# Two'), 'The one');
  assert.equal(firstHeading('# The {#one .x} {#id .y}'), 'The {#one .x}');
  assert.equal(firstHeading('```\n# no\n```'), undefined);
});
