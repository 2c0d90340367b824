import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { type CallOptions, testService } from '../../../../test/helpers/service.ts';
import { ManualClock } from '../../../lib/clock.ts';
import { countersAndRows } from './fixtures.ts';

const clock = new ManualClock('2026-03-01T12:00:00.000Z');
const service = await testService({ clock, withoutLoops: true });
const editor = await service.user({ blogRole: 'EDITOR' });
const [ann, bob] = [await service.user(), await service.user()];
const { key } = await service.key(['blog:read']);
const { key: second } = await service.key(['blog:read']);
const { key: without } = await service.key(['events:publish']);

interface Managed {
  id: string;
  slug: string;
  version: number;
  updatedAt: string;
  likeCount: number;
  viewCount: number;
  shareCount: number;
}
let count = 0;

async function draft(): Promise<Managed> {
  const body = { title: `Post ${++count}`, body: 'Text.', category: 'News' };
  return service.ok<Managed>(201, 'POST', '/v1/blog/manage/posts', { token: editor.token, body });
}
async function published(at?: string): Promise<Managed> {
  const { id } = await draft();
  const body = at === undefined ? {} : { at };
  return service.ok<Managed>(200, 'POST', `/v1/blog/manage/posts/${id}/publish`, { token: editor.token, body });
}

const to = (slug: string, what: string): string => `/v1/blog/posts/${slug}/${what}`;
const like = (slug: string, token: string, options: CallOptions = {}) =>
  service.ok(200, 'PUT', to(slug, 'like'), { token, ...options });
const unlike = (slug: string, token: string, options: CallOptions = {}) =>
  service.ok(200, 'DELETE', to(slug, 'like'), { token, ...options });
const view = (slug: string, options: CallOptions = {}) =>
  service.ok(200, 'POST', to(slug, 'view'), { token: key, ...options });
const share = (slug: string, channel: string, options: CallOptions = {}) =>
  service.ok(200, 'POST', to(slug, 'share'), { token: key, body: { channel }, ...options });
const idempotent = (id: string) => ({ headers: { 'idempotency-key': id } });
const detail = (slug: string, token = key) =>
  service.ok<Managed & { likedByMe: boolean }>(200, 'GET', `/v1/blog/posts/${slug}`, { token });

describe('likes', () => {
  test('exist or do not, per user and post; each answer has its own in it', async () => {
    const { slug } = await published();
    assert.deepEqual(await like(slug, ann.token), { liked: true, likeCount: 1 });
    assert.deepEqual(await like(slug, ann.token), { liked: true, likeCount: 1 });
    assert.deepEqual(await like(slug, bob.token), { liked: true, likeCount: 2 });
    assert.deepEqual(await unlike(slug, ann.token), { liked: false, likeCount: 1 });
    assert.deepEqual(await unlike(slug, ann.token), { liked: false, likeCount: 1 });
    assert.equal((await detail(slug)).likeCount, 1);
  });

  test('are seen in likedByMe by their own user at once, never through a key, and in no shared cache', async () => {
    const { slug } = await published();
    await like(slug, ann.token);
    const liked = async (token: string) => (await detail(slug, token)).likedByMe;
    assert.deepEqual([await liked(ann.token), await liked(bob.token), await liked(key)], [true, false, false]);
    const reply = await service.call('GET', `/v1/blog/posts/${slug}`, { token: ann.token });
    assert.match(reply.headers.get('cache-control') ?? '', /private/);
    assert.match(reply.headers.get('vary') ?? '', /Authorization/);
    const etag = { headers: { 'if-none-match': reply.headers.get('etag') ?? '' } };
    const again = () => service.call('GET', `/v1/blog/posts/${slug}`, { token: ann.token, ...etag });
    assert.equal((await again()).status, 304);
    await unlike(slug, ann.token);
    assert.equal((await again()).status, 200, 'a counter that moved is another reply');
    assert.equal(await liked(ann.token), false);
  });

  test('need a session: an API key is 401, and so is a user who was disabled since', async () => {
    const { slug } = await published();
    for (const method of ['PUT', 'DELETE'] as const) {
      await service.refused('UNAUTHENTICATED', method, to(slug, 'like'), { token: key });
      await service.refused('UNAUTHENTICATED', method, to(slug, 'like'));
    }
    const gone = await service.user();
    await service.ok(200, 'PATCH', `/v1/admin/users/${gone.id}`, {
      token: await service.operator(),
      body: { disabled: true },
    });
    await service.refused('UNAUTHENTICATED', 'PUT', to(slug, 'like'), { token: gone.token });
    assert.equal((await detail(slug)).likeCount, 0);
  });

  test('a like taken back is answered again under its key, also when it was given anew since', async () => {
    const { slug } = await published();
    await like(slug, ann.token);
    const first = await unlike(slug, ann.token, idempotent('back'));
    await like(slug, ann.token);
    const repeated = await service.call('DELETE', to(slug, 'like'), { token: ann.token, ...idempotent('back') });
    assert.deepEqual([repeated.status, repeated.body], [200, first]);
    assert.equal(repeated.headers.get('idempotency-replayed'), 'true');
    assert.equal((await detail(slug, ann.token)).likedByMe, true);
  });
});

