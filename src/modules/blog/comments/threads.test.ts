import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { code } from '../fixtures.ts';
import { CommentFixture, outline } from './fixtures.ts';
import { listReplies } from './list-replies.ts';
import { MAX_LEVEL } from './rules.ts';
import type { Comment } from './schemas.ts';

const blog = new CommentFixture(await withDatabase());
const { run, env, db } = blog;
const eve = await blog.writer('Eve', 'EDITOR');
const ann = await blog.reader('Ann');
const slugOf = async (slug: string) => (await blog.published(eve, { slug })).slug as string;
const repliesOf = (id: string, page = 1, limit = 100) => listReplies(db, { id, page, limit }, env());

/** Stores many replies to a comment at once, a millisecond apart, in the way of `createComment`. */
async function flood(id: string, count: number, status: 'VISIBLE' | 'HIDDEN' = 'VISIBLE'): Promise<void> {
  await run(async (trx) => {
    await sql`
      insert into comments (id, post_id, parent_id, root_id, path, author_id, body, status, created_at)
      select gen_random_uuid(), post_id, id, root_id, path || id, author_id, 'reply ' || n, ${status},
        created_at + n * interval '1 ms'
      from comments, generate_series(1, ${count}::integer) as n where id = ${id}`.execute(trx);
    if (status === 'HIDDEN') return;
    await sql`
      update comments set thread_visible = thread_visible + ${count}
      where id = (select root_id from comments where id = ${id})`.execute(trx);
    await sql`
      update posts set comment_count = comment_count + ${count}
      where id = (select post_id from comments where id = ${id})`.execute(trx);
  });
}

const count = (comments: readonly Comment[]): number => comments.reduce((sum, c) => sum + 1 + count(c.replies), 0);
const depth = (comments: readonly Comment[]): number =>
  comments.length === 0 ? 0 : 1 + Math.max(...comments.map((c) => depth(c.replies)));

describe('the list', () => {
  test('pages through the threads in either order, and never repeats or skips one', async () => {
    const slug = await slugOf('paged');
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      ids.push((await blog.comment(ann, slug)).id);
      // Some of them at the same time: then the id decides.
      if (i % 2) blog.clock.advance(1000);
      await blog.comment(ann, slug, ids[0]);
    }
    const pages = async (sort: 'oldest' | 'newest') => {
      const all: string[] = [];
      for (const page of [1, 2, 3])
        all.push(...(await blog.list(slug, { sort, page, limit: 3 })).data.map((c) => c.id));
      return all;
    };
    assert.deepEqual(await pages('oldest'), ids);
    assert.deepEqual(await pages('newest'), ids.toReversed());
    const past = await blog.list(slug, { page: 4, limit: 3 });
    assert.deepEqual([past.total, past.pages, past.data], [7, 3, []]);
    assert.equal((await blog.list(slug)).data[0]?.replies.length, 7);
  });

  test('nests as deep as it goes and lists deeper replies beside each other', async () => {
    const slug = await slugOf('deep');
    let last = await blog.comment(ann, slug);
    const chain = [last.id];
    for (let i = 1; i < MAX_LEVEL + 5; i++) {
      last = await blog.comment(ann, slug, last.id);
      chain.push(last.id);
    }
    const { data, total } = await blog.list(slug);
    assert.deepEqual([total, count(data), depth(data)], [1, MAX_LEVEL + 5, MAX_LEVEL]);
    let at = data;
    for (let level = 1; level < MAX_LEVEL; level++) at = at[0]?.replies ?? [];
    assert.deepEqual(
      at.map((c) => [c.id, c.parentId]),
      chain.slice(MAX_LEVEL - 1).map((id, i) => [id, chain[MAX_LEVEL - 2 + i]]),
    );
    // The one that is answered is hidden: it stays as an empty place, also where nothing is nested below it.
    await blog.moderate(eve, chain[MAX_LEVEL + 1] as string, 'HIDDEN');
    const hidden = await blog.list(slug);
    assert.deepEqual(
      [count(hidden.data), JSON.stringify(hidden.data).split('"deleted":true').length - 1],
      [MAX_LEVEL + 5, 1],
    );
  });

  test('shows the oldest replies of long threads, whole short ones, and says what it leaves out', async () => {
    const slug = await slugOf('long');
    const tops = [];
    for (let i = 0; i < 3; i++) tops.push((await blog.comment(ann, slug, undefined, `top ${i}`)).id);
    const [long, short, longer] = tops as [string, string, string];
    await flood(long, 3000);
    await flood(short, 2);
    await flood(longer, 700);
    const { data } = await blog.list(slug);
    assert.deepEqual(
      data.map((c) => [c.replies.length, c.moreReplies]),
      [
        [499, 2501],
        [2, undefined],
        [499, 201],
      ],
    );
    assert.deepEqual(
      data[0]?.replies.slice(0, 2).map((r) => r.body),
      ['reply 1', 'reply 2'],
    );
    const alone = await blog.list(slug, { page: 1, limit: 1 });
    assert.deepEqual(
      alone.data.map((c) => [c.replies.length, c.moreReplies]),
      [[1000, 2000]],
    );
  });

  test('finds a visible reply below many that are hidden', async () => {
    const slug = await slugOf('below');
    const top = await blog.comment(ann, slug, undefined, 'top');
    const reply = await blog.comment(ann, slug, top.id, 'reply');
    const last = await blog.comment(ann, slug, reply.id, 'last');
    await flood(reply.id, 1500, 'HIDDEN');
    await flood(top.id, 1200);
    await blog.moderate(eve, reply.id, 'HIDDEN');
    const { data } = await blog.list(slug);
    assert.deepEqual(outline(data).flat().slice(0, 2), ['top', ['-', ['last']]]);
    assert.equal(data[0]?.moreReplies, 201);
    assert.equal((await repliesOf(top.id)).data[0]?.id, last.id);
  });
});

