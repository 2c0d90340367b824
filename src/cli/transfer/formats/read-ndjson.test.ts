import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNdjson } from './read-ndjson.ts';

const chunks = async function* (...records: unknown[]) {
  for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
};
const read = async (...records: unknown[]) =>
  (await Array.fromAsync(readNdjson(chunks(...records), 'f'))).map((item) =>
    'post' in item
      ? [item.post.source, item.post.comments?.map((c) => c.id).join('')]
      : `${item.source}: ${item.reason}`,
  );
const post = (id: string, more: object = {}) => ({ id, title: 'T', ...more });
const comments = (commentsOf: string, ...ids: string[]) => ({
  commentsOf,
  comments: ids.map((id) => ({ id, body: 'x', author: 'A', createdAt: '2020-01-01T00:00:00Z', status: 'VISIBLE' })),
});

test('comments go to the post before them', async () => {
  const own = comments('p', 'a').comments;
  assert.deepEqual(await read(post('p', { comments: own }), comments('p', 'b', 'c'), comments('p', 'd'), post('q')), [
    ['posthorn/p', 'abcd'],
    ['posthorn/q', undefined],
  ]);
});

test('comments that follow another post, or are none, fail by themselves', async () => {
  const lost = 'comments that do not follow their post';
  assert.deepEqual(
    await read(comments('p', 'a'), post('p'), comments('q', 'b'), comments('p', 'c'), { commentsOf: 'p' }, null),
    [
      `f, line 1: ${lost}`,
      `f, line 3: ${lost}`,
      ['posthorn/p', 'c'],
      'f, line 5: no comments of a post',
      'f, line 6: no JSON object',
    ],
  );
});

test('a post with more comments than are held comes again with the rest', async () => {
  const many = (id: string) => ({ commentsOf: 'p', comments: [{ id, body: 'x'.repeat(6_000_000) }] });
  assert.deepEqual(await read(post('p'), many('a'), many('b'), many('c'), post('q')), [
    ['posthorn/p', 'ab'],
    ['posthorn/p', 'c'],
    ['posthorn/q', undefined],
  ]);
});
