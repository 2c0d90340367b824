import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../test/helpers/database.ts';
import { EVENTS } from '../../contracts/events/index.ts';
import { systemClock } from '../../lib/clock.ts';
import { uuidv7 } from '../../lib/ids.ts';
import { inTransaction, leastTime } from '../../platform/db/index.ts';
import { createPublishAll, type LoggedEvent } from '../events/index.ts';
import { evaluateEvents } from './evaluate-events.ts';
import type { FraudLimits } from './fraud-rules.ts';
import { evaluatedSince, keptSince, purgeFacts } from './purge-facts.ts';

const { db } = await withDatabase();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WITHIN = 10;
const limits: FraudLimits = {
  offers: { atLeast: 3, withinMs: WITHIN * MINUTE },
  flags: { atLeast: 2, withinMs: 7 * DAY },
  priceFactor: 10,
};
const NOW = Date.parse('2026-03-01T12:00:00Z');
/** By the node's clock and the database's. */
let time = NOW;
const deps = { publishAll: createPublishAll(() => undefined), limits };
const evaluate = evaluateEvents({ ...deps, leastTime: async () => time });

const logged = (event: LoggedEvent['event'], at: number, data: object = {}): LoggedEvent => ({
  id: uuidv7(NOW),
  event,
  data: { ...EVENTS[event].example, ...data },
  accountIds: [],
  occurredAt: new Date(at),
  recordedAt: new Date(NOW),
  requestId: 'request-1',
  causedBy: null,
  position: 1,
});
const offer = (at: number, userId = 'ann', more: object = {}): LoggedEvent =>
  logged('offer.created', at, { initiator: { ...EVENTS['offer.created'].example.initiator, userId, ...more } });
const flag = (at: number, targetUserId?: string, reporterUserId?: string): LoggedEvent => {
  const { targetUserId: _user, ...data } = EVENTS['moderation.flagged'].example;
  return {
    ...logged('moderation.flagged', at),
    data: { ...data, ...(targetUserId && { targetUserId }), ...(reporterUserId && { reporterUserId }) },
  };
};
const read = async (events: readonly LoggedEvent[], now = NOW): Promise<void> => {
  time = now;
  for (const event of events) {
    const env = { now: new Date(now), newId: () => uuidv7(now), requestId: event.requestId };
    await inTransaction(db, (trx) => evaluate(trx, [event], env));
  }
};

