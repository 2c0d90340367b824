import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { CommentFixture } from '../comments/fixtures.ts';
import { deletePost } from '../authoring/delete-post.ts';
import { code } from '../fixtures.ts';
import type { Writer } from '../rules.ts';
import { getCommentSettings } from './get-comment-settings.ts';
import { getManagedComment } from './get-managed-comment.ts';
import { listManagedComments } from './list-managed-comments.ts';
import { listModerationLog } from './list-moderation-log.ts';
import { moderateComments } from './moderate-comments.ts';
import type { CommentSettingsChange, ListManagedCommentsQuery } from './schemas.ts';
import { updateCommentSettings } from './update-comment-settings.ts';

const blog = new CommentFixture(await withDatabase());
const { run, env, db } = blog;
const eve = await blog.writer('Eve', 'EDITOR');
const ann = await blog.writer('Ann', 'AUTHOR');
const bob = await blog.reader('Bob');
const mine = await blog.published(ann, { slug: 'mine', title: 'Mine' });
await blog.published(eve, { slug: 'other', title: 'Other' });

const set = (change: CommentSettingsChange, writer: Writer = eve) =>
  run((trx) => updateCommentSettings(trx, { writer, change }, env()));
const log = (query: { commentId?: string; cursor?: string; limit?: number } = {}, writer: Writer = eve) =>
  listModerationLog(db, { writer, query: { limit: 100, ...query } });
const managed = (writer: Writer, query: Partial<ListManagedCommentsQuery> = {}) =>
  listManagedComments(db, { writer, query: { page: 1, limit: 20, ...query } });
const detail = (id: string, writer: Writer = eve) => getManagedComment(db, { writer, id });
const bulk = (writer: Writer, ids: string[], status: 'VISIBLE' | 'HIDDEN', reason?: string) =>
  run((trx) => moderateComments(trx, { writer, ids, status, ...(reason ? { reason } : {}) }, env(), blog.onCounted));

describe('a comment that a rule holds', () => {
  test('is HIDDEN, told to moderators, logged, and not counted', async () => {
    const links = 'http://a.b http://a.c http://a.d http://a.e';
    const comment = await blog.comment(bob, 'mine', undefined, links);
    assert.deepEqual([comment.status, 'heldReason' in comment], ['HIDDEN', false]);
    const reason = 'Holds 4 links; 3 are allowed.';
    const { heldReason, status, post, author, reports } = await detail(comment.id);
    assert.deepEqual([heldReason, status, reports], [reason, 'HIDDEN', []]);
    assert.deepEqual(
      [post, author],
      [
        { id: mine.id, slug: 'mine', title: 'Mine' },
        { id: bob.id, name: 'Bob' },
      ],
    );
    assert.deepEqual((await blog.flagged()).at(-1), {
      targetType: 'COMMENT',
      targetId: comment.id,
      targetUserId: bob.id,
      source: 'RULE',
      reason,
      rule: 'too_many_links',
      postId: mine.id,
    });
    const entry = (await log({ commentId: comment.id })).data[0];
    assert.deepEqual(entry, {
      id: entry?.id,
      commentId: comment.id,
      post,
      author,
      actor: null,
      rule: 'too_many_links',
      from: null,
      to: 'HIDDEN',
      reason,
      createdAt: env().now.toISOString(),
    });
    assert.deepEqual([(await blog.list('mine')).total, await blog.drift()], [0, []]);
    await blog.moderate(ann, comment.id, 'VISIBLE');
    assert.deepEqual([(await detail(comment.id)).heldReason, (await blog.list('mine')).total], [null, 1]);
  });

  test('repeats its author lately, on any post', async () => {
    const twice = 'The very same words as before, to the last';
    assert.equal((await blog.comment(bob, 'mine', undefined, twice)).status, 'VISIBLE');
    assert.equal(
      (await blog.comment(bob, 'other', undefined, ` the VERY  same wörds AS before, to the last`)).status,
      'HIDDEN',
    );
    const cid = await blog.reader('Cid');
    assert.equal((await blog.comment(cid, 'other', undefined, twice)).status, 'VISIBLE');
    blog.clock.advance(3600_000);
    assert.equal((await blog.comment(bob, 'other', undefined, twice)).status, 'VISIBLE');
    await set({ repeatSeconds: 0 });
    assert.equal((await blog.comment(bob, 'other', undefined, twice)).status, 'VISIBLE');
    await set({ repeatSeconds: 3600 });
    assert.equal((await blog.comment(bob, 'other', undefined, twice)).status, 'HIDDEN');
  });

  test('is no repeat where it is a short word of thanks under another post', async () => {
    const at = async (slug: string, body: string) => (await blog.comment(bob, slug, undefined, body)).status;
    assert.deepEqual(
      [await at('mine', 'Thanks, well said!'), await at('other', 'thanks, WELL said!')],
      ['VISIBLE', 'VISIBLE'],
    );
    assert.equal(await at('other', 'Thanks, well said!'), 'HIDDEN', 'twice under one post');
    for (const body of [
      'See www.e.com',
      'Pills at pills.shop',
      'Call +1 555 0100',
      'Ask @seller',
      '在我们这里可以买到最便宜的药',
      'This is what a longer text is, one of thirty',
    ]) {
      assert.deepEqual([await at('mine', body), await at('other', body)], ['VISIBLE', 'HIDDEN'], body);
    }
  });

  test('is found by the rules as they are now, and writers of the post are not held', async () => {
    await set({ preModeration: true, blockedWords: [' Casino* ', 'casino*', 'x'] });
    const at = async (author: typeof bob, slug: string, body: string) => {
      const { id, status } = await blog.comment(author, slug, undefined, body);
      return [status, (await log({ commentId: id })).data[0]?.rule ?? null];
    };
    assert.deepEqual(await at(bob, 'mine', 'Online CASINOS'), ['HIDDEN', 'blocked_word']);
    assert.deepEqual(await at(bob, 'mine', 'Something new'), ['HIDDEN', 'pre_moderation']);
    const asReader = { ...ann, name: 'Ann', blogRole: 'AUTHOR' } as const;
    assert.deepEqual(await at(asReader, 'mine', 'casino'), ['VISIBLE', null]);
    assert.deepEqual(await at(asReader, 'other', 'casino'), ['HIDDEN', 'blocked_word']);
    assert.deepEqual(await at({ ...eve, name: 'Eve', blogRole: 'EDITOR' }, 'mine', 'casino'), ['VISIBLE', null]);
    await set({ preModeration: false, blockedWords: [] });
    assert.deepEqual(await at(bob, 'mine', 'My casino'), ['VISIBLE', null]);
  });
});

