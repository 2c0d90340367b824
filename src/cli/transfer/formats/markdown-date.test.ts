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
    ['visibility: members', 'visibility members: imported as a draft'],
    ['status: published\nvisibility: private', 'visibility private: imported as a draft'],
  ];
  for (const [yaml, note] of cases) assert.deepEqual(told(`date: 2020-01-01\n${yaml}`), [undefined, note], yaml);
  for (const yaml of ['publish', 'Published', 'public', '[published]', '""'].map((value) => `status: ${value}`)) {
    assert.deepEqual(told(`date: 2020-01-01\n${yaml}\nvisibility: public`), [DAY], yaml);
  }
  assert.deepEqual(told('date: 2020-01-01\npassword: ""\nprivate: false'), [DAY]);
  assert.deepEqual(told('date: 2020-01-01\npassword: false'), [DAY]);
});
