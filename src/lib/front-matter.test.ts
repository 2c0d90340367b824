import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { FrontMatterError, parseFrontMatter } from './front-matter.ts';
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
    for (const text of ['', 'text', '# A\n---\nb: c\n---\n', '---\nnever ends', '----\na: b\n----\n']) {
      assert.deepEqual(read(text), { body: text });
    }
  });

  test('may end as a document of YAML does, begin behind empty lines, and be JSON on any lines', () => {
    assert.deepEqual(read('---\na: b\n... \nB\n---\n'), { a: 'b', body: 'B\n---\n' });
    assert.deepEqual(read('\n \n---\na: b\n---\nB'), { a: 'b', body: 'B' });
    assert.deepEqual(read('\n+++\na = "b"\n+++\nB'), { a: 'b', body: 'B' });
    for (const json of ['{"a": "}\\"{", "b": {"c": 1}}', '\n{ "a": "}\\"{",\n"b": {\n"c": 1\n} } ']) {
      assert.deepEqual(read(`${json}\n\n}\nB`), { a: '}"{', b: new Map([['c', 1]]), body: '\n}\nB' });
    }
    for (const file of ['{}', '{\n}\n']) assert.deepEqual(read(file), { body: '' });
    assert.equal(parseFrontMatter('\n{"a": 1}\nB\r\nC').raw, 'B\r\nC');
  });

  test('refuses what is begun as front matter and is none: as a text it would be public', () => {
    for (const file of [
      '{\n "title": "Secret",\n "draft": true,\n}\nbody',
      '\ufeff\n{"title": "Secret", draft: true}\nbody',
      '{ "title": "Secret" } body',
      '{"title": "Sec',
      '---\ntitle: Secret\ndraft: true\n\nbody',
      '---\n\ntitle:\n  Secret',
      '+++\ntitle = "Secret"\nbody',
      '---\n# my notes\ntitle: a\ndraft: true\n\nDiary',
      '---\n# my notes\n\ntitle: a\ndraft: true\n\nDiary',
      '---\nfeatured image: a\ntitle: secret\n\nDiary',
      '---\nfeatured image: a\nsecond image: b\n\nDiary',
      '---\nGrüße: a\n',
      '--- # notes\ntitle: a\n---\n',
      ' ---\ntitle: a\ndraft: true\n---\nDiary',
      '\n\t---\ntitle: a\n---\n',
      '---toml\ntitle = "a"\ndraft = true\n---\nDiary',
      '--- yaml\ntitle: a\n---\nDiary',
      '---json\n{"title": "a"}\n---\nDiary',
      ' +++\ntitle = "a"\n+++\nDiary',
      '+++\n# my notes\ntitle = "a"\nDiary',
      '+++\n[params]\ndraft = true\nDiary',
      ' {"title": "a"}\nDiary',
      '---js\ntitle: a\n---\nDiary',
      '---js\n{\n  title: "a",\n}\n---\nDiary',
      '--- yaml # c\ntitle: a\n---\nDiary',
      '--- toml # c\ntitle = "a"\n---\nDiary',
      '+++ toml\ntitle = "a"\n+++\nDiary',
      '\u00a0---\ntitle: a\n---\nDiary',
      '---\u00a0\ntitle: a\n---\nDiary',
      '\u00a0\n---\ntitle: a\n---\nDiary',
      '---\ntitle: a\n\u00a0---\u00a0\nDiary',
      '\u00a0{"title": "a"}\nDiary',
    ]) {
      assert.throws(() => parseFrontMatter(file), FrontMatterError, file);
    }
    for (const file of [
      '{{< x "a" >}}',
      '{ a }',
      '{% a %}\n{"b"}',
      '+++\nText',
      '{} is a set',
      '---\nHe said: no',
      '---\n\n# A heading\n\nText',
      '---\n# A heading\n\nNote: text\n\ntoo: text',
      '---\nA paragraph that goes on\nhere: so it does',
      ' ---\n\nText\n\n---\n',
      '---\n- a: b',
      '- - -\ntitle: a\n',
      '--- - -\ntitle: a\n',
      '----\u00a0\ntitle: a\n',
      '--- a dash\nHe said: no',
      '---\u00a0\nText',
      '+++ more\nText',
    ]) {
      assert.deepEqual(read(file), { body: file });
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

  test('refuses days of TOML that there are not, but not in texts and comments', () => {
    for (const toml of [
      'date = 2024-02-30',
      'a = "x"\nb = [{c = 2023-02-29T01:02:03Z}]',
      'a = 2024-03-01\nb=2024-02-30',
    ]) {
      assert.throws(() => parseFrontMatter(`+++\n${toml}\n+++\n`), /^FrontMatterError: .*2-(?:30|29) is no day$/, toml);
    }
    const written = String.raw`a = "2024-02-30" # 2024-02-30
b = '2024-02-30'
c = """
2024-02-30 ""\"
2024-02-30"""
d = '''
2024-02-30 '
'''
e = 2024-02-29
2024-02-30 = 1
f = "\" 2024-02-30"`;
    const { e, f } = read(`+++\n${written}\n+++\n`) as Record<string, unknown>;
    assert.deepEqual([e, f], ['2024-02-29', '" 2024-02-30']);
  });

  test('refuses values that hold themselves, or a hundred others within each other', () => {
    for (const file of [
      `+++\n${'a.'.repeat(3000)}a=1\n+++\n`,
      `+++\na = ${'['.repeat(500)}${']'.repeat(500)}\n+++\n`,
      `{"a": ${'['.repeat(60_000)}${']'.repeat(60_000)}}\n`,
      `---\na: ${'{a: '.repeat(300)}${'}'.repeat(300)}\n---\n`,
      '---\na: &a [*a, *a, *a]\n---\n',
      '---\na: &a {b: [*a]}\n---\n',
    ]) {
      assert.throws(() => parseFrontMatter(file), FrontMatterError, file.slice(0, 30));
    }
    const { a } = read(`{"a": ${'['.repeat(50)}1${']'.repeat(50)}}`) as Record<string, unknown>;
    assert.deepEqual([a].flat(60), [1]);
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
      `{"a": "${'\\"'.repeat(600_000)}`,
      `{"a": "${'"'.repeat(600_000)}`,
      `{"a": ${'{'.repeat(600_000)}`,
      '\n '.repeat(600_000),
      `${' '.repeat(600_000)}---`,
      `---\n${'\n'.repeat(600_000)}`,
      `---\n${'#\n\n'.repeat(200_000)}a`,
      `---\n${'a b: c\n'.repeat(100_000)}`,
      `---\n${'a '.repeat(300_000)}`,
      `---${' -'.repeat(300_000)}`,
      `${'\u00a0\n'.repeat(300_000)}---x`,
      `--- json${' #'.repeat(300_000)}`,
      `--- json${' '.repeat(300_000)}`,
      `---\n${'a'.repeat(600_000)}`,
      `{\n"a": ${'['.repeat(60_000)}${']'.repeat(60_000)}\n}\n`,
    ]) {
      const before = process.threadCpuUsage();
      try {
        parseFrontMatter(text);
      } catch (error) {
        assert.ok(error instanceof FrontMatterError, String(error));
      }
      const { user, system } = process.threadCpuUsage(before);
      assert.ok(user + system < 3_000_000, text.slice(0, 8));
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
    ['2020-01-02 9:05:00', '2020-01-02T09:05:00.000Z'],
    ['2020-01-02  10:00:00 UTC', '2020-01-02T10:00:00.000Z'],
    ['2020-01-02 10:00gmt', '2020-01-02T10:00:00.000Z'],
    ['2020-1-2', '2020-01-02T00:00:00.000Z'],
    ['2020/01/02 3:04 +01:00', '2020-01-02T02:04:00.000Z'],
    ['2020/01-02', undefined],
    ['2020-1-32', undefined],
    ['2020-01-02 1:2', undefined],
    ['2020-01-02 10:00 CET', undefined],
    ['2026-02-30', undefined],
    ['2026-13-01', undefined],
    ['2026-01-01T24:61', undefined],
    ['June 4th', undefined],
    ['', undefined],
  ];
  for (const [text, date] of cases) test(`${text} → ${date}`, () => assert.equal(readLooseDate(text), date));
});
