import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { BlogFixture } from '../fixtures.ts';
import { MARK } from './document.ts';
import { lookFrom } from './look.ts';
import { parseQuery } from './query.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env } = blog;
await blog.published(await blog.writer('Ann', 'EDITOR'), { title: 'A wombat', body: 'x' });

test('a look beside another is not made any more when nobody wants it', async () => {
  const statements: string[] = [];
  const watched = db.withPlugin({
    transformQuery: ({ node }) => (statements.push(JSON.stringify(node)), node),
    transformResult: async ({ result }) => result,
  });
  const options = { wanted: 50, most: 50, candidates: 50, posts: 1000, isLarge: false, before: { posts: 1, found: 1 } };
  const look = {
    query: parseQuery('wombat'),
    others: new Map(),
    state: MARK.public,
    marks: [],
    now: env().now,
    end: 'newest' as const,
    ...options,
  };
  const searches = () => statements.filter((text) => text.includes('with candidates')).length;
  const beside = new AbortController();
  const { matches } = await lookFrom(watched, { ...look, signal: beside.signal });
  assert.deepEqual([matches.length, searches()], [1, 1]);
  beside.abort();
  const ended = await lookFrom(watched, { ...look, signal: beside.signal });
  assert.deepEqual([ended.matches, ended.gaveUp, searches()], [[], true, 1]);
});