describe('the settings', () => {
  test('are of editors, and change by field', async () => {
    const before = await set({ maxLinks: 5, blockedWords: ['B', ' b ', 'é', 'E'] });
    assert.deepEqual(before, {
      preModeration: false,
      maxLinks: 5,
      repeatSeconds: 3600,
      blockedWords: ['B', 'é'],
      updatedAt: env().now.toISOString(),
      updatedBy: { id: eve.id, name: 'Eve' },
    });
    assert.deepEqual(await set({ maxLinks: 3 }), { ...before, maxLinks: 3 });
    assert.deepEqual((await set({ blockedWords: [] })).blockedWords, []);
    await assert.rejects(set({ maxLinks: 9 }, ann), code('FORBIDDEN'));
    await assert.rejects(getCommentSettings(db, { writer: ann }), code('FORBIDDEN'));
    for (const word of ['*', ' ', '\u200b', 'a*b']) {
      const error = await set({ blockedWords: ['ok', word] }).catch((e: { details: { path: string }[] }) => e);
      assert.equal('details' in error && error.details[0]?.path, 'body.blockedWords.1', word);
    }
  });
});

describe('reports', () => {
  test('count once per user, are told, and are dealt with by a decision', async () => {
    const { id } = await blog.comment(bob, 'mine');
    const before = (await blog.flagged()).length;
    await blog.report(ann, id, ' Rude. ');
    await blog.report(ann, id, 'Very rude.');
    await blog.report(eve, id, 'Off topic.');
    const events = (await blog.flagged()).slice(before);
    const common = { targetType: 'COMMENT', targetId: id, targetUserId: bob.id, source: 'REPORT', postId: mine.id };
    assert.deepEqual(events, [
      { ...common, reason: 'Rude.', reporterUserId: ann.id },
      { ...common, reason: 'Off topic.', reporterUserId: eve.id },
    ]);
    const seen = await detail(id);
    assert.deepEqual(
      [seen.reportCount, seen.reports.map((r) => `${r.reporter.name}: ${r.reason} ${r.open}`).toSorted()],
      [2, ['Ann: Rude. true', 'Eve: Off topic. true']],
    );
    assert.deepEqual(
      (await managed(eve, { reported: true })).data.map((c) => c.id),
      [id],
    );
    assert.equal((await managed(ann, { reported: true, postId: mine.id })).total, 1);
    await blog.moderate(ann, id, 'VISIBLE', 'Fine.');
    const after = await detail(id);
    assert.deepEqual([after.reportCount, after.reports.some((r) => r.open), after.status], [0, false, 'VISIBLE']);
    const { from, to, reason, actor } = (await log({ commentId: id })).data[0] ?? {};
    assert.deepEqual([from, to, reason, actor?.name], ['VISIBLE', 'VISIBLE', 'Fine.', 'Ann']);
    await blog.report(ann, id);
    assert.equal((await detail(id)).reportCount, 0, 'a user reports a comment once');
    assert.equal((await managed(eve, { reported: true })).total, 0);
  });

  test('are of what readers can see', async () => {
    const { id } = await blog.comment(bob, 'mine');
    await blog.moderate(eve, id, 'HIDDEN');
    await assert.rejects(blog.report(ann, id), code('NOT_FOUND'));
    await assert.rejects(blog.report(ann, env().newId()), code('NOT_FOUND'));
    await assert.rejects(blog.report(ann, id, ' '), code('VALIDATION_ERROR'));
    await assert.rejects(blog.report(ann, id, 'x'.repeat(1001)), code('VALIDATION_ERROR'));
  });
});

