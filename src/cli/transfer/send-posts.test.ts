import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ImportedComment, ImportItem, ImportResult } from '../../modules/blog/index.ts';
import { type ReadItem, UnreadableFile } from './formats/fit.ts';
import { type ReportedItem, sendPosts } from './send-posts.ts';
import { PosthornError } from '../../../client/src/index.ts';

const post = (source: string, size = 10, more: Partial<ImportItem> = {}): ReadItem => ({
  post: { source, title: 'T', body: 'x'.repeat(size), ...more },
  notes: [],
});
const comment = (n: number, size = 10): ImportedComment => ({
  source: `c${n}`,
  body: 'y'.repeat(size),
  author: 'A',
  createdAt: '2020-01-01T00:00:00Z',
  status: 'VISIBLE',
});
async function* all(items: readonly ReadItem[]) {
  yield* items;
}
const result = ({ source, comments }: ImportItem): ImportResult => ({
  source,
  outcome: 'created',
  reason: null,
  postId: null,
  slug: null,
  notes: [],
  comments: comments ? { created: comments.length, unchanged: 0, skipped: 1, reason: 'held' } : null,
});

/** Sends to a service that takes everything, and keeps the requests. */
async function send(items: AsyncIterable<ReadItem>) {
  const requests: ImportItem[][] = [];
  const told: ReportedItem[] = [];
  const totals = await sendPosts(
    items,
    'the file',
    async (posts) => {
      requests.push(posts);
      return posts.map(result);
    },
    { item: (item) => told.push(item) },
  );
  return { requests, told, totals };
}

