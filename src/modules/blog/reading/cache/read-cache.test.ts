import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countersText } from './page-template.ts';
import { type Built, ReadCache } from './read-cache.ts';

const counters = (viewCount: number, likeCount = 0) => ({ likeCount, commentCount: 0, viewCount, shareCount: 0 });

/** A blog of one post in memory, its database counting what it is asked, and clocks that are moved by hand. */
class Given {
  version = 1;
  views = 0;
  likes = 0;
  title = 'First';
  scheduled: number | null = null;
  now = 1_000_000;
  mono = 0;
  builds = 0;
  reads = 0;
  fails = false;
  /** What a building waits for. */
  gate: Promise<void> = Promise.resolve();
  readonly cache: ReadCache;

  constructor(maxBytes = 1_000_000) {
    this.cache = new ReadCache({
      readVersion: async () => this.ask(this.version),
      nextPublication: async (now) => this.ask(this.scheduled !== null && this.scheduled > now ? this.scheduled : null),
      readCounters: async () => (
        this.reads++, this.ask(new Map([['a', countersText(counters(this.views, this.likes))]]))
      ),
      now: () => this.now,
      monotonic: () => this.mono,
      maxBytes,
    });
  }

  ask<T>(answer: T): T {
    if (this.fails) throw new Error('the database is away');
    return answer;
  }

  build = async (): Promise<Built> => {
    this.builds++;
    const body = { data: [{ id: 'a', title: this.title, ...counters(this.views, this.likes) }], at: this.now };
    await this.gate;
    return this.ask({ body, postIds: ['a'] });
  };

  async read(key = 'k', build: () => Promise<Built> = this.build) {
    const { bytes, etag } = await this.cache.get(key, build);
    const { data, at } = JSON.parse(bytes.toString()) as { data: [{ title: string; viewCount: number }]; at: number };
    return { title: data[0].title, views: data[0].viewCount, at, etag };
  }
}

test('a reply is built once, also for many at the same time', async () => {
  const g = new Given();
  const all = await Promise.all(Array.from({ length: 20 }, () => g.read()));
  assert.equal(g.builds, 1);
  assert.equal(new Set(all.map((r) => r.etag)).size, 1);
  await g.read();
  assert.equal(g.builds, 1);
  await g.read('another key');
  assert.equal(g.builds, 2);
});

test('a change that this process announces is seen by the next reader', async () => {
  const g = new Given();
  await g.read();
  g.title = 'Second';
  g.version++;
  g.cache.doubt();
  assert.equal((await g.read()).title, 'Second');
});

test('a change that nobody announced is seen within a second', async () => {
  const g = new Given();
  await g.read();
  g.title = 'Second';
  g.version++;
  assert.equal((await g.read()).title, 'First');
  g.mono += 999;
  assert.equal((await g.read()).title, 'Second');
});

test('what was built before a change is not kept for those who come after it', async () => {
  const g = new Given();
  const { promise, resolve } = Promise.withResolvers<void>();
  g.gate = promise;
  const early = g.read();
  while (g.builds === 0) await new Promise(setImmediate);
  g.title = 'Second';
  g.version++;
  g.cache.doubt();
  const late = g.read();
  resolve();
  assert.equal((await early).title, 'First');
  assert.equal((await late).title, 'Second');
  assert.equal((await g.read()).title, 'Second');
});

test('counters that this process changed are seen at once, and cost no new building', async () => {
  const g = new Given();
  const before = await g.read();
  g.views = 1;
  g.cache.counted(['a']);
  const after = await g.read();
  assert.deepEqual([after.views, g.builds, g.reads], [1, 1, 1]);
  assert.notEqual(after.etag, before.etag);
  await g.read();
  assert.equal(g.reads, 1, 'they are right now');
});

test('counters that change while a reply is being built are seen by who comes after the change', async () => {
  const g = new Given();
  const { promise, resolve } = Promise.withResolvers<void>();
  g.gate = promise;
  const early = g.read();
  while (g.builds === 0) await new Promise(setImmediate);
  g.views = 5;
  g.cache.counted(['a']);
  const late = g.read();
  resolve();
  await early;
  assert.equal((await late).views, 5);
  assert.equal((await g.read()).views, 5);
});

