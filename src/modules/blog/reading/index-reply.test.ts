import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { testService } from '../../../../test/helpers/service.ts';
import { monotonicNow, systemClock } from '../../../lib/clock.ts';
import { type Reads, readsOf } from '../../../platform/db/index.ts';
import type { PostIndex } from '../schemas.ts';
import { ReadCache } from './cache/read-cache.ts';
import { getIndex, writeIndex } from './get-index.ts';
import { indexReply, READY_MAX } from './index-reply.ts';

const database = await withDatabase();
const { db } = database;
const reads = readsOf(db);
const service = await testService({ database, withoutLoops: true });
const { id: author } = await service.user({ blogRole: 'EDITOR' });
const { key } = await service.key(['blog:read']);
const get = (query = '', headers: Record<string, string> = {}) =>
  service.call<PostIndex>('GET', `/v1/blog/index${query}`, { token: key, headers });

/** Posts, three of them always of the same time, faster than by the operations. */
async function insert(from: number, to: number): Promise<void> {
  await sql`
    insert into posts (id, author_id, slug, title, category, category_key, published_at, first_public_at, created_at,
      updated_at, changed_at)
    select gen_random_uuid(), ${author}, 'p-' || i, 'T', 'C', 'c', t, t, t, t, t
    from (select i, now() - (i / 3) * interval '1 minute' as t from generate_series(${from}::integer, ${to}::integer) as i)
      as made`.execute(db);
  await sql`
    insert into post_counts (kind, key, name, count) values ('all', '', '', ${to - from + 1})
    on conflict (kind, key) do update set count = post_counts.count + excluded.count`.execute(db);
  await sql`update post_index_clock set changed_at = greatest(now(), changed_at + interval '1 millisecond')`.execute(
    db,
  );
}

const now = () => ({ now: new Date(systemClock.now()) });
const newCache = (at = systemClock.now()) =>
  new ReadCache({
    readVersion: async () => 1,
    nextPublication: async () => null,
    readCounters: async () => new Map(),
    now: () => at,
    monotonic: monotonicNow,
    maxBytes: 64 * 1024 * 1024,
  });

before(() => insert(1, 100));

describe('the index', () => {
  test('read in portions of any size is the same, with every post once', async () => {
    const env = now();
    const whole = await getIndex(db, env);
    assert.equal(new Set(whole.data.map((entry) => entry.slug)).size, 100);
    for (const portion of [1, 7, 50, 99, 100, 101]) {
      assert.deepEqual(await getIndex(db, env, portion), whole);
      const text = (await Array.fromAsync(writeIndex(reads, whole, {}, env, portion))).join('');
      assert.deepEqual(JSON.parse(text), whole);
    }
    const none = await Array.fromAsync(writeIndex(reads, whole, { full: true, removed: [] }, { now: new Date(0) }));
    assert.deepEqual(JSON.parse(none.join('')), { total: 0, data: [], asOf: whole.asOf, full: true, removed: [] });
  });

  test('is 304 without a question to the database', async () => {
    const cache = newCache();
    const request = { since: undefined, headers: {}, env: now() };
    const first = await indexReply(reads, cache, request);
    const etag = first.headers?.etag as string;
    const again = { ...request, headers: { 'if-none-match': etag } };
    const nothing = null as unknown as Reads;
    const { status, headers } = await indexReply(nothing, cache, again);
    assert.deepEqual({ status, headers }, { status: 304, headers: first.headers });
    assert.equal(first.again?.(again.headers)?.status, 304);
    assert.equal(first.again?.({})?.bytes, first.bytes);
    cache.doubt();
    assert.equal(first.again?.({}), null);
  });

  test('has another ETag after each change and publication', async () => {
    const etags = new Set<string>();
    const look = async (at?: number) => {
      const reply = await indexReply(reads, newCache(at), { since: undefined, headers: {}, env: now() });
      etags.add(reply.headers?.etag as string);
    };
    await look();
    await look();
    assert.equal(etags.size, 1);
    await insert(101, 101);
    await look();
    await look(systemClock.now() - 600_000);
    assert.equal(etags.size, 3);
  });
});

describe('an index that is too large to be kept', () => {
  before(() => insert(102, READY_MAX + 1));

  test('comes whole, with an ETag that gives 304', async () => {
    const reply = await get();
    const { data, total, ...rest } = reply.body;
    assert.deepEqual([total, data.length, Object.keys(rest)], [READY_MAX + 1, READY_MAX + 1, ['asOf']]);
    assert.equal(new Set(data.map((entry) => entry.slug)).size, total);
    const dates = data.map((entry) => entry.publishedAt);
    assert.deepEqual(dates, dates.toSorted().toReversed());
    const known = await get('', { 'if-none-match': reply.headers.get('etag') ?? '' });
    assert.deepEqual([known.status, known.headers.get('etag')], [304, reply.headers.get('etag')]);
    const none = await get(`?since=${reply.body.asOf}`);
    assert.deepEqual([none.body.full, none.body.total], [false, 0]);
  });

  test('is what is given for a time of which the changes are not known', async () => {
    const { body } = await get('?since=1969-12-31T00:00:00Z');
    assert.deepEqual([body.full, body.removed, body.total], [true, [], READY_MAX + 1]);
  });
});

test('a small index is given whole too, for such a time', async () => {
  await sql`delete from posts where slug like 'p-%'`.execute(db);
  await sql`update post_counts set count = 0`.execute(db);
  await insert(1, 3);
  const request = { since: '1969-12-31T00:00:00Z', headers: {}, env: now() };
  const reply = await indexReply(reads, newCache(), request);
  const body = JSON.parse(reply.bytes?.toString() ?? '') as PostIndex;
  assert.deepEqual([body.full, body.removed, body.total, body.data.length], [true, [], 3, 3]);
});
