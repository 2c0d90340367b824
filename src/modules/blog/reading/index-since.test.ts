import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { AppError } from '../../../contracts/errors.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { forgetOnce, KEPT_MS } from '../addresses/forget-changes.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { publishPost } from '../authoring/publish-post.ts';
import { unpublishPost } from '../authoring/unpublish-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { BlogFixture, COMPLETE } from '../fixtures.ts';
import type { IndexEntry, PostIndex, WritablePost } from '../schemas.ts';
import { getIndex, getIndexSince } from './get-index.ts';

const blog = new BlogFixture(await withDatabase());
const { run, env, db, clock } = blog;
const writer = await blog.writer('Eve', 'EDITOR');

const later = (ms: number) => new Date(clock.now() + ms).toISOString();
const publish = (id: string, at?: string) => run((trx) => publishPost(trx, { writer, id, at }, env()));
const unpublish = (id: string) => run((trx) => unpublishPost(trx, { writer, id }, env()));
const edit = (id: string, fields: WritablePost) => run((trx) => updatePost(trx, { writer, id, fields }, env()));
const remove = (id: string) => run((trx) => deletePost(trx, { writer, id }, env()));
const everythingSince = (asOf: string) => getIndexSince(db, new Date(asOf), env());
async function since(asOf: string): Promise<PostIndex> {
  const reply = await everythingSince(asOf);
  assert.ok(reply, 'the changes are known');
  return reply;
}

/** What is asked for at a time at which nothing else has that time. */
async function asOfNow(): Promise<string> {
  clock.advance(10_000);
  return (await getIndex(db, env())).asOf;
}
const slugs = ({ data }: PostIndex) => data.map((entry) => entry.slug);
const gone = ({ removed = [] }: PostIndex) => removed.map((entry) => entry.slug);

describe('the index since a time', () => {
  test('has what was published and edited, and nothing else', async () => {
    await blog.published(writer, { slug: 'before' });
    const asOf = await asOfNow();
    const empty = await since(asOf);
    assert.deepEqual(empty, { total: 0, data: [], asOf, full: false, removed: [] });
    const { id } = await blog.published(writer, { slug: 'first' });
    const reply = await since(asOf);
    assert.deepEqual([slugs(reply), gone(reply), reply.full, reply.total], [['first'], [], false, 1]);
    const next = await asOfNow();
    assert.deepEqual(slugs(await since(next)), []);
    await edit(id, { title: 'Another' });
    const [entry] = (await since(next)).data;
    assert.deepEqual(entry, {
      slug: 'first',
      publishedAt: new Date(clock.now() - 10_000).toISOString(),
      updatedAt: later(0),
    });
  });

  test('names addresses that were unpublished, deleted and renamed', async () => {
    const [a, b, c] = [
      await blog.published(writer, { slug: 'to-archive' }),
      await blog.published(writer, { slug: 'to-delete' }),
      await blog.published(writer, { slug: 'to-rename' }),
    ];
    const asOf = await asOfNow();
    await unpublish(a.id);
    clock.advance(1000);
    await remove(b.id);
    clock.advance(1000);
    await edit(c.id, { slug: 'renamed' });
    const reply = await since(asOf);
    assert.deepEqual(slugs(reply), ['renamed']);
    assert.deepEqual(reply.removed, [
      { slug: 'to-rename', removedAt: later(0) },
      { slug: 'to-delete', removedAt: later(-1000) },
      { slug: 'to-archive', removedAt: later(-2000) },
    ]);
    assert.deepEqual(gone(await since(await asOfNow())), []);
  });

  test('does not tell of an address that was never public', async () => {
    const asOf = await asOfNow();
    const { id } = await blog.draft(writer, { ...COMPLETE, slug: 'secret' });
    await publish(id, later(60_000));
    const told = async () => [slugs(await since(asOf)), gone(await since(asOf))].flat();
    assert.deepEqual(await told(), []);
    await edit(id, { slug: 'other-secret' });
    await unpublish(id);
    await remove(id);
    clock.advance(120_000);
    assert.deepEqual(await told(), []);
  });

  test('has what became public by its date, and names it when it goes', async () => {
    const { id } = await blog.draft(writer, { ...COMPLETE, slug: 'scheduled' });
    await publish(id, later(60_000));
    const asOf = await asOfNow();
    assert.deepEqual(slugs(await since(asOf)), []);
    clock.advance(60_000);
    assert.deepEqual(slugs(await since(asOf)), ['scheduled']);
    await unpublish(id);
    const reply = await since(asOf);
    assert.deepEqual([slugs(reply), gone(reply)], [[], ['scheduled']]);
  });

  test('names an address that came back as public only', async () => {
    const { id } = await blog.published(writer, { slug: 'back' });
    const asOf = await asOfNow();
    await unpublish(id);
    await publish(id);
    const reply = await since(asOf);
    assert.deepEqual([slugs(reply), gone(reply)], [['back'], []]);
    await remove(id);
    await blog.published(writer, { slug: 'back' });
    const after = await since(asOf);
    assert.deepEqual([slugs(after), gone(after)], [['back'], []]);
  });

  test('is not known once the changes after that time are forgotten', async () => {
    const { id } = await blog.published(writer, { slug: 'forgotten' });
    const asOf = await asOfNow();
    await remove(id);
    clock.advance(KEPT_MS - 1);
    const kept = await asOfNow();
    assert.deepEqual(gone(await since(asOf)), ['forgotten']);
    assert.equal(await forgetOnce(db, new Date(clock.now())), false);
    assert.equal(await everythingSince(asOf), null);
    assert.equal((await since(kept)).full, false);
  });

  test('tells of a change by a node whose clock is behind', async () => {
    const asOf = await asOfNow();
    await blog.published(writer, { slug: 'by-one' });
    const next = (await since(asOf)).asOf;
    clock.advance(-30_000);
    await blog.published(writer, { slug: 'by-one-behind' });
    clock.advance(30_000);
    assert.deepEqual(slugs(await since(next)), ['by-one-behind']);
  });

  test('tells a node whose clock is behind of nothing that it does not see yet', async () => {
    const { id } = await blog.draft(writer, { ...COMPLETE, slug: 'between' });
    await publish(id, later(20_000));
    clock.advance(30_000);
    await blog.published(writer, { slug: 'by-one-ahead' });
    clock.advance(-20_000);
    const { asOf } = await getIndex(db, env());
    clock.advance(20_000);
    assert.ok(slugs(await since(asOf)).includes('between'));
  });
});