describe('deciding', () => {
  test('is for whoever manages the post, and nothing happens twice', async () => {
    const { id } = await blog.comment(bob, 'other');
    await assert.rejects(blog.moderate(ann, id, 'HIDDEN'), code('NOT_FOUND'));
    await assert.rejects(detail(id, ann), code('NOT_FOUND'));
    assert.equal((await blog.moderate(eve, id, 'HIDDEN', ' Spam. ')).status, 'HIDDEN');
    assert.equal((await blog.moderate(eve, id, 'HIDDEN', 'Again.')).status, 'HIDDEN');
    await blog.moderate(eve, id, 'VISIBLE');
    const entries = (await log({ commentId: id })).data.map((e) => [e.from, e.to, e.reason]);
    assert.deepEqual(entries, [
      ['HIDDEN', 'VISIBLE', null],
      ['VISIBLE', 'HIDDEN', 'Spam.'],
    ]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('hides what a rule held, too: it is held no more, and the log says who decided', async () => {
    const held = async () => (await blog.comment(bob, 'mine', undefined, `http://a.b `.repeat(4) + env().newId())).id;
    const [one, other] = [await held(), await held()];
    const { status, heldReason } = await blog.moderate(ann, one, 'HIDDEN', 'Spam.');
    assert.deepEqual([status, heldReason], ['HIDDEN', null]);
    assert.deepEqual((await bulk(ann, [one, other], 'HIDDEN')).data, [
      { id: one, outcome: 'UNCHANGED', status: 'HIDDEN' },
      { id: other, outcome: 'CHANGED', status: 'HIDDEN' },
    ]);
    assert.equal((await detail(other)).heldReason, null);
    const entries = (await log({ commentId: one })).data.map((e) => [e.from, e.to, e.rule, e.actor?.name, e.reason]);
    assert.deepEqual(entries, [
      ['HIDDEN', 'HIDDEN', null, 'Ann', 'Spam.'],
      [null, 'HIDDEN', 'too_many_links', undefined, 'Holds 4 links; 3 are allowed.'],
    ]);
    assert.deepEqual(await blog.drift(), []);
  });

  test('in bulk says what became of each', async () => {
    const [a, b] = [(await blog.comment(bob, 'mine')).id, (await blog.comment(bob, 'mine')).id];
    const [reply, foreign] = [(await blog.comment(bob, 'mine', a)).id, (await blog.comment(bob, 'other')).id];
    await blog.moderate(eve, b, 'HIDDEN');
    const none = env().newId();
    assert.deepEqual((await bulk(ann, [a, b, foreign, none, reply, a], 'HIDDEN', 'Sweep')).data, [
      { id: a, outcome: 'CHANGED', status: 'HIDDEN' },
      { id: b, outcome: 'UNCHANGED', status: 'HIDDEN' },
      { id: foreign, outcome: 'NOT_FOUND', status: null },
      { id: none, outcome: 'NOT_FOUND', status: null },
      { id: reply, outcome: 'CHANGED', status: 'HIDDEN' },
      { id: a, outcome: 'CHANGED', status: 'HIDDEN' },
    ]);
    assert.equal((await log({ commentId: a })).data.length, 1);
    const all = [a, b, foreign, reply];
    assert.deepEqual(
      (await bulk(eve, all, 'HIDDEN')).data.map((d) => d.outcome),
      ['UNCHANGED', 'UNCHANGED', 'CHANGED', 'UNCHANGED'],
    );
    assert.deepEqual(
      (await bulk(eve, all, 'VISIBLE')).data.map((d) => d.outcome),
      all.map(() => 'CHANGED'),
    );
    assert.deepEqual(await blog.drift(), []);
  });
});

describe('the managed list', () => {
  test('gives authors what stands on their posts, editors all, newest first', async () => {
    const cleo = await blog.writer('Cleo', 'AUTHOR');
    const posts = [await blog.published(cleo, { slug: 'cleo-1' }), await blog.published(cleo, { slug: 'cleo-2' })];
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      ids.unshift((await blog.comment(bob, `cleo-${(i % 2) + 1}`)).id);
      if (i !== 2) blog.clock.advance(10);
    }
    await blog.moderate(cleo, ids[0] as string, 'HIDDEN');
    await blog.remove(bob, ids[5] as string);
    const left = ids.slice(0, 5);
    const page = await managed(cleo);
    assert.deepEqual([page.total, page.data.map((c) => c.id)], [5, left]);
    const two = await managed(cleo, { page: 2, limit: 2 });
    assert.deepEqual([two.total, two.pages, two.data.map((c) => c.id)], [5, 3, left.slice(2, 4)]);
    assert.deepEqual(
      (await managed(cleo, { status: 'HIDDEN' })).data.map((c) => c.id),
      left.slice(0, 1),
    );
    assert.deepEqual((await managed(cleo, { status: 'VISIBLE' })).total, 4);
    const first = { postId: posts[0]?.id as string };
    for (const writer of [cleo, eve]) {
      const of = await managed(writer, first);
      assert.deepEqual([of.total, of.data.length, of.data.every((c) => c.post.slug === 'cleo-1')], [2, 2, true]);
      assert.equal((await managed(writer, { ...first, status: 'HIDDEN' })).total, 0);
    }
    for (const query of [first, { postId: env().newId() }]) {
      assert.deepEqual(await managed(ann, query), { page: 1, pages: 0, total: 0, data: [] });
    }
    const all = await managed(eve, { limit: 100 });
    const { rows } = await sql`select id from comments where status <> 'DELETED'`.execute(db);
    assert.deepEqual([all.total, all.data.length], [rows.length, rows.length]);
  });
});

describe('the moderation log', () => {
  test('is for editors, by cursor, and outlives what it is about', async () => {
    await assert.rejects(log({}, ann), code('FORBIDDEN'));
    const { id: postId } = await blog.published(eve, { slug: 'short-lived' });
    const { id } = await blog.comment(bob, 'short-lived');
    for (const status of ['HIDDEN', 'VISIBLE', 'HIDDEN'] as const) await blog.moderate(eve, id, status);
    await run((trx) => deletePost(trx, { writer: eve, id: postId }, env()));
    const first = await log({ commentId: id, limit: 2 });
    const second = await log({ commentId: id, limit: 2, cursor: first.nextCursor as string });
    assert.deepEqual(
      [...first.data, ...second.data].map((e) => [e.to, e.post]),
      [
        ['HIDDEN', null],
        ['VISIBLE', null],
        ['HIDDEN', null],
      ],
    );
    assert.equal(second.nextCursor, null);
    await assert.rejects(log({ cursor: 'nonsense' }), code('VALIDATION_ERROR'));
  });

  test('is changed by nobody', async () => {
    const refused = /the moderation log is append-only: (update|delete|truncate) is refused/;
    await assert.rejects(sql`update moderation_log set reason = 'x'`.execute(db), refused);
    await assert.rejects(sql`delete from moderation_log`.execute(db), refused);
    await assert.rejects(sql`truncate moderation_log`.execute(db), refused);
  });
});
