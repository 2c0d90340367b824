import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { readVersions } from '../../../platform/db/index.ts';
import { updatePost } from '../authoring/update-post.ts';
import { PUBLIC_POSTS_VERSION } from '../counts/counts.ts';
import { BlogFixture } from '../fixtures.ts';
import { lookUpWords } from './words-store.ts';
import { keepUpOnce } from './upkeep.ts';

const blog = new BlogFixture(await withDatabase());
const { db, env, run } = blog;
const ann = await blog.writer('Ann', 'EDITOR');

/** How often the upkeep of what is to be done drops ready-made replies. */
async function drops(): Promise<number> {
  const version = async () => (await readVersions(db, [PUBLIC_POSTS_VERSION])).get(PUBLIC_POSTS_VERSION) ?? 0;
  const before = await version();
  while (await keepUpOnce(db));
  return (await version()) - before;
}
await drops();

describe('ready-made replies are built anew', () => {
  test('for no draft, whatever is written into it', async () => {
    const { id } = await blog.draft(ann, { title: 'Draft', body: 'numbat' });
    assert.equal(await drops(), 0);
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { body: 'quokka' } }, env()));
    assert.equal(await drops(), 0);
  });

  test('for new words of a public or scheduled post, and for none that are known', async () => {
    const { id } = await blog.published(ann, { title: 'Public', body: 'tapir' });
    assert.equal(await drops(), 1);
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { body: 'tapir quokka' } }, env()));
    assert.equal(await drops(), 0);
    await blog.published(ann, { title: 'Public', body: 'wombat' }, '2099-01-01T00:00:00Z');
    assert.equal(await drops(), 1);
  });

  test('once for many posts whose rendering or document is of an older version', async () => {
    for (let i = 0; i < 35; i++) await blog.published(ann, { title: 'Public', body: 'tapir' });
    await drops();
    await sql`update post_bodies set html = 'old', html_version = 0`.execute(db);
    assert.equal(await drops(), 1);
    await sql`update post_search set version = 0`.execute(db);
    assert.equal(await drops(), 1);
    await sql`update post_bodies set html_version = 0`.execute(db);
    assert.equal(await drops(), 0, 'rendered as before');
  });
});

test('a word of a draft is counted for nothing, however often that is saved, and hides no word of a public post', async () => {
  const { id } = await blog.draft(ann, { title: 'Xylophone', excerpt: 'A draft', body: 'a' });
  for (const body of ['b', 'c', 'd']) {
    await run((trx) => updatePost(trx, { writer: ann, id, fields: { body } }, env()));
    await drops();
  }
  await blog.published(ann, { title: 'Xylem', excerpt: 'Public', body: 'e' });
  await drops();
  const { beginning } = await lookUpWords(db, { words: [], stems: [], start: 'xyl', most: 8, isLarge: false });
  assert.deepEqual(beginning, [
    { word: 'xylem', used: 1 },
    { word: 'xylophone', used: 0 },
  ]);
});

test('a word that is known goes on being counted, by the posts that have it in their head, and keeps what it may be mistaken for', async () => {
  const told = async () =>
    (await sql<{ used: number; near: string[] }>`select used, near from post_words where word = 'kakapo'`.execute(db))
      .rows[0];
  await blog.published(ann, { title: 'One', excerpt: 'Bird', body: 'kakapo' });
  await drops();
  const first = await told();
  assert.equal(first?.used, 0);
  assert.ok(first.near.includes('kkpo') && first.near.includes('kakapo'));
  await blog.published(ann, { title: 'Kakapo', excerpt: 'Bird', body: 'kakapo numbat' });
  await blog.published(ann, { title: 'Another kakapo', body: 'bird' });
  await blog.published(ann, { title: 'Three', excerpt: 'Bird', body: 'kakapo' });
  await drops();
  assert.deepEqual(await told(), { used: 2, near: first.near });
});

test('the most used words of a short beginning are found without a look at all of them', async () => {
  await sql`
    insert into post_words (word, used)
    select 'zz' || lpad(i::text, 5, '0'), case when i % 1000 = 0 then i else i % 3 end
    from generate_series(1, 20000) i`.execute(db);
  await sql`analyze post_words`.execute(db);
  const most = Array.from({ length: 8 }, (_, i) => `zz${(20 - i) * 1000}`.padStart(7, '0'));
  const wordsBeginning = async (start: string, limit: number, on = db) =>
    (await lookUpWords(on, { words: [], stems: [], start, most: limit, isLarge: true })).beginning.map(
      ({ word }) => word,
    );
  assert.deepEqual(await wordsBeginning('zz', 8), most);
  assert.deepEqual(await wordsBeginning('zz1900', 1), ['zz19000']);
  const plans: string[] = [];
  const explained = db.withPlugin({
    transformQuery: ({ node }) =>
      node.kind === 'RawNode' ? { ...node, sqlFragments: ['explain (analyze) ', ...node.sqlFragments.slice(1)] } : node,
    transformResult: async ({ result }) => (plans.push(JSON.stringify(result.rows)), result),
  });
  await wordsBeginning('zz', 8, explained).catch(() => undefined);
  assert.match(plans[0] ?? '', /post_words_rank/);
  assert.doesNotMatch(plans[0] ?? '', /Seq Scan/);
});
