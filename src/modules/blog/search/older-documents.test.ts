import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import { keepUpOnce } from './upkeep.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
const ann = await blog.writer('Ann', 'EDITOR');
/** What documents of version 3 had not: roots of the words within others. */
const ROOTS = ['thread', 'hook', 'pipelin', '^pipelin'];

test('words within others are found as they are in documents of an older version, and by their roots once these are made anew', async () => {
  await blog.published(ann, { title: 'Within the body', body: 'A frobnicator has worker_threads and async_hooks.' });
  await blog.published(ann, { title: 'About stream_pipelines', body: 'A frobnicator, too.' });
  while (await keepUpOnce(db));
  await sql`update post_search set version = 3, document = ts_delete(document, ${ROOTS}::text[])`.execute(db);
  const found = async (expected: Readonly<Record<string, string[]>>): Promise<void> => {
    for (const [q, titles] of Object.entries(expected)) {
      const { data } = await listPosts(db, { page: 1, limit: 20, q }, env());
      assert.deepEqual(
        data.map(({ title }) => title),
        titles,
        q,
      );
    }
  };
  const asTheyAre = {
    threads: ['Within the body'],
    pipelines: ['About stream_pipelines'],
    'frobnicator -threads': ['About stream_pipelines'],
  };
  await found({ ...asTheyAre, thread: [], pipeline: [] });
  while (await keepUpOnce(db));
  await found({ ...asTheyAre, thread: ['Within the body'], pipeline: ['About stream_pipelines'] });
});