test('a change that commits after a later one was seen is not lost', onlyPostgres, async () => {
  const asOf = await asOfNow();
  const slow = await blog.draft(writer, { ...COMPLETE, slug: 'slow' });
  const quick = await blog.draft(writer, { ...COMPLETE, slug: 'quick' });
  const slowEnv = env();
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slowly = inTransaction(db, async (trx) => {
    await publishPost(trx, { writer, id: slow.id }, slowEnv);
    begun.resolve();
    await mayEnd.promise;
  });
  await begun.promise;
  clock.advance(5000);
  const quickly = publish(quick.id);
  clock.advance(5000);
  const between = await since(asOf);
  assert.deepEqual(slugs(between), []);
  mayEnd.resolve();
  await Promise.all([slowly, quickly]);
  assert.deepEqual(slugs(await since(between.asOf)).toSorted(), ['quick', 'slow']);
});

const step = fc.record({
  do: fc.constantFrom(
    'create',
    'create',
    'rename',
    'edit',
    'publish',
    'publish',
    'schedule',
    'unpublish',
    'delete',
    'poll',
  ),
  which: fc.nat({ max: 5 }),
  slug: fc.constantFrom('p', 'q', 'r', 's', 't'),
  wait: fc.nat({ max: 20_000 }),
});

test('who asks again and again has the index, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 50 }), async (steps) => {
      const ids: string[] = [];
      let asOf = await asOfNow();
      const held = new Map<string, IndexEntry>();
      for (const entry of (await getIndex(db, env())).data) held.set(entry.slug, entry);
      const poll = async () => {
        const reply = await since(asOf);
        assert.equal(reply.full, false);
        for (const { slug } of reply.removed ?? []) held.delete(slug);
        for (const entry of reply.data) held.set(entry.slug, entry);
        asOf = reply.asOf;
      };
      for (const { do: what, which, slug, wait } of steps) {
        const id = ids[which % Math.max(1, ids.length)] ?? '01890000-0000-7000-8000-000000000000';
        try {
          if (what === 'create') ids.push((await blog.draft(writer, { ...COMPLETE, slug })).id);
          else if (what === 'rename') await edit(id, { slug });
          else if (what === 'edit') await edit(id, { title: `Title ${wait}` });
          else if (what === 'publish') await publish(id);
          else if (what === 'schedule') await publish(id, later((which - 2) * 5000));
          else if (what === 'unpublish') await unpublish(id);
          else if (what === 'delete') await remove(id);
          else await poll();
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
        clock.advance(wait);
      }
      await poll();
      const { data } = await getIndex(db, env());
      assert.deepEqual([...held.keys()].toSorted(), data.map((entry) => entry.slug).toSorted());
      for (const entry of data) assert.deepEqual(held.get(entry.slug), entry);
      for (const id of ids) await remove(id).catch(() => undefined);
    }),
    { numRuns: 15 },
  );
});
