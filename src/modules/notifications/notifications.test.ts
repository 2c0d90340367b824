import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { startNode, until } from '../../../test/helpers/engine.ts';
import { EVENTS, type InternalEvent } from '../../contracts/events/index.ts';
import { inTransaction } from '../../platform/db/index.ts';
import { noticesOf, NOTIFYING } from './concerned.ts';
import { reactToEvents } from './react-to-event.ts';

const PARTIES = { initiator: 'ini', counterparty: 'cou' };
const example = (event: InternalEvent, more: object = {}): Record<string, unknown> => ({
  ...(EVENTS[event].example as Record<string, unknown>),
  ...more,
});

describe('who is told what', () => {
  for (const event of NOTIFYING) {
    test(event, () => {
      const notices = noticesOf(event, example(event), PARTIES);
      assert.ok(notices.length > 0, 'somebody is concerned');
      assert.equal(new Set(notices.map((n) => n.userId)).size, notices.length, 'each once');
      for (const { text } of notices) assert.match(text, /^[A-Z].*\.$/);
    });
  }

  test('what blames nobody tells both sides the same', () => {
    for (const event of ['checkout.failed', 'trade.cancelled'] as const) {
      const [one, other, ...more] = noticesOf(event, example(event), PARTIES);
      assert.deepEqual([one?.userId, other?.userId, more], ['ini', 'cou', []]);
      assert.equal(one?.text, other?.text);
    }
  });

  test('without known parties nobody is told of what names no user', () => {
    for (const event of ['checkout.failed', 'trade.cancelled', 'checkout.started'] as const)
      assert.deepEqual(noticesOf(event, example(event), null), []);
    assert.equal(noticesOf('checkout.completed', example('checkout.completed'), null).length, 1);
  });

  test('who owes nothing is not asked to pay, nor told that a payment has arrived', () => {
    for (const event of ['checkout.started', 'checkout.completed'] as const) {
      const textsOf = (tradeAmount: number): string =>
        noticesOf(event, example(event, { tradeAmount }), PARTIES)
          .map(({ text }) => text)
          .join(' ');
      assert.match(textsOf(0.01), / pay to go on|payment has arrived/);
      assert.match(textsOf(0), /^Your checkout is (open: there is nothing to pay|completed)\./);
      assert.doesNotMatch(textsOf(0), /\bpaid\b|\bpay to\b|payment/);
    }
  });

  test('who trades with himself is told once', () => {
    const self = { userId: 'me', merchantAccountId: EVENTS['trade.completed'].example.initiator.merchantAccountId };
    const data = example('trade.completed', { initiator: self, counterparty: self });
    assert.equal(noticesOf('trade.completed', data, PARTIES).length, 1);
  });
});

