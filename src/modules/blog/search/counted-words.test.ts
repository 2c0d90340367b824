import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, COMPLETE } from '../fixtures.ts';
import { listPosts } from '../reading/list-posts.ts';
import { keepUpOnce } from './upkeep.ts';

const blog = new BlogFixture(await withDatabase());
const { db, run, env } = blog;
const writer = await blog.writer('Eve', 'EDITOR');
const keepUp = async (): Promise<void> => {
  while (await keepUpOnce(db));
};

/** Words by how many posts they are counted for. */
async function counted(...words: string[]): Promise<number[]> {
  await keepUp();
  const { rows } = await sql<{ word: string; used: number }>`
    select word, used from post_words where word = any(${words}::text[])`.execute(db);
  return words.map((word) => rows.find((row) => row.word === word)?.used ?? -1);
}

test('a draft that is saved often does not hide the posts of words that begin alike, nor does its deletion', async () => {
  for (const part of ['a', 'b', 'c']) await blog.published(writer, { title: `Relics, part ${part}`, tags: ['relics'] });
  const found = async (): Promise<number> => {
    await keepUp();
    return (await listPosts(db, { q: 'rel', page: 1, limit: 20 }, env())).total;
  };
  assert.equal(await found(), 3);
  const title = 'Release relative relay reload relocation relish rely relight';
  const { id } = await blog.draft(writer, { title });
  for (let i = 0; i < 6; i++) {
    blog.clock.advance(5000);
    await run((trx) => updatePost(trx, { writer, id, autosave: true, fields: { body: `text ${i}` } }, env()));
    assert.equal(await found(), 3);
  }
  await run((trx) => deletePost(trx, { writer, id }, env()));
  assert.equal(await found(), 3);
});

test('a word is counted for each post that readers see, or will, as long as they do and it has the word', async () => {
  const { id } = await blog.draft(writer, { ...COMPLETE, title: 'Kakapo numbat' });
  const on = { writer, id };
  assert.deepEqual(await counted('kakapo', 'numbat'), [0, 0], 'a draft');
  await run((trx) => publishPost(trx, { ...on, at: '2099-01-01T00:00:00Z' }, env()));
  assert.deepEqual(await counted('kakapo', 'numbat'), [1, 1], 'scheduled');
  await run((trx) => publishPost(trx, on, env()));
  await run((trx) => updatePost(trx, { ...on, fields: { body: 'Other.' } }, env()));
  const other = await blog.published(writer, { title: 'Kakapo' });
  assert.deepEqual(await counted('kakapo', 'numbat'), [2, 1], 'public');
  await run((trx) => updatePost(trx, { ...on, fields: { title: 'Kakapo quokka' } }, env()));
  assert.deepEqual(await counted('kakapo', 'numbat', 'quokka'), [2, 0, 1], 'without a word');
  await run((trx) => unpublishPost(trx, on, env()));
  assert.deepEqual(await counted('kakapo', 'quokka'), [1, 0], 'archived');
  await run((trx) => deletePost(trx, { writer, id: other.id }, env()));
  await run((trx) => deletePost(trx, on, env()));
  assert.deepEqual(await counted('kakapo', 'quokka'), [0, 0], 'deleted');
  const { rows } = await sql`select from post_head_words where post_id is null`.execute(db);
  assert.deepEqual(rows, []);
});

test('upkeep counts all posts anew, some at a time, as a migration asks for it', async () => {
  for (let i = 0; i < 25; i++) await blog.published(writer, { title: 'Wombat' });
  assert.deepEqual(await counted('wombat'), [25]);
  const recount = sql`
    insert into post_words_recount (after) values ('00000000-0000-0000-0000-000000000000')`;
  await recount.execute(db);
  assert.deepEqual(await counted('wombat'), [25], 'none twice');
  await sql`delete from post_head_words`.execute(db);
  await sql`update post_words set used = 0`.execute(db);
  await recount.execute(db);
  assert.deepEqual(await counted('wombat', 'relics'), [25, 3]);
  const { rows } = await sql`select from post_words_recount`.execute(db);
  assert.deepEqual(rows, [], 'it has an end');
});
