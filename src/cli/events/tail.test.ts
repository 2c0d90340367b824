import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Shell } from '../../../test/helpers/cli.ts';
import { httpProxy } from '../../../test/helpers/http-proxy.ts';
import { testService } from '../../../test/helpers/service.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { ManualClock, monotonicNow, systemClock } from '../../lib/clock.ts';
import { pace } from './pace.ts';
import { Tail } from './tail.ts';

const clock = new ManualClock(systemClock.now());
const service = await testService({ clock, withoutLoops: true });
const accountId = await service.account();
const client = await service.operatorClient();
const listingId = 'lst_tail';
const now = () => clock.now();

async function publish(count = 1, account = accountId): Promise<string[]> {
  const one = { event: 'listing.created', data: EVENTS['listing.created'].example, accountIds: [account] };
  const { data } = await client.publishEvents({ body: { events: Array.from({ length: count }, () => one) } });
  return data.map(({ id }) => id);
}

const idsOf = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id);

describe('the log as it grows', () => {
  test('begins with what comes after the first look, however much there was within a moment', async () => {
    await publish(250);
    const tail = new Tail(client, { accountId }, { tell: assert.fail, now });
    assert.deepEqual(await tail.look(), []);
    assert.deepEqual(await tail.look(), []);
    const fresh = await publish(130);
    assert.deepEqual(idsOf(await tail.look()), fresh);
    assert.deepEqual(await tail.look(), []);
  });

  test('begins in an empty one as well', async () => {
    const tail = new Tail(client, { accountId: await service.account() }, { tell: assert.fail, now });
    assert.deepEqual([await tail.look(), await tail.look()], [[], []]);
  });

  test('has what commits late: after a moment at once, after half a minute within ten looks', async () => {
    clock.advance(120_000);
    const tail = new Tail(client, { accountId }, { tell: assert.fail, now });
    await publish();
    await tail.look();
    clock.advance(50_000);
    const seen = [...(await publish())];
    assert.deepEqual(idsOf(await tail.look()), seen);
    // Recorded then, and seen only now: what a transaction that went on for so long leaves.
    for (const [lateMs, looks] of [
      [2000, 1],
      [30_000, 10],
    ] as const) {
      clock.advance(-lateMs);
      const late = await publish();
      clock.advance(lateMs);
      const found: string[] = [];
      for (let i = 0; i < looks; i++) found.push(...idsOf(await tail.look()));
      assert.deepEqual(found, late, `${lateMs} ms`);
    }
  });
});

describe('an event of a node whose clock is an hour ahead', () => {
  test('is shown once, and hides none of the others, nor does it in a new run', async () => {
    clock.advance(120_000);
    const ofTail = await service.account();
    const publishOne = () => publish(1, ofTail);
    const tail = new Tail(client, { accountId: ofTail }, { tell: assert.fail, now });
    await publishOne();
    await tail.look();
    clock.advance(3_600_000);
    const ahead = await publishOne();
    clock.advance(-3_600_000);
    assert.deepEqual(idsOf(await tail.look()), ahead);
    const again = new Tail(client, { accountId: ofTail }, { tell: assert.fail, now });
    await again.look();
    for (let i = 0; i < 4; i++) {
      clock.advance(45_000);
      const fresh = await publishOne();
      assert.deepEqual([idsOf(await tail.look()), idsOf(await again.look())], [fresh, fresh]);
    }
  });
});

describe('more than can be read', () => {
  /** Counts the requests of a tail, which none of them waits for. */
  const counted = (accountOfTail: string) => {
    const told: string[] = [];
    const requests = { count: 0 };
    let passed = 0;
    const pass = async (): Promise<void> => void passed++;
    const listEvents: typeof client.listEvents = (...args) => {
      assert.equal(++requests.count, passed, 'none that was not let pass');
      return client.listEvents(...args);
    };
    return {
      tail: new Tail({ listEvents }, { accountId: accountOfTail }, { tell: (text) => told.push(text), pass, now }),
      told,
      requests,
    };
  };

  test('a look asks for what is new and not for what was seen, whose late ones every tenth look finds', async () => {
    clock.advance(120_000);
    const { tail, requests, told } = counted(accountId);
    await publish(500);
    await tail.look();
    for (let look = 1; look <= 10; look++) {
      const fresh = await publish(100);
      const before = requests.count;
      assert.deepEqual(idsOf(await tail.look()), fresh);
      assert.ok(requests.count - before <= (look === 10 ? 16 : 2), `${requests.count - before} requests`);
    }
    assert.deepEqual(told, []);
  });

  test('it says what it leaves out, which the list has, and goes on behind it', async () => {
    const { tail, told, requests } = counted(accountId);
    clock.advance(120_000);
    await publish();
    await tail.look();
    const since: string[] = [];
    for (let i = 0; i < 5; i++) {
      clock.advance(1000);
      since.push(...(await publish(500)));
    }
    const before = requests.count;
    assert.deepEqual(idsOf(await tail.look()), since.slice(-2000));
    assert.equal(requests.count - before, 20);
    assert.equal(told.length, 1);
    const [, from = '', to = ''] =
      /left out: posthorn events list --since (\S+) --until (\S+) --all$/.exec(told[0] ?? '') ?? [];
    const left = idsOf(await Array.fromAsync(client.listEvents({ accountId, since: from, until: to, limit: 100 })));
    assert.ok(since.slice(0, 500).every((id) => left.includes(id)));
    clock.advance(1000);
    const next = await publish(10);
    for (let i = 0; i < 10; i++) assert.deepEqual(idsOf(await tail.look()), i === 0 ? next : []);
    assert.equal(told.length, 2);
    assert.match(told[1] ?? '', /^Much is recorded: /);
  });

  test('requests pass at a pace far below what the service takes of one caller', async () => {
    const pass = pace();
    const began = monotonicNow();
    for (let i = 0; i < 15; i++) await pass();
    const took = monotonicNow() - began;
    assert.ok(took >= 900, `${took} ms`);
  });
});

