import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Envelope, testService } from '../../../../test/helpers/service.ts';
import { isSpread, spread } from '../../../../test/helpers/spread.ts';

const service = await testService();
const { token } = await service.user({ blogRole: 'AUTHOR' });
const created = await service.ok<{ id: string }>(201, 'POST', '/v1/blog/manage/posts', { token, body: {} });

/** The same on create and on edit: the field as it is stored, or the path of the fault. */
async function write(field: string, value: unknown): Promise<{ stored: unknown } | { fault: string }> {
  const results = [];
  const body = JSON.stringify({ [field]: value });
  for (const [method, path] of [
    ['POST', '/v1/blog/manage/posts'],
    ['PATCH', `/v1/blog/manage/posts/${created.id}`],
  ] as const) {
    const reply = await service.call<Record<string, unknown> & Envelope>(method, path, { token, body });
    if (reply.status >= 400) {
      assert.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_ERROR'], method);
      results.push({ fault: reply.body.error.details?.map((d) => d.path).join() ?? '' });
      continue;
    }
    const post = `/v1/blog/manage/posts/${String(reply.body['id'])}`;
    const stored = await service.ok(200, 'GET', post, { token });
    // Else its slug would be taken.
    if (method === 'POST') await service.ok(204, 'DELETE', post, { token });
    assert.deepEqual(stored[field], reply.body[field], 'what is answered is what is stored');
    results.push({ stored: stored[field] });
  }
  assert.deepEqual(results[0], results[1], 'POST and PATCH take the same');
  return results[0] as { stored: unknown };
}

interface Text {
  min: number;
  max: number;
  /** How it is stored. */
  trimmed?: true;
  nullable?: true;
  /** What fits, repeated, besides any character. */
  only?: string;
}

/** docs/blog.md, "Limits". Lengths are Unicode characters. */
const TEXTS: Record<string, Text> = {
  title: { min: 1, max: 200, trimmed: true },
  slug: { min: 1, max: 120, only: 'a' },
  excerpt: { min: 0, max: 500, trimmed: true },
  body: { min: 0, max: 1_000_000 },
  category: { min: 1, max: 60, trimmed: true },
  seoTitle: { min: 0, max: 200, nullable: true },
  seoDescription: { min: 0, max: 500, nullable: true },
  coverImageAlt: { min: 0, max: 300, nullable: true },
};

/** Characters of one to four bytes, and those that are easily lost. */
const CHARACTERS: Record<string, string> = {
  'of four bytes': '𝒯',
  emoji: '🎉',
  Hebrew: 'ש',
  'of three bytes': '語',
  'a mark that stands alone': '\u0301',
  'right-to-left override': '\u202e',
  'zero-width joiner': '\u200d',
  'not a character': '\uffff',
  quote: '"',
  backslash: '\\',
};
/** Beside PostgreSQL, which takes a whole body of each of them, PGlite takes one of these and some of the others. */
const FULL = ['𝒯', '"'];
const SOME = 2000;
/** The request would be larger than BODY_LIMIT_BYTES. */
const mostOf = (character: string, max: number): number =>
  Math.min(
    isSpread && !FULL.includes(character) ? Math.min(max, SOME) : max,
    Math.floor(2_000_000 / Buffer.byteLength(JSON.stringify(character).slice(1, -1))),
  );

for (const [field, { min, max, trimmed, nullable, only }] of Object.entries(TEXTS)) {
  describe(field, () => {
    const taken: [string, unknown, unknown?][] = [
      [`${max} characters`, (only ?? 'x').repeat(max)],
      ['one character', only ?? 'x'],
      ...(only === undefined
        ? Object.entries(CHARACTERS).map(([name, c]): [string, string] => [name, c.repeat(mostOf(c, max))])
        : []),
      ...(only === undefined ? [['lines', 'a\r\nb\tc'] as [string, string]] : []),
      ...(trimmed ? ([['spaces around', '\n a  b \t', 'a  b']] as [string, string, string][]) : []),
      ...(min === 0 ? ([['nothing', '']] as [string, string][]) : []),
      ...(nullable ? ([['null', null]] as [string, null][]) : []),
    ];
    const refused: [string, unknown][] = [
      [`${max + 1} characters`, (only ?? 'x').repeat(max + 1)],
      ...(min > 0
        ? ([
            ['nothing', ''],
            ['white space', ' \t\n\u00a0'],
          ] as [string, string][])
        : []),
      ...(max <= 500 && only === undefined
        ? ([['too many of four bytes', '🎉'.repeat(max + 1)]] as [string, string][])
        : []),
      ...(nullable ? [] : ([['null', null]] as [string, null][])),
      ['a number', 5],
      ['a truth', true],
      ['a list', ['x']],
      ['an object', { text: 'x' }],
      ['half a pair', 'a\ud83cb'],
      ['the other half', 'a\udf89b'],
    ];
    for (const [name, value, stored = value] of taken) {
      test(`takes ${name}`, async () => {
        const result = await write(field, value);
        assert.ok('stored' in result && result.stored === stored, `${field}: ${JSON.stringify(result).slice(0, 200)}`);
      });
    }
    // Before a database is asked.
    for (const [name, value] of spread(refused, 5)) {
      test(`refuses ${name}`, async () => assert.deepEqual(await write(field, value), { fault: `body.${field}` }));
    }
    test('refuses U+0000', async () => assert.deepEqual(await write(field, 'a\0b'), { fault: 'body' }));
  });
}

