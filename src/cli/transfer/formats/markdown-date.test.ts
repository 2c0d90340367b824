import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkdownPost } from './markdown-post.ts';

/** When a file with this front matter is published, and what is noted. */
function told(yaml: string, path = 'a.md'): (string | undefined)[] {
  const item = readMarkdownPost(path, 'f', `---\n${yaml}\n---\nText`);
  return 'post' in item ? [item.post.publishedAt, ...item.notes] : [item.reason];
}

const DAY = '2020-01-01T00:00:00.000Z';

test('what not everybody could read is a draft', () => {
  const cases: [yaml: string, note: string][] = [
    ['password: x', 'has a password: imported as a draft'],
    ['password: 1234', 'has a password: imported as a draft'],
    ['private: true', 'private: imported as a draft'],
    ['private: yes', 'private: imported as a draft'],
    ['status: private', 'status private: imported as a draft'],
    ['status: Draft', 'status Draft: imported as a draft'],
    ['status: {a: b}', 'status : imported as a draft'],
    ['status: {name: public}', 'status : imported as a draft'],
    ['status: [publish, private]', 'status publish, private: imported as a draft'],
    ['status: [publish, {name: public}]', 'status publish, : imported as a draft'],
    ['status: []', 'status : imported as a draft'],
    ['private: [false, true]', 'private: imported as a draft'],
    ['draft: [false, true]', 'a draft'],
    ['published: [true, false]', 'a draft'],
    ['visibility: members', 'visibility members: imported as a draft'],
    ['status: published\nvisibility: private', 'visibility private: imported as a draft'],
  ];
  for (const [yaml, note] of cases) assert.deepEqual(told(`date: 2020-01-01\n${yaml}`), [undefined, note], yaml);
  for (const yaml of ['publish', 'Published', 'public', '[published]', '[public, publish]', '""'].map(
    (value) => `status: ${value}`,
  )) {
    assert.deepEqual(told(`date: 2020-01-01\n${yaml}\nvisibility: public`), [DAY], yaml);
  }
  assert.deepEqual(told('date: 2020-01-01\npassword: ""\nprivate: false'), [DAY]);
  assert.deepEqual(told('date: 2020-01-01\npassword: false'), [DAY]);
});

test('what its system lists nowhere, or makes no page of, is a draft', () => {
  const none = 'no page was made of it: imported as a draft';
  for (const [yaml, note] of [
    ['publish: false', 'a draft'],
    ['hidden: true', 'hidden: imported as a draft'],
    ['unlisted: true', 'unlisted: imported as a draft'],
    ['headless: true', 'headless: imported as a draft'],
    ['permalink: false', none],
    ['_build: {render: false}', none],
    ['build:\n  list: never', none],
  ] as const)
    assert.deepEqual(told(`date: 2020-01-01\n${yaml}`), [undefined, note], yaml);
  for (const yaml of ['publish: true', 'hidden: false', 'permalink: /a/', 'build: {list: always, render: true}'])
    assert.deepEqual(told(`date: 2020-01-01\n${yaml}`), [DAY], yaml);
});

test('dates may be written in many ways, and one that is none is named by its field', () => {
  for (const date of ['2020-1-1', '2020/01/01', '2020-01-01 0:00:00', '2020-01-01 00:00:00 UTC'])
    assert.deepEqual(told(`date: ${date}`), [DAY], date);
  assert.deepEqual(told('date: soon'), ['date is not a date: soon']);
  assert.deepEqual(told('pubDate: x\ndate: 2020-01-01'), ['pubdate is not a date: x']);
  assert.deepEqual(told('date: 2020-01-01\nlastmod: x'), ['lastmod is not a date: x']);
});

test('the date in the name of a file is none of its slug, and the slug none of its date', () => {
  const dated = (path: string) => {
    const item = readMarkdownPost(path, 'f', 'Text');
    return 'post' in item ? [item.post.publishedAt, item.post.slugHint] : [];
  };
  for (const path of ['2020-1-1-a.md', '2020-01-01-a.md', '2020-1-01-a/index.md'])
    assert.deepEqual(dated(path), [DAY, 'a'], path);
  assert.deepEqual(dated('2020-13-1-a.md'), [undefined, '2020-13-1-a']);
});

test('a file whose fields have no mark before them, which may make it a draft, is one', () => {
  const read = (text: string) => {
    const item = readMarkdownPost('2020-01-01-a.md', 'f', text);
    return 'post' in item ? [item.post.publishedAt, ...item.notes] : [item.reason];
  };
  const note = 'its fields have no mark before them and stand in the text: imported as a draft';
  for (const text of [
    'Title: A\nDate: 2020-01-01\nStatus: hidden\n\nText',
    '\nTitle: A\nSummary: b\n    c\nStatus: draft\n\nText',
    'title: A\ntags:\n- a\npublished: false\n---\nText',
    '"title": "A",\n"published": false\n;;;\nText',
  ])
    assert.deepEqual(read(text), [undefined, note], text);
  for (const text of ['Note: text', 'Title: a book\nthat I read', 'Where: here\nWhen: now\n\nText', 'Text\n\nTitle: A'])
    assert.deepEqual(read(text), [DAY], text);
});

test('the year 1 of Hugo is no date', () => {
  const none = '0001-01-01T00:00:00Z';
  assert.deepEqual(told(`date: ${none}`), [undefined, 'no date: imported as a draft']);
  assert.deepEqual(told(`date: ${none}`, '2020-01-01-a.md'), [DAY]);
  assert.deepEqual(told(`publishDate: ${none}\ndate: 2020-01-01\nexpiryDate: ${none}`), [DAY]);
  assert.deepEqual(told('date: 2020-01-01\nexpiryDate: never'), [
    undefined,
    'is not shown for ever: imported as a draft',
  ]);
  const item = readMarkdownPost('a.md', 'f', `+++\ndate = 2020-01-01\nlastmod = ${none}\n+++\nText`);
  assert.ok('post' in item && item.post.updatedAt === undefined);
});
