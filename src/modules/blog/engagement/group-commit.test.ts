import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import type { IdempotencyClaim } from '../../../platform/http/index.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { BlogFixture } from '../fixtures.ts';
import { countersAndRows } from './fixtures.ts';
import { GroupCommit } from './group-commit.ts';
import type { Action, Outcome } from './tally.ts';

const blog = new BlogFixture(await withDatabase());
const { db, clock } = blog;
const editor = await blog.writer('Eve', 'EDITOR');
const users = await Promise.all(Array.from({ length: 20 }, async (_, i) => (await blog.writer(`U${i}`, 'AUTHOR')).id));
const user = (i: number): string => users[i] as string;

let posts = 0;
const newPost = async (): Promise<{ id: string; slug: string }> => {
  const slug = `post-${++posts}`;
  return { id: (await blog.published(editor, { slug })).id, slug };
};
const node = (maxWaiting?: number): GroupCommit =>
  new GroupCommit({ db, clock, ...(maxWaiting === undefined ? {} : { maxWaiting }) });
const like = (slug: string, i: number): Action => ({ kind: 'like', slug, userId: user(i) });
const view = (slug: string): Action => ({ kind: 'view', slug });
const claim = (key: string): IdempotencyClaim => ({ scope: 'user:1 POST view', key, requestHash: 'hash' });
const counted = (outcome: Outcome): unknown => (outcome.is === 'counted' ? outcome.counted : outcome.is);

/** The kept counters of a post, after a look that they equal their rows. */
async function kept(slug: string): Promise<{ likes: number; views: number; shares: number }> {
  const found = (await countersAndRows(db)).find((c) => c.slug === slug);
  assert.ok(found);
  assert.deepEqual(found.counters, found.rows);
  return found.counters;
}
/** Transactions that have written to the table of counters, by the versions of one row. */
const versionOf = async (postId: string): Promise<string> => {
  const { rows } = await sql<{ v: string }>`
    select xmin::text as v from post_counters where post_id = ${postId}`.execute(db);
  return rows[0]?.v ?? '';
};

describe('group commit', () => {
  test('what arrives together is one transaction, in the order of its arrival', async () => {
    const { slug, id } = await newPost();
    const group = node();
    const actions: Action[] = [
      like(slug, 0),
      view(slug),
      like(slug, 1),
      { ...like(slug, 0), kind: 'unlike' } as Action,
      { kind: 'share', slug, channel: 'email' },
      view(slug),
      like(slug, 1),
    ];
    const versions = new Set<string>();
    const outcomes = await Promise.all(
      actions.map(async (action) => {
        const outcome = await group.add({ action });
        versions.add(await versionOf(id));
        return outcome;
      }),
    );
    assert.deepEqual(outcomes.map(counted), [
      { liked: true, likeCount: 1 },
      { viewCount: 1 },
      { liked: true, likeCount: 2 },
      { liked: false, likeCount: 1 },
      { shareCount: 1 },
      { viewCount: 2 },
      { liked: true, likeCount: 1 },
    ]);
    assert.equal(versions.size, 1, 'the counters were written once');
    assert.deepEqual(await kept(slug), { likes: 1, views: 2, shares: 1 });
    assert.equal(group.waiting, 0);
  });

  test('one request that the database refuses fails alone, with its neighbours kept', async () => {
    const { slug } = await newPost();
    const group = node();
    const nobody: Action = { kind: 'like', slug, userId: '01890000-0000-7000-8000-000000000000' };
    const outcomes = await Promise.allSettled(
      [like(slug, 0), nobody, view(slug), view('no-such-post')].map((action) => group.add({ action })),
    );
    assert.deepEqual(
      outcomes.map((o) => (o.status === 'fulfilled' ? counted(o.value) : (o.reason as { code: string }).code)),
      [{ liked: true, likeCount: 1 }, '23503', { viewCount: 1 }, 'missing'],
    );
    assert.deepEqual(await kept(slug), { likes: 1, views: 1, shares: 0 });
    assert.equal(group.waiting, 0, 'what failed waits no longer');
  });

  test('a key that another node has taken: duplicate, and nothing of it is kept; its neighbours are', async () => {
    const { slug } = await newPost();
    assert.deepEqual(counted(await node().add({ action: view(slug), claim: claim('once') })), { viewCount: 1 });
    const there = node();
    const outcomes = await Promise.all([
      there.add({ action: view(slug), claim: claim('once') }),
      there.add({ action: view(slug), claim: claim('other') }),
      there.add({ action: view(slug) }),
    ]);
    assert.deepEqual(outcomes.map(counted), ['duplicate', { viewCount: 2 }, { viewCount: 3 }]);
    assert.deepEqual(await kept(slug), { likes: 0, views: 3, shares: 0 });
    clock.advance(24 * 3600 * 1000);
    assert.deepEqual(counted(await there.add({ action: view(slug), claim: claim('once') })), { viewCount: 4 });
  });

  test('two nodes with the same keys and posts at once, each in its own order: every key counts once', async () => {
    const slugs = await Promise.all(Array.from({ length: 5 }, async () => (await newPost()).slug));
    const work = Array.from({ length: 100 }, (_, i) => ({ key: `shared-${i}`, slug: slugs[i % 5] as string, i }));
    const nodes = [node(), node(), node()];
    const outcomes = await Promise.all(
      nodes.flatMap((group, n) =>
        (n === 1 ? work.toReversed() : work).map(({ key, slug, i }) =>
          Promise.all([
            group.add({ action: view(slug), claim: claim(key) }),
            group.add({ action: like(slug, (i + n) % 20) }),
          ]),
        ),
      ),
    );
    const views = outcomes.map(([v]) => v.is);
    assert.equal(views.filter((is) => is === 'counted').length, 100);
    assert.equal(views.filter((is) => is === 'duplicate').length, 200);
    for (const slug of slugs) assert.equal((await kept(slug)).views, 20);
  });

  test('more than may wait is refused at once and leaves no trace; what was taken is committed', async () => {
    const { slug } = await newPost();
    const group = node(3);
    const taken = [1, 2, 3].map(() => group.add({ action: view(slug) }));
    assert.throws(
      () => group.add({ action: view(slug) }),
      (e: { code: string; headers: Record<string, string> }) =>
        e.code === 'UNAVAILABLE' && e.headers['retry-after'] === '1',
    );
    await Promise.all(taken);
    assert.equal((await kept(slug)).views, 3);
    await group.add({ action: view(slug) });
  });

  test('more than one batch takes is committed in several; drain waits for all', async () => {
    const { slug } = await newPost();
    const group = node();
    let answered = 0;
    for (let i = 0; i < 600; i++) void group.add({ action: view(slug) }).then(() => answered++);
    await group.drain();
    assert.deepEqual([answered, (await kept(slug)).views], [600, 600]);
    await group.drain();
  });
});