describe('the replies of a thread', () => {
  test('are all there, oldest first, page by page', async () => {
    const slug = await slugOf('replies');
    const top = await blog.comment(ann, slug);
    await flood(top.id, 250);
    const pages = [await repliesOf(top.id), await repliesOf(top.id, 2), await repliesOf(top.id, 3)];
    assert.deepEqual(
      pages.flatMap((p) => p.data.map((c) => c.body)),
      Array.from({ length: 250 }, (_, i) => `reply ${i + 1}`),
    );
    assert.deepEqual(
      pages.map((p) => [p.total, p.pages]),
      [
        [250, 3],
        [250, 3],
        [250, 3],
      ],
    );
    assert.ok(pages[0]?.data.every((c) => c.parentId === top.id && c.replies.length === 0 && c.author?.id === ann.id));
    await blog.moderate(eve, top.id, 'HIDDEN');
    assert.equal((await repliesOf(top.id)).total, 250);
  });

  test('are of the top of a listed thread of a public post', async () => {
    const slug = await slugOf('not-a-thread');
    const top = await blog.comment(ann, slug);
    const reply = await blog.comment(ann, slug, top.id);
    await assert.rejects(repliesOf(reply.id), code('NOT_FOUND'));
    await assert.rejects(repliesOf(env().newId()), code('NOT_FOUND'));
    await blog.remove(ann, reply.id);
    assert.equal((await repliesOf(top.id)).total, 0);
    await blog.remove(ann, top.id);
    await assert.rejects(repliesOf(top.id), code('NOT_FOUND'));
    await sql`update posts set archived_at = ${env().now} where slug = 'replies'`.execute(db);
    const { rows } = await sql<{ id: string }>`
      select c.id from comments c join posts p on p.id = c.post_id
      where p.slug = 'replies' and c.parent_id is null`.execute(db);
    await assert.rejects(repliesOf(rows[0]?.id ?? ''), code('NOT_FOUND'));
  });
});

test('the counts kept equal the rows', async () => assert.deepEqual(await blog.drift(), []));
