import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { dice } from '../../../../test/helpers/dice.ts';
import { AppError } from '../../../contracts/errors.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { updatePost } from '../authoring/update-post.ts';
import { moderateComments } from '../moderation/moderate-comments.ts';
import { CommentFixture, type Reader } from './fixtures.ts';

const CLIENTS = 32;
const STEPS = 30;

const blog = new CommentFixture(await withDatabase());
const { run, env, db } = blog;
const eve = await blog.writer('Eve', 'EDITOR');
const readers: Reader[] = [];
for (let i = 0; i < CLIENTS; i++) readers.push(await blog.reader(`Reader ${i}`));

/** What one request met: an answer of the service, or what must never happen (a deadlock, for one). */
const unexpected: unknown[] = [];
const done: Record<string, number> = {};
async function attempt(what: string, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
    done[what] = (done[what] ?? 0) + 1;
  } catch (error) {
    if (!(error instanceof AppError)) unexpected.push(error);
  }
}

interface Known {
  id: string;
  slug: string;
  author: Reader;
}

/** One client: everything that changes a comment, on any of the posts, in any order. No step is tried again. */
async function client(index: number, slugs: readonly string[], known: Known[]): Promise<void> {
  const roll = dice(index);
  const author = readers[index] as Reader;
  const pick = (): Known | undefined => known[roll(known.length)];
  for (let step = 0; step < STEPS; step++) {
    const one = pick();
    const status = roll(2) ? 'VISIBLE' : 'HIDDEN';
    const kind = roll(10);
    if (kind < 3 || one === undefined) {
      const slug = slugs[roll(slugs.length)] as string;
      await attempt('create', async () => known.push({ id: (await blog.comment(author, slug)).id, slug, author }));
    } else if (kind < 5) {
      await attempt('reply', async () => {
        const { id } = await blog.comment(author, one.slug, one.id);
        known.push({ id, slug: one.slug, author });
      });
    } else if (kind === 5) await attempt('delete', () => blog.remove(one.author, one.id));
    else if (kind < 8) await attempt('moderate', () => blog.moderate(eve, one.id, status));
    else if (kind === 8) await attempt('report', () => blog.report(author, one.id));
    else {
      const ids = Array.from({ length: 12 }, () => pick()?.id ?? one.id);
      await attempt('bulk', () =>
        run((trx) => moderateComments(trx, { writer: eve, ids, status }, env(), blog.onCounted)),
      );
    }
  }
}

test('many clients at once never wait in a circle, and the counts equal the rows', async () => {
  const slugs: string[] = [];
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const post = await blog.published(eve, { slug: `storm-${i}` });
    slugs.push(post.slug as string);
    ids.push(post.id);
  }
  const known: Known[] = [];
  const edits = async () => {
    for (let i = 0; i < 40; i++) {
      const id = ids[i % 5] as string;
      await attempt('edit', () =>
        run((trx) => updatePost(trx, { writer: eve, id, fields: { excerpt: `Edit ${i}` } }, env())),
      );
    }
  };
  await Promise.all([...readers.map((_, i) => client(i, slugs, known)), edits()]);
  assert.deepEqual(unexpected, []);
  assert.deepEqual(await blog.drift(), []);
  for (const what of ['create', 'reply', 'delete', 'moderate', 'report', 'bulk', 'edit']) {
    assert.ok((done[what] ?? 0) >= 20, `${what}: ${done[what]}`);
  }
  const { rows } = await sql<{ reported: number; open: number }>`
    select (select coalesce(sum(report_count), 0)::integer from comments) as reported,
      (select count(*)::integer from comment_reports where resolved_at is null) as open`.execute(db);
  assert.equal(rows[0]?.reported, rows[0]?.open);
});

test('the same text many times at once is one comment, and the rest is held', async () => {
  await blog.published(eve, { slug: 'repeated' });
  const author = await blog.reader('In a hurry');
  const same = () => blog.comment(author, 'repeated', undefined, 'Look at this');
  const made = await Promise.all(Array.from({ length: 8 }, same));
  assert.equal(made.filter((c) => c.status === 'VISIBLE').length, 1);
});

test('a post that is removed while many comment on it takes all of them with it', async () => {
  const post = await blog.published(eve, { slug: 'short' });
  const { id: top } = await blog.comment(readers[0] as Reader, 'short');
  let comments = 0;
  const writing = readers.map(async (author, i) => {
    for (let n = 0; n < 5; n++) {
      await attempt('last words', () => blog.comment(author, 'short', (n + i) % 2 ? top : undefined));
      if (++comments === CLIENTS)
        await attempt('remove', () => run((trx) => deletePost(trx, { writer: eve, id: post.id }, env())));
    }
  });
  await Promise.all(writing);
  assert.deepEqual([unexpected, done['remove']], [[], 1]);
  assert.ok((done['last words'] ?? 0) > 0);
  const { rows } = await sql`select id from comments where post_id = ${post.id}`.execute(db);
  assert.deepEqual([rows, await blog.drift()], [[], []]);
});
