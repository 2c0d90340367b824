import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { ExportedPost } from '../../../modules/blog/index.ts';
import { exportedFile } from './exported-post.ts';
import { readMarkdownPost } from './markdown-post.ts';
import { readNdjson } from './read-ndjson.ts';

const POST: ExportedPost = {
  id: '0198c7a0-0000-7000-8000-000000000001',
  title: 'A title',
  slug: 'a-title',
  oldSlugs: [],
  excerpt: '',
  coverImageUrl: null,
  coverImageAlt: null,
  category: 'News',
  tags: [],
  seoTitle: null,
  seoDescription: null,
  featured: false,
  publishedAt: '2020-01-02T03:04:05.678Z',
  archivedAt: null,
  firstPublicAt: '2020-01-02T03:04:05.678Z',
  createdAt: '2020-01-01T00:00:00.000Z',
  updatedAt: '2020-01-02T00:00:00.000Z',
  author: 'Ann',
  authorEmail: null,
  body: 'Text.\n',
};

/** What an import is sent of a post: every value as it is, without those that say nothing. */
const expected = (post: ExportedPost) => ({
  ...Object.fromEntries(
    Object.entries(post).filter(
      ([field, value]) =>
        value !== null &&
        (value !== '' || ['coverImageAlt', 'seoTitle', 'seoDescription'].includes(field)) &&
        value !== false &&
        !(Array.isArray(value) && value.length === 0),
    ),
  ),
  source: `posthorn/${post.id}`,
});
const fromFile = (post: ExportedPost) => readMarkdownPost('any.md', 'f', exportedFile(post).text);
async function fromLine(post: ExportedPost) {
  const chunks = (async function* () {
    yield Buffer.from(`${JSON.stringify(post)}\n`);
  })();
  return (await Array.fromAsync(readNdjson(chunks, 'f')))[0];
}

/** Text as the database holds it: no NUL, no half of a surrogate pair. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom(
      '---',
      '---\n',
      'yes',
      'null',
      '~',
      '2020-01-01',
      '0x10',
      '1e3',
      '- a',
      '# x',
      'a: b',
      '&a',
      '*a',
      '!x',
      '%',
      '"',
      "'",
      '\r\n',
      '\n\n x',
      '\t',
      '\u0085',
      '\u2028',
      '\ufeff',
      '  two  spaces ',
      'x'.repeat(200),
      '\u{1f600}',
      '{{ x }}',
    ),
  )
  .map((value) => value.replaceAll('\0', '').toWellFormed());
const filled = text.filter((value) => value !== '');

const post: fc.Arbitrary<ExportedPost> = fc.record({
  ...Object.fromEntries(Object.entries(POST).map(([field, value]) => [field, fc.constant(value)])),
  title: fc.option(filled),
  excerpt: text,
  coverImageAlt: fc.option(text),
  category: fc.option(filled),
  tags: fc.array(filled, { maxLength: 10 }),
  oldSlugs: fc.array(fc.constantFrom('a', '2020', 'null', 'x-y'), { maxLength: 3 }),
  seoTitle: fc.option(text),
  seoDescription: fc.option(text),
  featured: fc.boolean(),
  author: filled,
  body: text,
}) as fc.Arbitrary<ExportedPost>;

describe('an exported post comes back exactly', () => {
  test('from a Markdown file', () => {
    fc.assert(
      fc.property(post, (one) => {
        const read = fromFile(one);
        assert.deepEqual(read, { post: expected(one), notes: [] });
      }),
      { numRuns: 500 },
    );
  });

  test('from a line of NDJSON', async () => {
    await fc.assert(
      fc.asyncProperty(post, async (one) => {
        assert.deepEqual(await fromLine(one), { post: expected(one), notes: [] });
      }),
    );
  });

  test('also a draft, an archived post, and one with a thousand old slugs', () => {
    const draft = { ...POST, slug: null, publishedAt: null, firstPublicAt: null };
    assert.match(exportedFile(draft).text, /^---\nposthorn: 1\ndraft: true\n/);
    assert.deepEqual(fromFile(draft), { post: expected(draft), notes: [] });
    const archived = { ...POST, archivedAt: '2021-01-01T00:00:00.000Z' };
    assert.deepEqual(fromFile(archived), { post: expected(archived), notes: [] });
    const renamed = { ...POST, oldSlugs: Array.from({ length: 1000 }, (_, n) => `${n}-${'x'.repeat(110)}`) };
    assert.deepEqual(fromFile(renamed), { post: expected(renamed), notes: [] });
  });
});

test('the file is what people expect', () => {
  const full = { ...POST, tags: ['One', 'Two: 2'], featured: true, coverImageUrl: 'https://example.com/a.png' };
  assert.equal(
    exportedFile(full).text,
    `---
posthorn: 1
id: "0198c7a0-0000-7000-8000-000000000001"
title: "A title"
slug: "a-title"
coverImageUrl: "https://example.com/a.png"
category: "News"
tags:
  - "One"
  - "Two: 2"
featured: true
publishedAt: "2020-01-02T03:04:05.678Z"
firstPublicAt: "2020-01-02T03:04:05.678Z"
createdAt: "2020-01-01T00:00:00.000Z"
updatedAt: "2020-01-02T00:00:00.000Z"
author: "Ann"
---

Text.
`,
  );
});

describe('an exported file that was edited by hand', () => {
  const edited = (more: string) => {
    const read = readMarkdownPost('any.md', 'f', exportedFile(POST).text.replace('title: "A title"', more));
    assert.ok('post' in read, JSON.stringify(read));
    return read;
  };

  test('may have dates as people write them, and is told what is not known', () => {
    assert.equal(edited('title: x\narchivedAt: 2021-02-03').post.archivedAt, '2021-02-03T00:00:00.000Z');
    assert.deepEqual(edited('titel: x').notes, ['field titel is not known: left out']);
    assert.equal(edited('draft: true').post.publishedAt, undefined);
    const { publishedAt, archivedAt } = edited('draft: true\narchivedAt: 2021-02-03').post;
    assert.deepEqual([publishedAt, archivedAt], [undefined, undefined], 'the service refuses one without the other');
  });

  test('with the line ends of another system has the text in ours', () => {
    const read = readMarkdownPost('any.md', 'f', exportedFile({ ...POST, body: 'a\nb' }).text.replaceAll('\n', '\r\n'));
    assert.equal('post' in read && read.post.body, 'a\nb');
  });

  test('of a later form is refused', () => {
    const read = readMarkdownPost('a.md', 'f', exportedFile(POST).text.replace('posthorn: 1', 'posthorn: 2'));
    assert.match('reason' in read ? read.reason : '', /form that is not known/);
  });
});
