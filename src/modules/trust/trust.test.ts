import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { deliveriesOf, startNode, type Tenant, until } from '../../../test/helpers/engine.ts';
import { EVENTS, type InternalEvent } from '../../contracts/events/index.ts';
import type { SCORING } from './reputation-rules.ts';
import { changesOf, changesOfPayments, type Change, scoreOf } from './reputation-rules.ts';

interface ShownChange {
  eventId: string;
  event: string;
  delta: number;
  reason: string;
  at: string;
}

describe('what changes a score', () => {
  const of = (event: (typeof SCORING)[number], more: object = {}): Change[] =>
    changesOf(event, { ...(EVENTS[event].example as object), ...more });
  const party = (userId: string): object => ({ ...EVENTS['trade.completed'].example.initiator, userId });

  test('a completed trade, for both sides', () => {
    const sides = { initiator: party('ann'), counterparty: party('bob') };
    assert.deepEqual(
      of('trade.completed', sides).map(({ userId, delta }) => [userId, delta]),
      [
        ['ann', 10],
        ['bob', 10],
      ],
    );
  });
  test('a trade with oneself is worth nothing', () => {
    assert.deepEqual(of('trade.completed', { initiator: party('ann'), counterparty: party('ann') }), []);
  });
  const paid = (side: 'INITIATOR' | 'COUNTERPARTY', userId: string) => ({ side, userId });
  test('payments, once both sides have paid, the first of each', () => {
    assert.deepEqual(of('checkout.completed'), []);
    const [ann, again, bob] = [
      paid('INITIATOR', 'ann'),
      paid('INITIATOR', 'ann'),
      paid('COUNTERPARTY', 'bob'),
    ] as const;
    assert.deepEqual(changesOfPayments([ann]), []);
    assert.deepEqual(changesOfPayments([ann, again]), [], 'one side twice is one side');
    const reason = 'Paid for a side of a trade.';
    assert.deepEqual(changesOfPayments([ann, again, bob]), [
      { index: 0, userId: 'ann', delta: 2, reason },
      { index: 2, userId: 'bob', delta: 2, reason },
    ]);
    assert.deepEqual(changesOfPayments([ann, paid('COUNTERPARTY', 'ann')]), [], 'a trade with oneself');
  });
  for (const [severity, delta] of [
    ['LOW', -20],
    ['MEDIUM', -60],
    ['HIGH', -200],
  ] as const) {
    test(`a fraud signal, ${severity}`, () => {
      const signal = { userId: 'ann', rule: 'r', severity, explanation: 'Why.' };
      assert.deepEqual(of('fraud_signal.detected', signal), [{ userId: 'ann', delta, reason: `r, ${severity}: Why.` }]);
    });
  }
  test('what is shown has bounds', () => {
    assert.deepEqual([-501, -500, 0, 500, 501].map(scoreOf), [0, 0, 500, 1000, 1000]);
  });
});