describe('over HTTP', async () => {
  const node = await startNode({ database: await withDatabase(), loops: true });
  const platform = await node.tenant('PLATFORM');
  type User = { id: string; token: string };
  const users: User[] = [];
  before(async () => {
    for (let i = 0; i < 2; i++) users.push(await newUser(`user${i}@example.com`));
  });

  async function newUser(email: string): Promise<User> {
    const body = { email, name: email, password: 'a long password' };
    const { user, accessToken } = await node.ok(201, 'POST', '/v1/auth/sign-up', { body });
    return { id: user.id, token: accessToken };
  }
  const publish = async (event: InternalEvent, more: object): Promise<void> => {
    const body = { event, data: example(event, more), accountIds: [] };
    await node.ok(202, 'POST', '/v1/events', { key: platform.key, body });
  };
  const side = (of: 'initiator' | 'counterparty', user: User): object => ({
    ...EVENTS['trade.created'].example[of],
    userId: user.id,
  });
  const listed = (user: User, query = '') => node.ok(200, 'GET', `/v1/notifications${query}`, { key: user.token });
  const texts = async (user: User, query?: string): Promise<string[]> =>
    (await listed(user, query)).data.map((n: { text: string }) => n.text);

  test('each side of a trade is told of it, and nobody else', async () => {
    const [ann, bob] = users as [User, User];
    const parties = { initiator: side('initiator', ann), counterparty: side('counterparty', bob) };
    const tradeSessionId = 'trade-1';
    await publish('offer.created', parties);
    await publish('trade.created', { ...parties, tradeSessionId });
    await publish('checkout.completed', { tradeSessionId, side: 'INITIATOR', userId: ann.id });
    await publish('trade.cancelled', { tradeSessionId, reason: 'UNRECIPROCATED' });
    const last = 'Your trade was cancelled: not both sides had paid in time.';
    await until('the last is told', async () => (await texts(bob))[0] === last);
    assert.deepEqual(await texts(bob), [
      last,
      'The other side of your trade has completed its checkout; yours is open.',
      'Your trade is open: confirm it to go on.',
      'You have a new offer.',
    ]);
    assert.deepEqual(await texts(ann), [last, 'Your payment has arrived.', 'Your trade is open: confirm it to go on.']);
    assert.deepEqual(await texts(await newUser('else@example.com')), []);
  });

  test('reading: one, all, only the unread, page by page', async () => {
    const [ann, bob] = users as [User, User];
    const { unread, data } = await listed(bob, '?limit=3');
    assert.equal(unread, 4);
    const { data: rest, nextCursor } = await listed(
      bob,
      `?limit=3&cursor=${(await listed(bob, '?limit=3')).nextCursor}`,
    );
    assert.deepEqual([rest.length, nextCursor], [1, null]);
    const [first] = data;
    assert.deepEqual([first.event, first.tradeSessionId, first.readAt], ['trade.cancelled', 'trade-1', null]);
    const path = `/v1/notifications/${first.id}/read`;
    assert.equal((await node.call('POST', path, { key: ann.token })).status, 404, 'of another user');
    await node.ok(204, 'POST', path, { key: bob.token });
    await node.ok(204, 'POST', path, { key: bob.token });
    assert.equal((await listed(bob)).unread, 3);
    assert.equal((await texts(bob, '?unread=true')).length, 3);
    await node.ok(204, 'POST', '/v1/notifications/read', { key: bob.token });
    assert.deepEqual(await texts(bob, '?unread=true'), []);
    assert.equal((await texts(bob)).length, 4);
    assert.equal((await listed(ann)).unread, 3, 'another user’s stay as they were');
    assert.equal((await node.call('GET', '/v1/notifications?cursor=x', { key: bob.token })).status, 400);
  });

  test('the users of a trade are found in the log, where an event does not name them', async () => {
    const [ann, bob] = users as [User, User];
    const tradeSessionId = 'trade-2';
    await publish('trade.created', {
      tradeSessionId,
      initiator: side('initiator', ann),
      counterparty: side('counterparty', bob),
    });
    await publish('checkout.failed', { tradeSessionId });
    await until(
      'both are told',
      async () => (await texts(bob, '?unread=true'))[0] === 'A checkout of your trade has failed.',
    );
    assert.equal((await texts(ann))[0], 'A checkout of your trade has failed.');
  });

  test('what is told long after it happened is there, but read', async () => {
    const [, bob] = users as [User, User];
    const { unread } = await listed(bob);
    const late = {
      event: 'offer.created',
      data: example('offer.created', { counterparty: side('counterparty', bob) }),
    };
    const event = {
      ...late,
      event: 'offer.created',
      id: node.env.newId(),
      position: 0,
      accountIds: [],
      requestId: 'r',
      causedBy: null,
    } as const;
    const longAgo = new Date(node.clock.now() - 2 * 86_400_000);
    await inTransaction(node.db, (trx) =>
      reactToEvents(trx, [{ ...event, occurredAt: longAgo, recordedAt: longAgo }], node.env, {
        leastTime: async () => node.clock.now(),
      }),
    );
    const now = await listed(bob);
    assert.equal(now.unread, unread);
    assert.ok(now.data.some((n: { createdAt: string }) => n.createdAt === longAgo.toISOString()));
  });

  test('what happened more than a week before it was published is there, but read', async () => {
    const user = await newUser('history@example.com');
    const DAY = 86_400_000;
    const data = example('offer.created', { counterparty: side('counterparty', user) });
    for (const days of [365, 8, 6]) {
      const occurredAt = new Date(node.clock.now() - days * DAY).toISOString();
      const body = { event: 'offer.created', data, accountIds: [], occurredAt };
      await node.ok(202, 'POST', '/v1/events', { key: platform.key, body });
    }
    await until('all are told', async () => (await texts(user)).length === 3);
    const { data: told } = await listed(user);
    assert.deepEqual(
      told.map((n: { readAt: string | null }) => n.readAt === null),
      [true, false, false],
    );
  });

  test('a user whose id an event writes in capitals is told, and reads it', async () => {
    const { id, token } = await newUser('capitals@example.com');
    const user = { id: id.toUpperCase(), token };
    await publish('offer.created', { counterparty: side('counterparty', user) });
    await until('it is there', async () => (await texts(user)).length === 1);
    const { data, unread } = await listed(user);
    assert.equal(unread, 1);
    await node.ok(204, 'POST', `/v1/notifications/${data[0].id}/read`, { key: token });
    assert.equal((await listed(user)).unread, 0);
  });

  test('a rebuild tells nobody twice, and what was read stays read', async () => {
    const [ann, bob] = users as [User, User];
    const before_ = [await listed(ann), await listed(bob)];
    await node.ok(202, 'POST', '/v1/admin/readers/notifications/rebuild', { key: platform.key });
    const caughtUp = async (): Promise<boolean> => {
      const { data } = await node.ok(200, 'GET', '/v1/admin/readers', { key: platform.key });
      return data.find((r: { name: string }) => r.name === 'notifications').lag === 0;
    };
    await until('it has read the log again', caughtUp);
    assert.deepEqual([await listed(ann), await listed(bob)], before_);
  });
});