describe('a post that is deleted', () => {
  test('takes its likes, views and shares along', async () => {
    const { slug, id } = await newPost();
    const group = node();
    await Promise.all([
      group.add({ action: like(slug, 0) }),
      group.add({ action: view(slug) }),
      group.add({ action: { kind: 'share', slug, channel: 'email' } }),
    ]);
    await blog.run((trx) => deletePost(trx, { writer: editor, id }, blog.env()));
    for (const table of ['post_counters', 'post_likes', 'post_views', 'post_shares']) {
      const { rows } = await sql`select 1 from ${sql.table(table)} where post_id = ${id}`.execute(db);
      assert.deepEqual(rows, [], table);
    }
    assert.equal((await group.add({ action: like(slug, 0) })).is, 'missing');
  });

  test('while a like is on its way: the like is refused, and nothing is left behind', onlyPostgres, async () => {
    const { slug, id } = await newPost();
    const other = await newPost();
    let outcome: Promise<Outcome[]> | undefined;
    await inTransaction(db, async (trx) => {
      await deletePost(trx, { writer: editor, id }, blog.env());
      const group = node();
      outcome = Promise.all([group.add({ action: like(slug, 0) }), group.add({ action: like(other.slug, 0) })]);
      // Until the batch waits for the lock of this transaction.
      for (let waits = false; !waits; ) {
        const { rows } = await sql`
          select 1 from pg_locks where not granted and pid <> pg_backend_pid()
            and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(trx);
        waits = rows.length > 0;
      }
    });
    assert.deepEqual((await outcome)?.map(counted), ['missing', { liked: true, likeCount: 1 }]);
    assert.equal((await kept(other.slug)).likes, 1);
  });
});

describe('a post whose counters somebody holds for long', onlyPostgres, () => {
  test('keeps only its own readers waiting, and nothing that was taken is lost', async () => {
    const [held, free] = [await newPost(), await newPost()];
    const group = node();
    const answers: string[] = [];
    const add = (action: Action, name: string) =>
      group.add({ action }).then((outcome) => (answers.push(name), outcome));
    const waiting: Promise<Outcome>[] = [];
    await inTransaction(db, async (trx) => {
      await sql`select 1 from post_counters where post_id = ${held.id} for update`.execute(trx);
      waiting.push(add(like(held.slug, 0), 'held'), add(view(held.slug), 'held'));
      await Promise.all([add(like(free.slug, 0), 'free'), add(view('no-such-post'), 'free')]);
      // Of what comes later, too.
      waiting.push(add({ ...like(held.slug, 0), kind: 'unlike' } as Action, 'held'));
      await add(view(free.slug), 'free');
      assert.deepEqual(answers, ['free', 'free', 'free']);
      assert.equal(group.waiting, 3);
    });
    assert.deepEqual((await Promise.all(waiting)).map(counted), [
      { liked: true, likeCount: 1 },
      { viewCount: 1 },
      { liked: false, likeCount: 0 },
    ]);
    await group.drain();
    assert.deepEqual(await kept(held.slug), { likes: 0, views: 1, shares: 0 });
    assert.deepEqual(await kept(free.slug), { likes: 1, views: 1, shares: 0 });
  });

  test('goes on waiting when it takes longer, and others that are held go in turn', async () => {
    const [long, short] = [await newPost(), await newPost()];
    const group = node();
    let ofLong: Promise<Outcome> | undefined;
    await inTransaction(db, async (trx) => {
      await sql`select 1 from post_counters where post_id = ${long.id} for update`.execute(trx);
      ofLong = group.add({ action: like(long.slug, 0) });
      const ofShort = await inTransaction(db, async (second) => {
        await sql`select 1 from post_counters where post_id = ${short.id} for update`.execute(second);
        const outcome = group.add({ action: like(short.slug, 0) });
        await group.add({ action: view((await newPost()).slug) });
        return { outcome };
      });
      assert.deepEqual(counted(await ofShort.outcome), { liked: true, likeCount: 1 });
    });
    assert.deepEqual(counted(await (ofLong as Promise<Outcome>)), { liked: true, likeCount: 1 });
    assert.equal(group.waiting, 0);
  });
});

test('an edit of a post that takes long keeps no reader waiting', onlyPostgres, async () => {
  const { slug, id } = await newPost();
  await inTransaction(db, async (trx) => {
    await sql`select 1 from posts where id = ${id} for update`.execute(trx);
    assert.deepEqual(counted(await node().add({ action: like(slug, 0) })), { liked: true, likeCount: 1 });
  });
});
