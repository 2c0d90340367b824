import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { FrontMatterError, parseFrontMatter } from './front-matter.ts';
import { monotonicNow } from './clock.ts';
import { readLooseDate } from './loose-date.ts';

const read = (text: string) => {
  const { fields, body } = parseFrontMatter(text);
  return { ...Object.fromEntries(fields), body };
};

describe('parseFrontMatter', () => {
  test('splits fields from text', () => {
    assert.deepEqual(read('---\ntitle: "A: b"\nTags: [x, y]\n---\n\nText\n---\nmore'), {
      title: 'A: b',
      tags: ['x', 'y'],
      body: '\nText\n---\nmore',
    });
  });

  test('takes files of other systems: byte order mark, CRLF, nothing after', () => {
    assert.deepEqual(read('\ufeff---\r\ntitle: A\r\n---\r\nB\r\nC'), { title: 'A', body: 'B\nC' });
    assert.deepEqual(read('---\ntitle: A\n---'), { title: 'A', body: '' });
    assert.deepEqual(read('---\n---\nB'), { body: 'B' });
  });

  test('leaves a file without front matter alone', () => {
    for (const text of [
      '',
      'text',
      '# A\n---\nb: c\n---\n',
      '---\nnever ends',
      ' ---\na: b\n---\n',
      '----\na: b\n----\n',
    ]) {
      assert.deepEqual(read(text), { body: text });
    }
  });

  test('keeps dates and versions as text', () => {
    assert.deepEqual(read('---\ndate: 2026-03-24T20:50:00.000Z\nday: 2026-03-24\n---\n'), {
      date: '2026-03-24T20:50:00.000Z',
      day: '2026-03-24',
      body: '',
    });
  });

  test('refuses what is no map, broken, too long, or unfolds to something huge', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'.split('').map((c, i) => {
        const before = 'abcdefgh'[i];
        return `${c}: &${c} [${Array(9).fill(`*${before}`).join(',')}]`;
      }),
    ].join('\n');
    for (const yaml of [
      '- a\n- b',
      'just text',
      'a: [',
      'a: b\na: c',
      `a: ${'x'.repeat(270_000)}`,
      bomb,
      'a: *nothing',
    ]) {
      assert.throws(() => parseFrontMatter(`---\n${yaml}\n---\n`), FrontMatterError, yaml.slice(0, 40));
    }
  });

  test('builds nothing from tags and sets no prototype', () => {
    const { fields } = parseFrontMatter('---\n__proto__: {polluted: yes}\nx: !!js/function "function(){}"\n---\n');
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    assert.equal(fields.get('x'), 'function(){}');
  });

  test('reads back what was written', () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.boolean(), fc.integer(), fc.array(fc.string()));
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), value), fc.string(), (fields, body) => {
        const text = body.replaceAll('\r', '');
        const { fields: found, body: rest } = parseFrontMatter(`---\n${stringify(fields)}---\n${text}`);
        assert.deepEqual(Object.fromEntries(found), { ...fields });
        assert.equal(rest, text);
      }),
    );
  });

  test('stays quick on hostile files', () => {
    for (const text of [
      '---\n'.repeat(300_000),
      `---\n${'a\n--'.repeat(300_000)}`,
      `---\n${'['.repeat(60_000)}\n---\n`,
      '+++\n'.repeat(300_000),
      `+++\na = ${'['.repeat(60_000)}\n+++\n`,
      '{\n'.repeat(300_000),
      `{\n"a": ${'['.repeat(60_000)}${']'.repeat(60_000)}\n}\n`,
    ]) {
      const start = monotonicNow();
      try {
        parseFrontMatter(text);
      } catch (error) {
        assert.ok(error instanceof FrontMatterError, String(error));
      }
      assert.ok(monotonicNow() - start < 3000, text.slice(0, 8));
    }
  });
});

describe('readLooseDate', () => {
  const cases: [string, string | undefined][] = [
    ['2013-06-04', '2013-06-04T00:00:00.000Z'],
    ['2013-06-04 21:37', '2013-06-04T21:37:00.000Z'],
    ['2013-06-04T21:37:25.000Z', '2013-06-04T21:37:25.000Z'],
    ['2013-06-04 21:37:25 +0200', '2013-06-04T19:37:25.000Z'],
    ['2025-03-17T10:00:00-04:00', '2025-03-17T14:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-02-30', undefined],
    ['2026-13-01', undefined],
    ['2026-01-01T24:61', undefined],
    ['June 4th', undefined],
    ['', undefined],
  ];
  for (const [text, date] of cases) test(`${text} → ${date}`, () => assert.equal(readLooseDate(text), date));
});