describe('slug', () => {
  for (const slug of ['A', 'a_b', '-a', 'a-', 'a--b', 'a b', 'á', '１', 'a/b', '.', 'a\n']) {
    test(`refuses ${JSON.stringify(slug)}`, async () =>
      assert.deepEqual(await write('slug', slug), { fault: 'body.slug' }));
  }
});

describe('coverImageUrl', () => {
  const url = (length: number) => `https://e.com/${'a'.repeat(length - 14)}`;
  for (const good of [url(2000), 'http://e.com', 'HTTPS://E.com/a?b=%20#c', 'https://[::1]:8080/', null]) {
    test(`takes ${String(good).slice(0, 30)}`, async () =>
      assert.deepEqual(await write('coverImageUrl', good), { stored: good }));
  }
  for (const bad of [
    url(2001),
    '',
    'ftp://e.com/a',
    'javascript:alert(1)',
    '//e.com/a',
    '/a.png',
    'https://',
    'http://[',
    'https://e.com/a b',
    'data:image/png;base64,AA',
    'https://e.com/ü',
    5,
    true,
    ['http://e.com'],
  ]) {
    test(`refuses ${JSON.stringify(bad).slice(0, 30)}`, async () =>
      assert.deepEqual(await write('coverImageUrl', bad), { fault: 'body.coverImageUrl' }));
  }
});

describe('tags', () => {
  const ten = Array.from({ length: 10 }, (_, i) => `${i}${'🎉'.repeat(39)}`);
  const cases: [string, unknown, unknown][] = [
    ['ten of forty characters', ten, { stored: ten }],
    ['none', [], { stored: [] }],
    ['what differs in case only', ['Å', 'å', ' Å ', 'b'], { stored: ['Å', 'b'] }],
    ['eleven', [...ten, 'x'], { fault: 'body.tags' }],
    [
      'forty-one characters, none and white space',
      ['a', 'x'.repeat(41), '', ' '],
      { fault: 'body.tags.1,body.tags.2,body.tags.3' },
    ],
    ['other types', [1, null, ['x']], { fault: 'body.tags.0,body.tags.1,body.tags.2' }],
    ['no list', 'a', { fault: 'body.tags' }],
    ['null', null, { fault: 'body.tags' }],
    ['half a pair', ['\ud83c'], { fault: 'body.tags.0' }],
    ['U+0000', ['\0'], { fault: 'body' }],
  ];
  for (const [name, tags, expected] of cases) {
    test(name, async () => assert.deepEqual(await write('tags', tags), expected));
  }
});

describe('featured', () => {
  for (const good of [true, false]) {
    test(`takes ${good}`, async () => assert.deepEqual(await write('featured', good), { stored: good }));
  }
  for (const bad of ['true', 1, 0, null, []]) {
    test(`refuses ${JSON.stringify(bad)}`, async () =>
      assert.deepEqual(await write('featured', bad), { fault: 'body.featured' }));
  }
});

describe('a field that is not writable', () => {
  for (const field of [
    'id',
    'status',
    'version',
    'author',
    'authorId',
    'publishedAt',
    'updatedAt',
    'likeCount',
    'bodyHtml',
    'Title',
    'constructor',
    '',
  ]) {
    test(`refuses ${field}`, async () => {
      const result = await write(field, field === 'version' ? 1 : 'x');
      assert.deepEqual(result, { fault: `body.${field}` });
    });
  }

  test('nor does a body that is no object, or that reaches for a prototype', async () => {
    for (const body of ['[]', '"x"', '5', 'null', '{"__proto__":{"title":"x"}}', '{"title":', '{title:1}']) {
      await service.refused('VALIDATION_ERROR', 'POST', '/v1/blog/manage/posts', { token, body });
    }
  });
});
