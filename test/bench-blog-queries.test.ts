import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fillBlog } from '../bench/blog/data.ts';
import { materialOf } from '../bench/blog/material.ts';
import { BlogPlan } from '../bench/blog/plan.ts';
import { queriesOf } from '../bench/blog/queries.ts';
import { openPostgres } from '../src/platform/db/index.ts';
import { migratedPostgres, testDb } from './helpers/database.ts';

const texts = globSync('src/app/demo/posts/*.md')
  .toSorted()
  .map((file) => readFileSync(file, 'utf8'));
const plan = new BlogPlan(materialOf(texts, 30), { posts: 60, engaged: 1, hotComments: 1 }, Date.UTC(2026, 0, 15));

const onPostgres = { skip: testDb !== 'postgres' && 'the benchmark is of PostgreSQL' };

test('of a small blog those kinds can be measured that have full pages, or need none', onPostgres, async () => {
  const url = await migratedPostgres();
  const database = await openPostgres(url, 1);
  await fillBlog(database.db, plan);
  await database.close();
  const blog = { plan, url };
  await assert.rejects(queriesOf(blog, 2), /too few: no two tags, or no category and tag, have a page of them/);
  for (const [part, most] of [
    ['search: a word that is nowhere', 3],
    ['list, any page', 2],
  ] as const) {
    const kinds = await queriesOf(blog, 3, part);
    assert.deepEqual(
      kinds.map(([name, paths]) => [name, paths.length, new Set(paths).size]),
      [[part, most, most]],
    );
  }
});