interface Signal {
  causedBy: string;
  requestId: string;
  accounts: string;
  data: { userId: string; rule: string; eventIds: string[] };
}
const signals = async (since = 0): Promise<Signal[]> => {
  const { rows } = await sql<Omit<Signal, 'data'> & { data: string }>`
    select caused_by as "causedBy", request_id as "requestId", account_ids::text as accounts, data::text as data
    from events where event = 'fraud_signal.detected' order by position`.execute(db);
  return rows.slice(since).map((row) => ({ ...row, data: JSON.parse(row.data) as Signal['data'] }));
};
const briefly = (all: readonly Signal[]): string[] => all.map(({ data }) => `${data.rule} ${data.userId}`);
const count = async (table: 'fraud_facts' | 'fraud_signals'): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)}`.execute(db);
  return rows[0]?.n ?? 0;
};

/** The log keeps what it has: each test looks at what came since its beginning. */
let since = 0;
beforeEach(async () => {
  since = (await signals()).length;
  await sql`delete from fraud_facts`.execute(db);
  await sql`delete from fraud_signals`.execute(db);
});

describe('what is signalled', () => {
  test('it names its cause and its request, and concerns no account', async () => {
    const offers = [offer(NOW), offer(NOW + 1), offer(NOW + 2)];
    await read(offers);
    const [signal, ...more] = await signals(since);
    assert.deepEqual(more, []);
    assert.deepEqual(
      signal?.data.eventIds,
      offers.map((e) => e.id),
    );
    assert.deepEqual([signal?.causedBy, signal?.requestId, signal?.accounts], [offers[2]?.id, 'request-1', '{}']);
    assert.deepEqual([signal?.data.userId, signal?.data.rule], ['ann', 'offer_velocity']);
  });

  test('users are counted apart, and offers apart from flags', async () => {
    await read([offer(NOW), offer(NOW), offer(NOW, 'bob'), offer(NOW, 'bob'), flag(NOW, 'ann'), flag(NOW, 'bob')]);
    assert.deepEqual(await signals(since), []);
    await read([flag(NOW, 'ann')]);
    assert.deepEqual(briefly(await signals(since)), ['repeated_flags ann']);
  });

  test('that a comment waits because all do is no flag of its author', async () => {
    const since = (await signals()).length;
    const waiting = (rule: string): LoggedEvent => {
      const one = flag(NOW, 'wim');
      return { ...one, data: { ...(one.data as object), source: 'RULE', rule } };
    };
    await read(Array.from({ length: 5 }, () => waiting('pre_moderation')));
    assert.equal((await signals()).length, since);
    await read([waiting('blocked_word'), waiting('too_many_links')]);
    assert.equal((await signals()).length, since + 1);
  });

  test('flags that name nobody count against nobody', async () => {
    await read([flag(NOW), flag(NOW), flag(NOW)]);
    assert.deepEqual([await signals(since), await count('fraud_facts')], [[], 0]);
  });

  test('several flags by one reader count once', async () => {
    const flags = [flag(NOW, 'ann', 'zoe'), flag(NOW, 'ann', 'zoe'), flag(NOW + DAY, 'ann', 'zoe')];
    await read(flags);
    assert.deepEqual(await signals(since), []);
    const other = flag(NOW - DAY, 'ann', 'yan');
    await read([other]);
    const [signal, ...more] = await signals(since);
    assert.deepEqual([signal?.data.eventIds, more], [[other.id, flags[0]?.id], []]);
  });

  test('one reader who flags a thousand times hides no other', async () => {
    await sql`insert into fraud_facts (event_id, kind, user_id, reporter_id, occurred_at)
      select gen_random_uuid(), 'FLAG', 'ann', 'zoe', ${new Date(NOW)} from generate_series(1, 3000)`.execute(db);
    await read([flag(NOW - 1, 'ann', 'yan')], NOW);
    assert.equal((await signals(since)).length, 1);
  });

  test('what happened on the last day that can be written is counted too', async () => {
    const end = Date.parse('9999-12-31T23:59:59.999Z');
    await read([offer(end), offer(end), offer(end), flag(end, 'bob', 'x'), flag(end, 'bob', 'y')]);
    assert.deepEqual(briefly(await signals(since)), ['offer_velocity ann', 'repeated_flags bob']);
  });

  test('one burst is one signal; when it goes on, one more for each such time', async () => {
    await read(Array.from({ length: 15 }, (_, n) => offer(NOW + n)));
    assert.equal((await signals(since)).length, 1);
    // The signal was for the offer of minute 0: the first that is far enough from it is the one of minute 11.
    await read(Array.from({ length: 25 }, (_, n) => offer(NOW + n * MINUTE)));
    assert.equal((await signals(since)).length, 3);
  });

  test('each offer with a price far off is one, together with others', async () => {
    const mispriced = { items: [], tradeAmount: 1 };
    await read([offer(NOW, 'ann', mispriced), offer(NOW, 'ann', mispriced), offer(NOW, 'ann', mispriced)]);
    assert.deepEqual(briefly(await signals(since)).toSorted(), [
      'offer_velocity ann',
      ...Array.from({ length: 3 }, () => 'price_deviation ann'),
    ]);
  });
});

describe('in whatever order and how often the log is read', () => {
  const minutes = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 12 });
  let users = 0;
  test('there is a signal exactly if there is a burst, signals keep their distance, and nothing comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(minutes, minutes, async (given, dice) => {
        const userId = `user-${++users}`;
        const before = (await signals()).length;
        const events = given.map((m) => offer(NOW + m * MINUTE, userId));
        await read(events);
        const found = await signals(before);
        const isBurst = given.some((m) => given.filter((t) => t >= m && t - m <= WITHIN).length >= 3);
        assert.equal(found.length > 0, isBurst);
        const times = found
          .map(({ causedBy }) => (events.find((e) => e.id === causedBy) as LoggedEvent).occurredAt.getTime())
          .toSorted((a, b) => a - b);
        assert.ok(times.every((t, i) => i === 0 || t - (times[i - 1] as number) > WITHIN * MINUTE));
        const again = events.toSorted((a, b) => (dice[events.indexOf(a)] ?? 0) - (dice[events.indexOf(b)] ?? 0));
        await read(again);
        assert.deepEqual(await signals(before), found);
      }),
      { numRuns: 40 },
    );
  });
});

describe('many at once', () => {
  const happening = fc.record({
    user: fc.integer({ min: 0, max: 2 }),
    minute: fc.integer({ min: 0, max: 40 }),
    what: fc.constantFrom('offer', 'offer', 'unfair', 'flag'),
    reporter: fc.option(fc.integer({ min: 0, max: 1 }), { nil: undefined }),
  });
  const given = fc.array(happening, { minLength: 1, maxLength: 25 });
  const portions = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
  let runs = 0;

  const made = (what: string, userId: string, at: number, reporter?: number): LoggedEvent => {
    if (what === 'flag') return flag(at, userId, reporter === undefined ? undefined : `rep-${reporter}`);
    return offer(at, userId, what === 'unfair' ? { items: [], tradeAmount: 0 } : {});
  };

  test('find what they find one by one, in whatever portions, and nothing when they are read again', async () => {
    await fc.assert(
      fc.asyncProperty(given, portions, async (happenings, sizes) => {
        const run = `run-${++runs}`;
        const events = (side: string): LoggedEvent[] =>
          happenings.map(({ user, minute, what, reporter }) =>
            made(what, `${run}-${side}-${user}`, NOW + minute * MINUTE, reporter),
          );
        const [alone, together] = [events('alone'), events('together')];
        const start = (await signals()).length;
        await read(alone);
        const between = (await signals()).length;
        const env = { now: new Date(NOW), newId: () => uuidv7(NOW) };
        for (const _ of ['first', 'again']) {
          for (let i = 0, n = 0; i < together.length; i += sizes[n++ % sizes.length] as number) {
            const portion = together.slice(i, i + (sizes[n % sizes.length] as number));
            await inTransaction(db, (trx) => evaluate(trx, portion, env));
          }
        }
        const found = await signals(start);
        const told = (some: readonly Signal[], of: readonly LoggedEvent[]): string[] => {
          const index = (id: string): number => of.findIndex((event) => event.id === id);
          return some
            .map(({ causedBy, data }) => `${data.rule} ${index(causedBy)} of ${data.eventIds.map(index).join()}`)
            .toSorted();
        };
        assert.deepEqual(told(found.slice(between - start), together), told(found.slice(0, between - start), alone));
      }),
      { numRuns: 60 },
    );
  });

  test('of users who are far from any limit, by two statements however many they are', async () => {
    const before = (await signals()).length;
    const many = Array.from({ length: 100 }, (_, i) => offer(NOW, `calm-${i}`));
    let statements = 0;
    const counted = db.withPlugin({
      transformQuery: ({ node }) => (statements++, node),
      transformResult: ({ result }) => Promise.resolve(result),
    });
    await inTransaction(counted, (trx) => evaluate(trx, many, { now: new Date(NOW), newId: () => uuidv7(NOW) }));
    assert.deepEqual([statements, await count('fraud_facts'), (await signals()).length], [2, 100, before]);
  });
});

describe('what is forgotten', () => {
  const forget = async (now: number): Promise<void> => {
    const loop = purgeFacts({ db, leastTime: async () => now });
    while (await loop.step(true));
  };

  test('what a rule may still need is kept, the rest goes', async () => {
    await read([flag(NOW, 'ann'), flag(NOW, 'ann')]);
    await read([offer(NOW)]);
    const left = async (ms: number): Promise<number[]> => {
      await forget(NOW + ms);
      return [await count('fraud_facts'), await count('fraud_signals')];
    };
    const [offers, flags] = (['OFFER', 'FLAG'] as const).map((kind) => NOW - keptSince(kind, new Date(NOW)).getTime());
    assert.deepEqual([offers, flags], [33 * DAY, 211 * DAY]);
    assert.deepEqual(await left(33 * DAY), [3, 1]);
    assert.deepEqual(await left(33 * DAY + 1), [2, 1]);
    assert.deepEqual(await left(211 * DAY), [2, 1]);
    assert.deepEqual(await left(211 * DAY + 1), [0, 0]);
  });

  test('a node whose clock is years ahead forgets nothing that the database has not seen pass', async () => {
    const now = systemClock.now();
    await read([flag(now, 'ann'), flag(now, 'ann')], now);
    const before = [await count('fraud_facts'), await count('fraud_signals')];
    const ahead = { now: () => now + 5 * 365 * DAY };
    await purgeFacts({ db, leastTime: () => leastTime(db, ahead) }).step(true);
    assert.deepEqual([await count('fraud_facts'), await count('fraud_signals')], before);
  });

  test('and passes over no event that is young by the database', async () => {
    const events = [flag(NOW, 'ann'), flag(NOW, 'ann')];
    const ahead = { now: new Date(NOW + 5 * 365 * DAY), newId: () => uuidv7(NOW) };
    time = NOW;
    await inTransaction(db, (trx) => evaluate(trx, events, ahead));
    assert.equal((await signals(since)).length, 1);
  });

  test('what is forgotten is not evaluated when the log is read again', async () => {
    const events = [flag(NOW, 'ann'), flag(NOW, 'ann'), offer(NOW, 'ann', { items: [], tradeAmount: 0 })];
    await read(events);
    const found = await signals(since);
    assert.equal(found.length, 2);
    for (const days of [10, 31, 32, 34, 120, 121, 212, 300]) {
      await forget(NOW + days * DAY);
      await read(events, NOW + days * DAY);
    }
    assert.equal(await count('fraud_facts'), 0);
    assert.deepEqual(await signals(since), found);
  });

  test('an event may be read late by as much as a long outage, not later', async () => {
    const since_ = evaluatedSince('FLAG', new Date(NOW)).getTime();
    await read([flag(since_ - 1, 'ann'), flag(since_ - 1, 'ann')]);
    assert.deepEqual(await signals(since), []);
    await read([flag(since_, 'ann'), flag(since_, 'ann')]);
    assert.equal((await signals(since)).length, 1);
  });
});
