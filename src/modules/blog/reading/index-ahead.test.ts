import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { systemClock } from '../../../lib/clock.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture } from '../fixtures.ts';
import { isGone } from '../pages/store.ts';
import { getIndex, getIndexSince } from './get-index.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db, clock } = blog;
const editor = await blog.writer('Eve', 'EDITOR');

const YEAR_MS = 365 * 86_400_000;
/** The database has the time of the machine, and so has the node. */
const onTime = () => clock.set(systemClock.now());
onTime();

const told = async (asOf: string) => {
  onTime();
  const reply = await getIndexSince(db, new Date(asOf), env());
  return reply === null ? 'all' : { asOf: reply.asOf, shown: reply.data.map(({ slug }) => slug) };
};

test('a change by a clock that is a year ahead is told once, as are all that follow it', async () => {
  const { id } = await blog.published(editor, { slug: 'a' });
  const ahead = { ...env(), now: new Date(clock.now() + YEAR_MS) };
  await run((trx) => updatePost(trx, { writer: editor, id, fields: { body: 'Edited.' } }, ahead));
  onTime();
  let { asOf } = await getIndex(db, env());
  for (const slug of ['b', 'c']) {
    await blog.published(editor, { slug });
    const reply = await told(asOf);
    assert.ok(reply !== 'all');
    assert.deepEqual(reply.shown, [slug]);
    asOf = reply.asOf;
  }
});

test('an index clock that is there already is put back, and who asked by it gets everything', async () => {
  const gone = await blog.published(editor, { slug: 'gone' });
  await run((trx) => deletePost(trx, { writer: editor, id: gone.id }, env()));
  await sql`update post_index_clock set changed_at = now() + interval '1 year'`.execute(db);
  await sql`
    update post_index_changes set changed_at = now() + interval '1 year',
      removed_at = removed_at + interval '1 year'`.execute(db);
  const { asOf } = await getIndex(db, env());
  const later = new Date(clock.now() + YEAR_MS).toISOString();
  await blog.published(editor, { slug: 'd' });
  assert.deepEqual([await told(asOf), await told(later)], ['all', 'all']);
  // A minute later.
  await sql`update post_index_clock set kept_since = kept_since - interval '1 minute'`.execute(db);
  const next = (await getIndex(db, env())).asOf;
  await blog.published(editor, { slug: 'e' });
  const reply = await told(next);
  assert.deepEqual(reply === 'all' ? reply : reply.shown, ['e']);
  assert.equal(await isGone(db, 'gone', env().now), true);
  const { rows: left } = await sql<{ slug: string }>`
    select slug from post_index_changes where removed_at is not null`.execute(db);
  assert.deepEqual(left, [{ slug: 'gone' }]);
  const { rows } = await sql<{ at: Date }>`
    select greatest(max(changed_at), max(removed_at)) as at from post_index_changes`.execute(db);
  assert.ok((rows[0]?.at.getTime() ?? Infinity) <= systemClock.now() + 60_000);
});