describe('sendPosts', () => {
  test('sends everything in order, each request within its bounds', async () => {
    const sizes = [10, 900_000, 200_000, ...Array.from({ length: 120 }, () => 100), 1_000_000, 10];
    const items = sizes.map((size, i) => post(`${i}`, size));
    const { requests, totals } = await send(all(items));
    assert.deepEqual(
      requests.flat().map((item) => item.source),
      items.map((_, i) => `${i}`),
    );
    for (const posts of requests) {
      const bytes = Buffer.byteLength(JSON.stringify({ posts }));
      assert.ok(posts.length === 1 || (posts.length <= 50 && bytes < 1_050_000), `${posts.length} ${bytes}`);
    }
    assert.equal(totals.created, sizes.length);
  });

  test('sends many comments in portions and tells of their post once', async () => {
    const comments = Array.from({ length: 1200 }, (_, n) => comment(n, n < 600 ? 4000 : 10));
    const { requests, told, totals } = await send(all([post('a', 900_000, { comments }), post('b')]));
    const parts = requests.flat().filter((item) => item.source === 'a');
    assert.deepEqual(
      parts.flatMap((item) => item.comments?.map((c) => c.source)),
      comments.map((c) => c.source),
    );
    for (const posts of requests) {
      assert.ok(Buffer.byteLength(JSON.stringify({ posts })) < 2 * 1024 * 1024);
      assert.ok(posts.every((item) => (item.comments?.length ?? 0) <= 500));
      assert.equal(new Set(posts.map((item) => item.source)).size, posts.length);
    }
    assert.deepEqual(
      told.map((item) => [item.source, item.comments?.created]),
      [
        ['a', 1200],
        ['b', undefined],
      ],
    );
    assert.deepEqual([totals.created, totals.comments.created, totals.comments.skipped], [2, 1200, parts.length]);
  });

  test('a part that fails is the last of its post, which is told to have failed', async () => {
    for (const [bad, sent, reason] of [
      [10, [500], 'no'],
      [700, [500, 500], 'without its comments after the first 500: no'],
      [1100, [500, 500, 200], 'without its comments after the first 1000: no'],
    ] as const) {
      const requests: number[] = [];
      const told: ReportedItem[] = [];
      const comments = Array.from({ length: 1200 }, (_, i) => comment(i));
      const totals = await sendPosts(
        all([post('many', 10, { comments }), post('next')]),
        'the file',
        async (posts) =>
          posts.map((item) => {
            if (item.comments) requests.push(item.comments.length);
            const fails = item.comments?.some(({ source }) => source === `c${bad}`);
            return fails ? { ...result(item), outcome: 'failed', reason: 'no', comments: null } : result(item);
          }),
        { item: (item) => told.push(item) },
      );
      assert.deepEqual(requests, sent);
      assert.deepEqual(
        told.map((item) => [item.source, item.outcome, item.reason]),
        [
          ['many', 'failed', reason],
          ['next', 'created', null],
        ],
      );
      assert.deepEqual([totals.created, totals.failed], [1, 1]);
    }
  });

  test('tells nothing of how one came in that the service left alone', async () => {
    const told: ReportedItem[] = [];
    const items = ['taken', 'left'].map((source) => ({ ...post(source), notes: ['private: imported as a draft'] }));
    const answer = (item: ImportItem): ImportResult =>
      item.source === 'left' ? { ...result(item), outcome: 'skipped', reason: 'as it is', notes: ['n'] } : result(item);
    await sendPosts(all(items), 'f', async (posts) => posts.map(answer), { item: (item) => told.push(item) });
    assert.deepEqual(
      told.map(({ source, notes }) => [source, notes]),
      [
        ['taken', ['private: imported as a draft']],
        ['left', ['n']],
      ],
    );
  });

  test('reads no further ahead than one request', async () => {
    let read = 0;
    let sent = 0;
    async function* endless() {
      for (; read < 1000; read++) {
        assert.ok(read - sent <= 50, `${read} read, ${sent} sent`);
        yield post(`${read}`);
      }
    }
    await sendPosts(endless(), 'f', async (posts) => {
      sent += posts.length;
      return posts.map(result);
    });
    assert.equal(sent, 1000);
  });

  test('fails what the service would refuse, and sends the others', async () => {
    const odd = ['a\0b', 'a\ud800', 'x'.repeat(501)];
    const { told, requests } = await send(all([...odd.map((source) => post(source)), post('good')]));
    assert.deepEqual(
      told.map((item) => [item.outcome, item.reason]),
      [
        ['failed', 'its source has characters that cannot be stored'],
        ['failed', 'its source has characters that cannot be stored'],
        ['failed', 'its source has more than 500 characters'],
        ['created', null],
      ],
    );
    assert.equal(requests.length, 1);
  });

  test('finds the posts for which a request is refused, and sends the others', async () => {
    const comments = Array.from({ length: 600 }, (_, n) => comment(n));
    const items = [...Array.from({ length: 20 }, (_, n) => post(`${n}`)), post('many', 10, { comments })];
    const told: ReportedItem[] = [];
    const taken: string[] = [];
    await sendPosts(
      all(items),
      'f',
      async (posts) => {
        // The second portion of comments does not fit either.
        const bad = posts.some((p) => ['3', '17'].includes(p.source) || p.comments?.some((c) => c.source === 'c550'));
        if (bad) throw new PosthornError({ code: 'VALIDATION_ERROR', message: 'no', status: 400 });
        taken.push(...posts.map((p) => p.source));
        return posts.map(result);
      },
      { item: (item) => told.push(item) },
    );
    assert.deepEqual(
      told.filter((item) => item.outcome === 'failed').map((item) => [item.source, item.reason]),
      [
        ...['3', '17'].map((source) => [source, 'VALIDATION_ERROR: no']),
        ['many', 'without its comments after the first 500: VALIDATION_ERROR: no'],
      ],
    );
    assert.deepEqual([told.length, taken.length], [21, 19]);
    // One is skipped in each portion that the service takes.
    assert.deepEqual(told.at(-1)?.comments, { created: 500, unchanged: 0, skipped: 101, reason: 'held' });
  });

  test('fails what is larger than a request, and a file that breaks off after what was read', async () => {
    async function* broken(): AsyncGenerator<ReadItem> {
      yield post('good');
      yield post('large', 3_000_000);
      yield { source: 'page', outcome: 'skipped', reason: 'a page' };
      throw new UnreadableFile('it ends early');
    }
    const { told, totals, requests } = await send(broken());
    assert.deepEqual(
      told.map((item) => [item.source, item.outcome, item.reason]),
      [
        ['large', 'failed', 'larger than the service takes in one request'],
        ['page', 'skipped', 'a page'],
        ['the file', 'failed', 'it ends early'],
        ['good', 'created', null],
      ],
    );
    assert.deepEqual([totals.created, totals.skipped, totals.failed, requests.length], [1, 1, 2, 1]);
  });

  test('a source that comes twice is in two requests, and another failure is passed on', async () => {
    const { requests } = await send(all([post('a'), post('a')]));
    assert.equal(requests.length, 2);
    const refusing = async (): Promise<ImportResult[]> => Promise.reject(new Error('down'));
    await assert.rejects(sendPosts(all([post('a')]), 'f', refusing), /down/);
  });
});