test('counters that others changed are seen within a second, by one query for all', async () => {
  const g = new Given();
  await Promise.all([g.read('one'), g.read('two')]);
  g.views = 3;
  assert.equal((await g.read('one')).views, 0);
  g.mono += 999;
  const [one, two] = await Promise.all([g.read('one'), g.read('two')]);
  assert.deepEqual([one.views, two.views, g.reads, g.builds], [3, 3, 1, 2]);
});

test('counters that another node has changed are seen at once by who is signed in, in a list too', async () => {
  const g = new Given();
  await g.read();
  g.views = 3;
  g.mono += 1;
  const { bytes } = await g.cache.get('k', g.build, {});
  assert.match(bytes.toString(), /"viewCount":3/);
  assert.deepEqual([g.reads, g.builds], [1, 1]);
});

test('a storm of changes starves no reader', async () => {
  const g = new Given();
  await g.read();
  const reading = Array.from({ length: 50 }, async () => {
    g.views++;
    g.cache.counted(['a']);
    const seen = g.views;
    assert.ok((await g.read()).views >= seen);
  });
  await Promise.all(reading);
  assert.equal(g.builds, 1);
});

test('a list that is ordered by counters is built anew after a change here, and within a second else', async () => {
  const g = new Given();
  const byCounters = async (): Promise<Built> => ({ ...(await g.build()), byCounters: true });
  await g.read('k', byCounters);
  await g.read('k', byCounters);
  assert.equal(g.builds, 1);
  g.cache.counted(['b']);
  await g.read('k', byCounters);
  assert.equal(g.builds, 2);
  g.mono += 999;
  await g.read('k', byCounters);
  assert.equal(g.builds, 3);
});

test('who comes after a change here shares no list by counters that began before it', async () => {
  const g = new Given();
  const byCounters = async (): Promise<Built> => ({ ...(await g.build()), byCounters: true });
  const { promise, resolve } = Promise.withResolvers<void>();
  g.gate = promise;
  const early = g.read('k', byCounters);
  while (g.builds === 0) await new Promise(setImmediate);
  g.cache.counted(['b']);
  const late = Promise.all([g.read('k', byCounters), g.read('k', byCounters)]);
  g.title = 'Another order';
  resolve();
  assert.equal((await early).title, 'First');
  assert.deepEqual(
    (await late).map((reply) => reply.title),
    ['Another order', 'Another order'],
  );
  assert.equal(g.builds, 2);
});

test('who likes a post on another node sees that at once, and the count with it', async () => {
  const g = new Given();
  await g.read();
  const build = async (): Promise<Built> => {
    const body = { id: 'a', ...counters(0), likedByMe: false };
    return { body, postIds: ['a'] };
  };
  const asReader = async () => {
    const { bytes } = await g.cache.get('post', build, {
      personal: async () => ({ liked: true, counters: countersText({ ...counters(0), likeCount: 1 }) }),
    });
    const { likeCount, likedByMe } = JSON.parse(bytes.toString()) as { likeCount: number; likedByMe: boolean };
    return { likeCount, likedByMe };
  };
  g.mono += 1;
  assert.deepEqual(await asReader(), { likeCount: 1, likedByMe: true });
  assert.equal(g.reads, 0, 'nothing else is asked for');
});

test('memory counts keys, and what characters take', async () => {
  const g = new Given();
  await g.read('k');
  const one = g.cache.bytes;
  await g.read('k'.repeat(1001));
  assert.equal(g.cache.bytes, 2 * one + 2000);
  const latin = g.cache.bytes;
  g.title = '漢'.repeat(1000);
  await g.read('l');
  assert.ok(g.cache.bytes - latin - one >= 5 * 990, 'two bytes as text, three as sent');
});

