import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkdownPost } from './markdown-post.ts';

function slugsOf(yaml: string, path = 'a.md') {
  const item = readMarkdownPost(path, 'f', `---\n${yaml}\n---\nText`);
  return 'post' in item ? [item.post.slug ?? item.post.slugHint, ...(item.post.oldSlugs ?? [])] : [item.reason];
}

test('addresses are decoded before they become slugs', () => {
  assert.deepEqual(slugsOf('permalink: /2020/01/caf%C3%A9-au-lait/\naliases: [/a%20b.html, /100%/]'), [
    'cafe-au-lait',
    'a-b',
    '100',
  ]);
  assert.deepEqual(slugsOf('slug: /x/%C3%A9t%C3%A9'), ['ete']);
});
