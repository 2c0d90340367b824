import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isSlug, nthSlug, SLUG_MAX, slugify, slugifyAny } from './slug.ts';

const anyText = fc.string({ unit: 'grapheme', maxLength: 400 });

describe('slugifyAny', () => {
  const cases: [string, string][] = [
    ['Привет, мир!', 'privet-mir'],
    ['Обзор Node 24', 'obzor-node-24'],
    ['Γειά σου Κόσμε', 'geia-soy-kosme'],
    ['你好，世界', 'ni-hao-shi-jie'],
    ['日本語のテスト', 'ri-ben-yu-notesuto'],
    ['안녕하세요 세계', 'annyeonghaseyo-segye'],
    ['مرحبا بالعالم', 'mrhb-bllm'],
    ['हिन्दी में', 'hindi-mem'],
    ['Crème brûlée à Łódź, ﬁne №5 ½', 'creme-brulee-a-lodz-fine-no5-1-2'],
    ['😀 ★ —', ''],
  ];
  for (const [text, slug] of cases) {
    test(`${text} → ${slug || '(nothing)'}`, () => assert.equal(slugifyAny(text), slug));
  }

  test('gives a slug or nothing, and the same as slugify of Latin text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const slug = slugifyAny(text);
        assert.ok(slug === '' || isSlug(slug), slug);
        assert.equal(slugifyAny(slug), slug);
      }),
    );
    const latin = fc.string({
      unit: fc.constantFrom('a', 'Z', 'é', ' ', 'ß', 'ø', 'Þ', '0', '-', '’', 'Ł', 'ı', 'Š', '½', 'ﬁ', '\u0301'),
      maxLength: 50,
    });
    fc.assert(fc.property(latin, (text) => assert.equal(slugifyAny(text), slugify(text))));
  });
});

describe('slugify', () => {
  const cases: [string, string][] = [
    ['Hello, World!', 'hello-world'],
    ['v0.10.10', 'v0-10-10'],
    ['Crème brûlée à la Jérémy', 'creme-brulee-a-la-jeremy'],
    ['Straße nach Łódź', 'strasse-nach-lodz'],
    ["Don't — ever", 'dont-ever'],
    ['ﬁne №5 ½', 'fine-no5-1-2'],
    ['日本語', ''],
    ['  --  ', ''],
    ['cve-2015-8027_cve-2015-6764', 'cve-2015-8027-cve-2015-6764'],
  ];
  for (const [text, slug] of cases) {
    test(`${text} → ${slug || '(nothing)'}`, () => assert.equal(slugify(text), slug));
  }

  test('cuts at a word', () => {
    const slug = slugify('word '.repeat(60));
    assert.equal(slug, 'word-'.repeat(24).slice(0, -1));
    assert.equal(slugify('x'.repeat(500)), 'x'.repeat(SLUG_MAX));
  });

  test('gives a slug or nothing, whatever it is given, and leaves a slug as it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const slug = slugify(text);
        assert.ok(slug === '' || isSlug(slug), slug);
        assert.equal(slugify(slug), slug);
      }),
    );
  });
});

test('nthSlug gives valid slugs that differ from one another', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{1,9}(-[a-z0-9]{1,9}){0,14}$/), (text) => {
      const base = slugify(text);
      const slugs = Array.from({ length: 120 }, (_, i) => nthSlug(base, i + 1));
      for (const slug of slugs) assert.ok(isSlug(slug), slug);
      assert.equal(new Set(slugs).size, slugs.length);
    }),
  );
});