describe('over HTTP', async () => {
  const node = await startNode({
    database: await withDatabase(),
    loops: true,
    settings: { FRAUD_OFFER_MAX: '2', FRAUD_PRICE_FACTOR: '10', FRAUD_FLAG_MIN: '2' },
  });
  const platform = await node.tenant('PLATFORM');
  let merchant: Tenant;
  let reader: string;
  before(async () => {
    merchant = await node.tenant('MERCHANT');
    reader = (await newUser('ann')).token;
  });

  const example = (event: InternalEvent): object => EVENTS[event].example;
  const publish = async (event: InternalEvent, more: object, audience: readonly Tenant[] = []): Promise<string> => {
    const [id] = await node.publish(platform, audience, [{ event, data: { ...example(event), ...more } }]);
    return id as string;
  };
  const party = (userId: string): object => ({ ...EVENTS['trade.completed'].example.initiator, userId });
  const pay = (tradeSessionId: string, side: 'INITIATOR' | 'COUNTERPARTY', userId: string): Promise<string> =>
    publish('checkout.completed', { tradeSessionId, side, userId });
  const newUser = async (name: string): Promise<{ id: string; token: string }> => {
    const body = { email: `${name}@example.com`, name, password: 'a long password' };
    const { user, accessToken } = await node.ok(201, 'POST', '/v1/auth/sign-up', { body });
    return { id: user.id, token: accessToken };
  };
  let trades = 0;
  const trade = (ann: string, bob: string, tradeSessionId = `completed-${++trades}`): Promise<string> =>
    publish('trade.completed', { tradeSessionId, initiator: party(ann), counterparty: party(bob) });
  const offer = (userId: string, audience: readonly Tenant[] = []): Promise<string> =>
    publish('offer.created', { initiator: { ...EVENTS['offer.created'].example.initiator, userId } }, audience);
  const reputation = (user: string, key = platform.key, query = '') =>
    node.ok(200, 'GET', `/v1/users/${encodeURIComponent(user)}/reputation${query}`, { key });
  const signalsOf = async (user: string) => {
    const { data } = await node.ok(200, 'GET', '/v1/events?event=fraud_signal.detected&limit=100', {
      key: platform.key,
    });
    return data.filter((e: { data: { userId: string } }) => e.data.userId === user);
  };
  const readTo = async (...readers: string[]): Promise<void> => {
    for (const name of readers) {
      await until(`${name} has read the log`, async () => {
        const { data } = await node.ok(200, 'GET', '/v1/admin/readers', { key: platform.key });
        return data.find((r: { name: string }) => r.name === name)?.lag === 0;
      });
    }
  };
  const rebuild = async (name: string): Promise<void> => {
    await node.ok(202, 'POST', `/v1/admin/readers/${name}/rebuild`, { key: platform.key });
    await readTo(name);
  };

  test('somebody of whom nothing is known has the base score', async () => {
    for (const user of ['nobody', '!~/%2F?#', 'x'.repeat(128)]) {
      const none = { userId: user, score: 500, nextCursor: null };
      assert.deepEqual(await reputation(user), { ...none, changes: [] });
      assert.deepEqual(await reputation(user, reader), { ...none, changes: null });
    }
    for (const user of ['x'.repeat(129), 'a b', 'é']) {
      const path = `/v1/users/${encodeURIComponent(user)}/reputation`;
      assert.equal((await node.call('GET', path, { key: reader })).status, 400, user);
    }
    assert.equal((await node.call('GET', '/v1/users/nobody/reputation')).status, 401);
  });

  test('a score with the changes that made it, newest first, page by page', async () => {
    const first = await trade('bea', 'cem');
    const second = await pay('paid-1', 'INITIATOR', 'bea');
    await pay('paid-1', 'COUNTERPARTY', 'cem');
    const third = await trade('dan', 'bea');
    await readTo('reputation');
    const { changes, ...rest } = await reputation('bea');
    assert.deepEqual(rest, { userId: 'bea', score: 522, nextCursor: null });
    assert.deepEqual(
      changes.map(({ at: _at, ...change }: ShownChange) => change),
      [
        { eventId: third, event: 'trade.completed', delta: 10, reason: 'Completed a trade.' },
        { eventId: second, event: 'checkout.completed', delta: 2, reason: 'Paid for a side of a trade.' },
        { eventId: first, event: 'trade.completed', delta: 10, reason: 'Completed a trade.' },
      ],
    );
    assert.equal(changes[0].at, new Date(node.clock.now()).toISOString());
    const page = await reputation('bea', platform.key, '?limit=2');
    assert.deepEqual(page.changes, changes.slice(0, 2));
    const last = await reputation('bea', platform.key, `?limit=2&cursor=${page.nextCursor}`);
    assert.deepEqual([last.changes, last.nextCursor, last.score], [changes.slice(2), null, 522]);
    assert.equal((await reputation('cem', reader)).score, 512);
    const wrong = '/v1/users/bea/reputation?cursor=x';
    assert.equal((await node.call('GET', wrong, { key: reader })).status, 400);
  });

  test('only the user and operators see the changes, everybody else the score', async () => {
    const [own, other] = [await newUser('iva'), await newUser('jon')];
    await trade(own.id, 'kim');
    await readTo('reputation');
    for (const key of [own.token, platform.key]) {
      const { score, changes } = await reputation(own.id, key);
      assert.deepEqual([score, changes.map((c: ShownChange) => c.delta)], [510, [10]]);
    }
    const publisher = await node.tenant('PLATFORM', ['events:publish']);
    for (const key of [other.token, merchant.key, publisher.key]) {
      const seen = await reputation(own.id, key, '?limit=1');
      assert.deepEqual(seen, { userId: own.id, score: 510, changes: null, nextCursor: null });
    }
  });

  test('a user whose UUID events write in capitals is the one with it in small letters', async () => {
    const { id, token } = await newUser('lou');
    const capitals = id.toUpperCase();
    await trade(capitals, 'kim');
    await trade(id, 'kim');
    await trade(id, capitals);
    for (const user of [capitals, id]) await offer(user);
    await offer(capitals);
    await readTo('fraud-evaluation', 'reputation');
    for (const user of [id, capitals]) {
      const { userId, score, changes } = await reputation(user, token);
      assert.deepEqual([userId, score, changes.length], [id, 520, 2]);
    }
    assert.equal((await signalsOf(id)).length, 1);
    assert.equal((await reputation(capitals)).score, 460);
  });

  test('no score moves before both sides have paid', async () => {
    const scores = async () => {
      await readTo('reputation');
      const all = await Promise.all(['lia', 'max'].map((user) => reputation(user, merchant.key)));
      return all.map(({ score }: { score: number }) => score);
    };
    await pay('paid-2', 'COUNTERPARTY', 'lia');
    assert.deepEqual(await scores(), [500, 500]);
    await pay('paid-3', 'INITIATOR', 'max');
    assert.deepEqual(await scores(), [500, 500], 'a payment of another trade');
    await pay('paid-2', 'INITIATOR', 'max');
    assert.deepEqual(await scores(), [502, 502]);
    await pay('paid-2', 'INITIATOR', 'max');
    assert.deepEqual(await scores(), [502, 502]);
  });

  test('a trade is completed once, however often that is published', async () => {
    const first = await trade('pia', 'quy', 'again');
    await trade('pia', 'quy', 'again');
    await readTo('reputation');
    await trade('pia', 'quy', 'again');
    await readTo('reputation');
    for (const user of ['pia', 'quy']) {
      const { score, changes } = await reputation(user);
      assert.deepEqual([score, changes.map((c: ShownChange) => c.eventId)], [510, [first]]);
    }
  });

  test('a trade whose UUID was written in either case is one, and both sides of it may be paid in another', async () => {
    const id = node.env.newId();
    const first = await trade('ros', 'sam', id.toUpperCase());
    const paid = [
      await pay(id, 'INITIATOR', 'ros'),
      await pay(id.toUpperCase(), 'COUNTERPARTY', 'sam'),
      await pay(id.toUpperCase(), 'INITIATOR', 'ros'),
      await pay(id, 'COUNTERPARTY', 'sam'),
    ];
    await readTo('reputation');
    await trade('ros', 'sam', id);
    await trade('ros', 'sam', id.toUpperCase());
    await pay(id, 'INITIATOR', 'ros');
    for (const read of [readTo, rebuild]) {
      await read('reputation');
      for (const [n, user] of ['ros', 'sam'].entries()) {
        const { score, changes } = await reputation(user);
        const counted = changes.map((c: ShownChange) => c.eventId);
        assert.deepEqual([score, counted], [512, [paid[n], first]], user);
      }
    }
  });

  test('a burst of offers is signalled and lowers the score, for the eyes of operators only', async () => {
    await trade('eve', 'fay');
    const offers = [await offer('eve'), await offer('eve'), await offer('eve'), await offer('eve')];
    await until('the signal is published', async () => (await signalsOf('eve')).length > 0);
    await readTo('fraud-evaluation', 'reputation');
    const [signal, ...more] = await signalsOf('eve');
    assert.deepEqual(more, [], 'once for the burst');
    assert.deepEqual([signal.causedBy, signal.accountIds], [offers[2], []]);
    assert.deepEqual(signal.data, {
      userId: 'eve',
      rule: 'offer_velocity',
      severity: 'MEDIUM',
      explanation: '3 offers or more within 10 minutes; up to 2 are usual.',
      eventIds: offers.slice(0, 3),
    });
    const seen = await reputation('eve');
    assert.deepEqual([seen.score, seen.changes[0].eventId, seen.changes[0].delta], [450, signal.id, -60]);
    assert.match(seen.changes[0].reason, /^offer_velocity, MEDIUM: 3 offers/);
    for (const key of [reader, merchant.key]) assert.equal((await reputation('eve', key)).score, 510);
  });

  test('a signal is not seen by the user concerned either', async () => {
    const { id, token } = await newUser('nia');
    await publish('fraud_signal.detected', { userId: id });
    await trade(id, 'oda');
    await publish('fraud_signal.detected', { userId: id });
    await readTo('reputation');
    const { score, changes } = await reputation(id, token);
    assert.deepEqual([score, changes.map((c: ShownChange) => c.event)], [510, ['trade.completed']]);
    // A page does not tell of what it leaves out either.
    assert.equal((await reputation(id, token, '?limit=1')).nextCursor, null);
    assert.equal((await reputation(id)).changes.length, 3);
  });

  test('repeated flags and a price far off are signalled', async () => {
    const { initiator } = EVENTS['offer.created'].example;
    const cheap = await publish('offer.created', {
      initiator: { ...initiator, userId: 'gil', items: [], tradeAmount: 1 },
    });
    const flags = [
      await publish('moderation.flagged', { targetUserId: 'gil' }),
      await publish('moderation.flagged', { targetUserId: 'gil' }),
    ];
    await until('both are published', async () => (await signalsOf('gil')).length === 2);
    const told = (await signalsOf('gil')).map(({ data }: { data: Record<string, unknown> }) => [
      data.rule,
      data.severity,
      data.explanation,
      data.eventIds,
    ]);
    assert.deepEqual(told, [
      ['repeated_flags', 'MEDIUM', 'Flagged 2 times or more within 7 days; 2 are too many.', flags],
      [
        'price_deviation',
        'MEDIUM',
        'The initiator gives 1 and gets 149.9 EUR: 149.9 times as much; up to 10 times is usual.',
        [cheap],
      ],
    ]);
  });

  test('a fraud signal reaches no webhook, even if its publisher names an account, and ours name none', async () => {
    await node.endpoint(merchant, 'http://127.0.0.1:9/');
    await Promise.all([offer('hal', [merchant]), offer('hal', [merchant]), offer('hal', [merchant])]);
    await until('the signal is published', async () => (await signalsOf('hal')).length > 0);
    const named = await publish('fraud_signal.detected', { userId: 'hal' }, [merchant]);
    await readTo('webhook-fan-out', 'reputation');
    const deliveries = await deliveriesOf(node.db);
    assert.deepEqual(
      deliveries.map((d) => d.webhook),
      ['offer.created', 'offer.created', 'offer.created'],
    );
    const { data } = await node.ok(200, 'GET', '/v1/events?event=fraud_signal.detected', { key: merchant.key });
    assert.deepEqual(
      data.map((e: { id: string }) => e.id),
      [named],
    );
    assert.equal((await reputation('hal')).changes[0].eventId, named, 'reputation reads it, whoever published it');
  });

  test('a rebuild computes the same, and signals nothing again', async () => {
    const users = ['bea', 'cem', 'dan', 'eve', 'fay', 'gil', 'hal', 'lia', 'max'];
    const all = () =>
      Promise.all(users.flatMap((user) => [reputation(user), reputation(user, reader), signalsOf(user)]));
    await readTo('fraud-evaluation', 'reputation');
    const before_ = await all();
    await rebuild('reputation');
    assert.deepEqual(await all(), before_);
    await rebuild('fraud-evaluation');
    await readTo('reputation');
    assert.deepEqual(await all(), before_);
    for (const user of users) {
      const { score, changes } = await reputation(user);
      assert.equal(score, scoreOf(changes.reduce((sum: number, c: ShownChange) => sum + c.delta, 0)), user);
    }
  });
});