describe('views', () => {
  test('count once per visit and post, and each time without a key', async () => {
    const [one, two] = [await published(), await published()];
    assert.deepEqual(await view(one.slug, idempotent('visit')), { viewCount: 1 });
    assert.deepEqual(await view(one.slug, idempotent('visit')), { viewCount: 1 });
    assert.deepEqual(await view(two.slug, idempotent('visit')), { viewCount: 1 }, 'the same visit, another post');
    assert.deepEqual(await view(one.slug, idempotent('another-visit')), { viewCount: 2 });
    assert.deepEqual(await view(one.slug, { token: second, ...idempotent('visit') }), { viewCount: 3 });
    assert.deepEqual(await view(one.slug), { viewCount: 4 });
    assert.deepEqual(await view(one.slug, { token: ann.token }), { viewCount: 5 });
    assert.equal((await detail(two.slug)).viewCount, 1);
  });

  test('the same visit ten times at once is one view', async () => {
    const { slug } = await published();
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => service.call('POST', to(slug, 'view'), { token: key, ...idempotent('ten') })),
    );
    assert.deepEqual(new Set(replies.map((r) => r.status).filter((s) => s !== 409)), new Set([200]));
    assert.equal((await detail(slug)).viewCount, 1);
  });

  test('the same visit is one view of a post, whichever of its addresses is asked', async () => {
    const { id, slug } = await published();
    const present = `${slug}-renamed`;
    const before = await view(slug, idempotent('moved'));
    await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, { token: editor.token, body: { slug: present } });
    for (const address of [present, slug]) assert.deepEqual(await view(address, idempotent('moved')), before);
    assert.deepEqual(await view(present, idempotent('another')), { viewCount: 2 });
    const both = [slug, present].map((address) =>
      service.call('POST', to(address, 'view'), { token: key, ...idempotent('both') }),
    );
    await Promise.all(both);
    assert.equal((await detail(present)).viewCount, 3);
  });

  test('the same visit is another view of a post that gets the address of one that was deleted', async () => {
    const { id, slug } = await published();
    await view(slug, idempotent('reused'));
    await service.ok(204, 'DELETE', `/v1/blog/manage/posts/${id}`, { token: editor.token });
    const next = await published();
    await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${next.id}`, { token: editor.token, body: { slug } });
    await view(slug);
    assert.deepEqual(await view(slug, idempotent('reused')), { viewCount: 2 });
  });

  test('take no body and need blog:read', async () => {
    const { slug } = await published();
    const reply = await service.refused('VALIDATION_ERROR', 'POST', to(slug, 'view'), { token: key, body: { a: 1 } });
    assert.deepEqual(
      reply.body.error.details?.map((d) => d.path),
      ['body'],
    );
    await service.refused('FORBIDDEN', 'POST', to(slug, 'view'), { token: without });
    await service.refused('UNAUTHENTICATED', 'POST', to(slug, 'view'));
    assert.equal((await detail(slug)).viewCount, 0);
  });
});

describe('shares', () => {
  test('count each time, once per key, through whatever channel', async () => {
    const { slug } = await published();
    assert.deepEqual(await share(slug, 'email'), { shareCount: 1 });
    assert.deepEqual(await share(slug, 'email'), { shareCount: 2 });
    assert.deepEqual(await share(slug, 'copy-link', { token: ann.token }), { shareCount: 3 });
    assert.deepEqual(await share(slug, 'x', idempotent('s')), { shareCount: 4 });
    assert.deepEqual(await share(slug, 'x', idempotent('s')), { shareCount: 4 });
    const other = { token: key, body: { channel: 'y' }, ...idempotent('s') };
    await service.refused('IDEMPOTENCY_KEY_REUSED', 'POST', to(slug, 'share'), other);
    assert.equal((await detail(slug)).shareCount, 4);
  });

  const bad: unknown[] = ['', 'a'.repeat(41), 'E-mail', 'a b', '-a', 'a--b', 'é', 5, null, undefined];
  for (const channel of bad) {
    test(`channel ${JSON.stringify(channel)?.slice(0, 12)} is refused`, async () => {
      const { slug } = await published();
      const options = { token: key, body: { channel } };
      const { body } = await service.refused('VALIDATION_ERROR', 'POST', to(slug, 'share'), options);
      assert.deepEqual(
        body.error.details?.map((d) => d.path),
        ['body.channel'],
      );
    });
  }
  test('a channel of 40 characters is taken, another field is not', async () => {
    const { slug } = await published();
    assert.deepEqual(await share(slug, 'a'.repeat(40)), { shareCount: 1 });
    const options = { token: key, body: { channel: 'x', by: 'me' } };
    await service.refused('VALIDATION_ERROR', 'POST', to(slug, 'share'), options);
  });
});

/** Each operation, as [method, what, token, body]. */
const OPERATIONS = [
  ['PUT', 'like', ann.token, undefined],
  ['DELETE', 'like', ann.token, undefined],
  ['POST', 'view', key, undefined],
  ['POST', 'share', key, { channel: 'email' }],
] as const;

test('the word null is a slug and a channel like others', async () => {
  const { id } = await published();
  await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, { token: editor.token, body: { slug: 'null' } });
  assert.deepEqual(await like('null', ann.token), { liked: true, likeCount: 1 });
  assert.deepEqual(await view('null'), { viewCount: 1 });
  assert.deepEqual(await share('null', 'null'), { shareCount: 1 });
});

for (const [method, what, token, body] of OPERATIONS) {
  const options = { token, ...(body ? { body } : {}) };
  describe(`${method} ${what}`, () => {
    test('is for public posts: a draft, a scheduled, an archived and no post are 404', async () => {
      const scheduled = await published('2026-03-01T13:00:00.000Z');
      const archived = await published();
      await service.ok(200, 'POST', `/v1/blog/manage/posts/${archived.id}/unpublish`, { token: editor.token });
      const hidden = [(await draft()).slug, scheduled.slug, archived.slug];
      for (const slug of [...hidden, 'nothing', 'No%20slug', 'a'.repeat(400)])
        await service.refused('NOT_FOUND', method, to(slug, what), options);
      const kept = (await countersAndRows(service.service.opened.platform.db)).filter((c) => hidden.includes(c.slug));
      assert.deepEqual(
        kept.map(({ counters }) => counters),
        hidden.map(() => ({ likes: 0, views: 0, shares: 0 })),
      );
    });

    test('is done at an old address too: a redirection would make clients repeat it as GET', async () => {
      const { id, slug } = await published();
      const renamed = `${slug}-renamed`;
      await service.ok(200, 'PATCH', `/v1/blog/manage/posts/${id}`, { token: editor.token, body: { slug: renamed } });
      const keyed = { ...options, ...idempotent(`moved-${method}-${what}`) };
      const first = await service.ok(200, method, to(slug, what), keyed);
      assert.deepEqual(await service.ok(200, method, to(slug, what), keyed), first);
      const { likeCount, viewCount, shareCount } = await detail(renamed);
      assert.equal(likeCount + viewCount + shareCount, method === 'DELETE' ? 0 : 1);
    });
  });
}

test('a scheduled post takes likes from its very time on', async () => {
  const { slug } = await published('2026-03-01T13:00:00.000Z');
  await service.refused('NOT_FOUND', 'PUT', to(slug, 'like'), { token: ann.token });
  clock.set(Date.parse('2026-03-01T13:00:00.000Z'));
  assert.deepEqual(await like(slug, ann.token), { liked: true, likeCount: 1 });
});

test('counters are in every reply about a post, and are no change of it', async () => {
  const { id, slug, version, updatedAt } = await published();
  clock.advance(60_000);
  await like(slug, ann.token);
  await view(slug);
  await view(slug);
  await share(slug, 'email');
  const countersOf = ({ likeCount, viewCount, shareCount }: Managed) => ({ likeCount, viewCount, shareCount });
  const expected = { likeCount: 1, viewCount: 2, shareCount: 1 };
  const managed = await service.ok<Managed>(200, 'GET', `/v1/blog/manage/posts/${id}`, { token: editor.token });
  assert.deepEqual(countersOf(managed), expected);
  assert.deepEqual([managed.version, managed.updatedAt], [version, updatedAt]);
  for (const [path, token] of [
    ['/v1/blog/posts', key],
    ['/v1/blog/manage/posts', editor.token],
  ]) {
    const { data } = await service.ok<{ data: Managed[] }>(200, 'GET', `${path}?limit=100`, { token: token ?? '' });
    assert.deepEqual(countersOf(data.find((p) => p.slug === slug) as Managed), expected, path);
  }
  assert.deepEqual(countersOf(await detail(slug)), expected);
});

test('every counter of this file equals the rows behind it', async () => {
  for (const { slug, counters, rows } of await countersAndRows(service.service.opened.platform.db))
    assert.deepEqual(counters, rows, slug);
});

test('a like that is taken back leaves the trend to what is long past', async () => {
  const { db } = service.service.opened.platform;
  const trendOf = async (slug: string): Promise<number> => {
    const { rows } = await sql<{ trend: number }>`select k.trend from post_counters k join posts p on p.id = k.post_id
      where p.slug = ${slug}`.execute(db);
    return (rows[0] as { trend: number }).trend;
  };
  const [quiet, unknown] = [await published(), await published()];
  for (let i = 0; i < 5; i++) await view(quiet.slug);
  await share(quiet.slug, 'x');
  await like(quiet.slug, bob.token);
  const before = await trendOf(quiet.slug);
  clock.advance(45 * 24 * 3600 * 1000);
  const token = await service.signIn(ann.email);
  for (const { slug } of [quiet, unknown]) {
    await like(slug, token);
    await unlike(slug, token);
  }
  const after = await trendOf(quiet.slug);
  // A view of a day counts as at noon.
  assert.ok(Math.abs(after - before) <= 0.5, `${before}, then ${after}`);
  assert.equal(await trendOf(unknown.slug), 0, 'of which nothing is left');
  await like(quiet.slug, token);
  await view(quiet.slug);
  assert.ok((await trendOf(quiet.slug)) > before + 43);
});
