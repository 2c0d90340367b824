import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';

const blog = new BlogFixture(await withDatabase());
const { db } = blog;
const ann = await blog.writer('Ann', 'AUTHOR');

/** Words that no two texts share, so that nothing is gained by packing them. */
const words = (n: number): string => Array.from({ length: n }, () => Math.random().toString(36).slice(2, 12)).join(' ');

test('what matches are ranked by is in the row, and only what is read of few is apart from it', async () => {
  await blog.published(ann, { title: words(12), excerpt: words(30), body: words(2000) });
  const { rows } = await sql<{ table: string }>`
    select reltoastrelid::regclass::text as "table" from pg_class where oid = 'post_search'::regclass`.execute(db);
  const { rows: apart } = await sql`
    select distinct chunk_id from ${sql.raw(rows[0]?.table ?? '')}`.execute(db);
  assert.equal(apart.length, 1, 'the document');
  const { rows: sizes } = await sql<{ head: number; document: number }>`
    select pg_column_size(head) as head, pg_column_size(document) as document from post_search`.execute(db);
  assert.ok((sizes[0]?.head ?? 0) > 500 && (sizes[0]?.document ?? 0) > 10_000, JSON.stringify(sizes));
});