test('what nobody asks for any more gives its memory back', async () => {
  const g = new Given();
  await g.read('kept');
  const { bytes } = g.cache;
  await g.read('page of another mark');
  g.cache.forget('page of another mark');
  g.cache.forget('page of another mark');
  assert.equal(g.cache.bytes, bytes);
  await g.read('kept');
  assert.equal(g.builds, 2);
});

test('when a scheduled post becomes public, everything is built anew', async () => {
  const g = new Given();
  g.scheduled = g.now + 60_000;
  await g.read();
  g.now += 59_999;
  assert.equal((await g.read()).at, 1_000_000);
  g.now += 1;
  assert.equal((await g.read()).at, g.now);
  assert.equal((await g.read()).at, g.now);
  assert.equal(g.builds, 2);
});

test('a clock that is set back brings nothing of the future along', async () => {
  const g = new Given();
  g.scheduled = g.now + 60_000;
  g.now += 120_000;
  await g.read();
  g.now -= 120_000;
  assert.equal((await g.read()).at, g.now);
  assert.equal(g.builds, 2);
});

test('a database that is away is told, and nothing is kept of it', async () => {
  const g = new Given();
  await g.read();
  g.fails = true;
  g.mono += 5000;
  await assert.rejects(g.read(), /away/);
  await assert.rejects(g.read('another'), /away/);
  g.fails = false;
  assert.equal((await g.read()).title, 'First');
});

test('what fails to be built is not kept', async () => {
  const g = new Given();
  const failing = () => Promise.reject(new Error('NOT_FOUND'));
  await assert.rejects(g.read('k', failing), /NOT_FOUND/);
  assert.equal((await g.read('k')).title, 'First');
});

test('memory is bounded: what was not asked for lately goes first', async () => {
  const g = new Given(40_000);
  await g.read('often');
  for (let i = 0; i < 100; i++) {
    await g.read(`once ${i}`);
    await g.read('often');
  }
  assert.ok(g.cache.bytes <= 40_000, String(g.cache.bytes));
  assert.equal(g.builds, 101);
});

test('without memory every request is built', async () => {
  const g = new Given(0);
  await Promise.all([g.read(), g.read()]);
  await g.read();
  assert.deepEqual([g.builds, g.cache.bytes], [3, 0]);
});

describe('the mark of a reply', () => {
  const given = async () => {
    const g = new Given();
    await g.read();
    const mark = g.cache.mark('k');
    assert.ok(mark);
    return { g, mark };
  };

  test('is the same whoever asks, and however often the posts were viewed', async () => {
    const { g, mark } = await given();
    assert.equal((await g.cache.marked('k', g.build)).mark, mark);
    g.views = 7;
    g.cache.counted(['a']);
    assert.equal(g.cache.mark('k'), null, 'not known to be right');
    const { ready, mark: after } = await g.cache.marked('k', g.build);
    assert.match(ready.bytes.toString(), /"viewCount":7/);
    assert.equal(after, mark);
    assert.equal(g.cache.mark('k'), mark);
  });

  test('is another one with each like, also when it is taken back', async () => {
    const { g, mark } = await given();
    const marks = new Set([mark]);
    for (const likes of [1, 0, 1]) {
      g.likes = likes;
      g.cache.counted(['a']);
      marks.add((await g.cache.marked('k', g.build)).mark);
    }
    assert.equal(marks.size, 4);
  });

  test('is another one once the content has changed, and none of what is not here', async () => {
    const { g, mark } = await given();
    g.version++;
    g.cache.doubt();
    assert.equal(g.cache.mark('k'), null);
    assert.notEqual((await g.cache.marked('k', g.build)).mark, mark);
    assert.equal(g.cache.mark('another key'), null);
  });

  test('is none of a reply that other nodes may have changed', async () => {
    const { g } = await given();
    g.mono += 999;
    assert.equal(g.cache.mark('k'), null);
  });

  test('is none from the moment of a publication on', async () => {
    const g = new Given();
    g.scheduled = g.now + 5000;
    await g.read();
    assert.ok(g.cache.mark('k'));
    g.now += 5000;
    assert.equal(g.cache.mark('k'), null);
  });
});
