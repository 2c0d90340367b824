import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase } from '../../../../test/helpers/database.ts';
import { loadMigrations, migrate } from '../../../platform/db/index.ts';
import { listManagedPosts } from '../authoring/list-managed-posts.ts';
import { updatePost } from '../authoring/update-post.ts';
import { isTitleOfAnother } from '../checks/store.ts';
import { BlogFixture } from '../fixtures.ts';
import type { Writer } from '../rules.ts';
import { listRevisions } from './list-revisions.ts';

test('posts of before get their counts, their titles are found, and their first change is a revision', async () => {
  const database = await emptyDatabase();
  const blog = new BlogFixture(database);
  const { db, run, env } = blog;
  const migrations = await loadMigrations();
  const own = migrations.findIndex((m) => m.name.startsWith('0009-'));
  assert.ok(own > 0);
  await migrate(db, migrations.slice(0, own));
  const ann = { id: env().newId(), role: 'AUTHOR' } as const;
  const bob = { id: env().newId(), role: 'EDITOR' } as const;
  await sql`
    insert into users (id, name, created_at, updated_at)
    values (${ann.id}, 'Ann', now(), now()), (${bob.id}, 'Bob', now(), now())`.execute(db);
  const id = (n: number) => `01890000-0000-7000-8000-00000000000${n}`;
  const at = new Date('2026-01-01T00:00:00.000Z');
  for (const [n, author, published, archived] of [
    [1, ann, null, null],
    [2, ann, null, null],
    [3, bob, null, null],
    [4, bob, at, at],
    [5, ann, at, null],
  ] as const) {
    await sql`
      insert into posts (id, author_id, slug, title, category, published_at, archived_at, first_public_at, created_at, updated_at, changed_at)
      values (${id(n)}, ${author.id}, ${`s${n}`}, ${`Title ${n}`}, 'c', ${published}, ${archived}, ${published}, ${at}, ${at}, ${at})`.execute(
      db,
    );
    await sql`insert into post_bodies (post_id, body) values (${id(n)}, 'two words')`.execute(db);
    await sql`insert into post_slugs (slug, post_id) values (${`s${n}`}, ${id(n)})`.execute(db);
  }
  await sql`insert into post_counts (kind, key, name, count) values ('all', '', '', 1), ('author', ${ann.id}, '', 1)`.execute(
    db,
  );
  await migrate(db, migrations);

  const counts = async (writer: Writer) =>
    Object.values((await listManagedPosts(db, { writer, query: { page: 1, limit: 1 } }, env())).counts);
  assert.deepEqual(await counts(ann), [2, 0, 1, 0]);
  assert.deepEqual(await counts(bob), [3, 0, 1, 1]);
  assert.equal(await isTitleOfAnother(db, 'TITLE 5', id(1)), true);
  for (const n of [1, 5]) {
    await run((trx) => updatePost(trx, { writer: bob, id: id(n), fields: { body: 'new' } }, env()));
    const { data } = await listRevisions(db, { writer: bob, id: id(n), query: { page: 1, limit: 9 } });
    const { savedAt, savedBy, words, wasPublic, number } = data[0] ?? assert.fail('a revision');
    assert.deepEqual([number, savedAt, savedBy.name, words, wasPublic], [1, at.toISOString(), 'Ann', 2, n === 5]);
  }
});
