import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql } from 'kysely';
import { addAuthors, fillBlog } from '../bench/blog/data.ts';
import { addReaders, readerId } from '../bench/blog/engagement.ts';
import { materialOf } from '../bench/blog/material.ts';
import { AUTHORS, BlogPlan, type PlannedPost } from '../bench/blog/plan.ts';
import type { Authors } from '../bench/blog/row.ts';
import { findOrCreateAuthor } from '../src/modules/accounts/index.ts';
import { createComment } from '../src/modules/blog/comments/create-comment.ts';
import { commitBatch } from '../src/modules/blog/engagement/commit-batch.ts';
import { importPosts } from '../src/modules/blog/index.ts';
import { keepUpOnce } from '../src/modules/blog/search/upkeep.ts';
import { type Db, inTransaction } from '../src/platform/db/index.ts';
import { testDb, withDatabase } from './helpers/database.ts';

const NOW = Date.UTC(2026, 0, 15);
const texts = globSync('src/app/demo/posts/*.md')
  .toSorted()
  .map((file) => readFileSync(file, 'utf8'));
const plan = new BlogPlan(materialOf(texts, 30), { posts: 200, engaged: 12, hotComments: 25 }, NOW);

/** Differ by when or by whom things were done, and hold nothing of the blog; changes of addresses are forgotten after a time. */
const OTHERS = ['change_versions', 'schema_migrations', 'post_imports', 'post_index_changes', 'post_index_clock'];
const LOCK = { waitMs: 1000, skipLocked: false };

/** Every table with its rows; a trend, being a sum of logarithms, to six places. */
async function contentOf(db: Db): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() order by 1`.execute(db);
  const content: Record<string, unknown[]> = {};
  for (const { name } of tables.filter((table) => !OTHERS.includes(table.name))) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(name)} t order by to_jsonb(t)::text collate "C"`.execute(db);
    content[name] = rows.map(({ row }) =>
      typeof row['trend'] === 'number' ? { ...row, trend: row['trend'].toFixed(6) } : row,
    );
  }
  return content;
}

const indexesOf = async (db: Db) =>
  (await sql`select indexdef from pg_indexes where schemaname = current_schema() order by indexdef`.execute(db)).rows;

async function importOne(db: Db, post: PlannedPost, authors: Authors): Promise<void> {
  const {
    author,
    body,
    publishedAt,
    archivedAt,
    firstPublicAt: _f,
    updatedAt: _u,
    changedAt,
    createdAt,
    ...rest
  } = post;
  const item = {
    ...rest,
    source: post.slug,
    body: plan.material.bodies[body],
    author: AUTHORS[author],
    createdAt: createdAt.toISOString(),
    ...(publishedAt ? { publishedAt: publishedAt.toISOString() } : {}),
    ...(archivedAt ? { archivedAt: archivedAt.toISOString() } : {}),
  };
  const writer = { id: (authors[0] as { id: string }).id, role: 'EDITOR' } as const;
  const env = { now: changedAt, newId: () => assert.fail('it has an id'), requestId: 'test' };
  const [result] = await inTransaction(db, (trx) =>
    importPosts(trx, { writer, posts: [item] }, env, { findOrCreateAuthor }),
  );
  assert.equal(result?.outcome, 'created', result?.reason ?? '');
}

/** The same blog, made post by post, comment by comment and like by like by what serves the requests. */
async function byTheService(db: Db): Promise<void> {
  const authors = await addAuthors(db, NOW);
  await addReaders(db, plan);
  for (const post of plan.posts()) await importOne(db, post, authors);
  while (await keepUpOnce(db));
  for (const { id, post, reader, parent, body, at } of plan.comments()) {
    const author = { id: readerId(plan, reader), name: 'Reader', blogRole: null };
    const input = { slug: post.slug, author, body, parentId: parent?.id };
    const env = { now: at, newId: () => id, requestId: 'test' };
    const isHeld = () => assert.fail('it is held');
    const deps = { publish: isHeld, marketplaceId: isHeld, counted: () => undefined };
    await inTransaction(db, (trx) => createComment(trx, input, env, deps));
  }
  for (const { post, likes, views } of plan.activities()) {
    for (const { reader, at } of likes) {
      await commitBatch(db, [{ action: { kind: 'like', slug: post.slug, userId: readerId(plan, reader) } }], at, LOCK);
    }
    for (const { at, count } of views) {
      const seen = Array.from({ length: count }, () => ({ action: { kind: 'view', slug: post.slug } }) as const);
      await commitBatch(db, seen, at, LOCK);
    }
  }
}

const onPostgres = { skip: testDb !== 'postgres' && 'the benchmark is of PostgreSQL' };

test(
  'the blog of the benchmark has, in every table, the rows that the service would have written',
  onPostgres,
  async () => {
    const { db } = await withDatabase();
    const indexes = await indexesOf(db);
    await fillBlog(db, plan);
    assert.deepEqual(await indexesOf(db), indexes);
    const { db: other } = await withDatabase();
    await byTheService(other);
    const [filled, written] = [await contentOf(db), await contentOf(other)];
    assert.equal(filled['posts']?.length, 200);
    assert.deepEqual(Object.keys(filled), Object.keys(written));
    for (const table of Object.keys(written)) assert.deepEqual(filled[table], written[table], table);
  },
);