describe('over a proxy', () => {
  const shell = new Shell();

  test('events tail goes on when that answers for a service that is away, and says so', async () => {
    let isAway = false;
    const url = await httpProxy(service.url, async (_request, pass) =>
      isAway ? { status: 502, text: '<h1>Bad gateway</h1>' } : pass(),
    );
    Object.assign(shell.env, { POSTHORN_URL: url, POSTHORN_KEY: await service.operator() });
    await publish();
    const tail = shell.start(['events', 'tail', '--count', '1']);
    await tail.printed(/Waiting for events/);
    isAway = true;
    await tail.printed(/^The service is away \(UNEXPECTED_REPLY, status 502\); waiting for it\.$/m);
    const [id] = await publish();
    isAway = false;
    const { code, out } = await tail.ended();
    assert.deepEqual([code, out.includes(id as string)], [0, true], out);
  });

  test('a file of many events is published once, though nobody knows how far the first run came', async () => {
    const one = {
      event: 'listing.created',
      data: { ...EVENTS['listing.created'].example, listingId },
      accountIds: [accountId],
    };
    writeFileSync(join(shell.home, 'many.json'), JSON.stringify(Array.from({ length: 1100 }, () => one)));
    const [held, begun] = [Promise.withResolvers<never>(), Promise.withResolvers<void>()];
    let requests = 0;
    const url = await httpProxy(service.url, async (_request, pass) => {
      const reply = await pass();
      if (++requests < 2) return reply;
      begun.resolve();
      return held.promise;
    });
    const count = async (): Promise<number> =>
      (await Array.fromAsync(client.listEvents({ subjectId: listingId, limit: 100 }))).length;
    const running = shell.start(['events', 'publish', 'many.json', '--url', url]);
    await begun.promise;
    const broken = await running.interrupt();
    assert.equal(broken.code, 130);
    assert.match(
      broken.err,
      /^The first 500 of 1100 events are published; run it again within 24 hours with the file as it is, /m,
    );
    assert.equal(await count(), 1000);
    const again = await shell.run('events', 'publish', 'many.json', '--url', service.url);
    assert.deepEqual([again.code, again.out], [0, '1100 events are published.\n']);
    assert.equal(again.err, '1000 of 1100 had been published by an earlier run, and were not again (--again does).\n');
    assert.equal(await count(), 1100);
    await shell.ok('events', 'publish', 'many.json', '--again', '--url', service.url);
    assert.equal(await count(), 2200);
  });

  test('what is larger than a request goes in several, and only what is true is advised', async () => {
    const one = {
      event: 'listing.created',
      // 6 kB each, so that fewer than 500 are a request.
      data: { ...EVENTS['listing.created'].example, listingId: 'lst_large', url: `https://x/${'x'.repeat(1900)}` },
      accountIds: Array<string>(100).fill(accountId),
    };
    const events = [...Array.from({ length: 499 }, () => one), { ...one, event: 'no.such' }];
    writeFileSync(join(shell.home, 'large.json'), JSON.stringify(events));
    const { code, err } = await shell.run('events', 'publish', 'large.json', '--url', service.url);
    const [, first] =
      /^The first (\d+) of 500 events are published, the others are not: publish those from a file of their own\.\nposthorn: VALIDATION_ERROR/.exec(
        err,
      ) ?? [];
    assert.deepEqual([code, Number(first) > 300], [1, true], err);
    assert.match(err, /: VALIDATION_ERROR: event 500 of large\.json, event: /, 'counted over all requests');
    assert.equal(
      (await Array.fromAsync(client.listEvents({ subjectId: 'lst_large', limit: 100 }))).length,
      Number(first),
    );
  });
});
