import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode, type TestNode } from '../../../../test/helpers/engine.ts';
import { EVENTS, type InternalEvent } from '../../../contracts/events/index.ts';
import { systemClock } from '../../../lib/clock.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { createPublish, createPublishAll, findEvents, type LoggedEvent } from '../../events/index.ts';
import { tradeReactions } from './reactions.ts';

const publishAll = createPublishAll(() => undefined);
const publish = createPublish(() => undefined);
const times = { holdMs: 1e9, reservationMs: 1e6 };
const latestTime = async (): Promise<number> => systemClock.now();

describe('reactions that read the log each at its own pace', async () => {
  const database = await withDatabase();
  let node: TestNode;
  let count = 0;
  before(async () => {
    node = await startNode({ database });
  });

  const terms = (n: number) => ({
    ...EVENTS['trade.accepted'].example,
    tradeSessionId: `ts-${n}`,
    offerId: `off-${n}`,
  });
  const log = (event: InternalEvent, data: object): Promise<LoggedEvent> =>
    inTransaction(node.db, (trx) => publish(trx, event, data as never, { accountIds: [] }, node.env));
  /** Gives an event to the reaction that reads it. */
  async function react(event: LoggedEvent): Promise<void> {
    const [stored] = await findEvents(node.db, [event.position]);
    const reaction = tradeReactions({ publishAll, times, latestTime }).find(({ events }) =>
      events.includes(event.event),
    );
    await inTransaction(node.db, async (trx) => reaction?.react(trx, stored as LoggedEvent, node.env));
  }
  const states = async (id: string): Promise<unknown[]> => {
    const { rows } = await sql<{ status: string; reason: string }>`
      select status, reason from trade_sessions where id = ${id}`.execute(node.db);
    const { rows: told } = await sql<{ event: string }>`
      select event from events where trade_session_id = ${id} order by position`.execute(node.db);
    return [rows[0]?.status, rows[0]?.reason, told.map((row) => row.event)];
  };
  const accepted = () => log('trade.accepted', terms(++count));
  const cancelled = () => log('trade.cancelled', { tradeSessionId: `ts-${count}`, reason: 'DECLINED' });

  test('a session of the marketplace that is cancelled ends cancelled, whichever of the two is read first', async () => {
    const given = [await accepted(), await cancelled()];
    for (const event of given) await react(event);
    const opened = ['checkout.started', 'checkout.started', 'reservation.created', 'reservation.created'];
    const closed = ['checkout.failed', 'reservation.expired', 'reservation.expired'];
    assert.deepEqual(await states(`ts-${count}`), [
      'CANCELLED',
      'DECLINED',
      ['trade.accepted', 'trade.cancelled', ...opened, ...closed],
    ]);

    const other = [await accepted(), await cancelled()];
    for (const event of other.toReversed()) await react(event);
    assert.deepEqual(await states(`ts-${count}`), ['CANCELLED', 'DECLINED', ['trade.accepted', 'trade.cancelled']]);

    // The log read again from its start.
    const before = await states(`ts-${count}`);
    for (const event of [...other, ...given]) await react(event);
    assert.deepEqual(await states(`ts-${count}`), before);
  });

  test('a session that is accepted long after its cancellation ends cancelled, however much was told of it meanwhile', async () => {
    const id = `ts-${++count}`;
    await react(await cancelled());
    const more = Array.from({ length: 2000 }, () => ({
      id: node.env.newId(),
      event: 'trade.completed' as const,
      data: { ...EVENTS['trade.completed'].example, tradeSessionId: id },
      accountIds: [],
      occurredAt: node.env.now,
      requestId: 'r',
      causedBy: null,
    }));
    await inTransaction(node.db, (trx) => publishAll(trx, more, node.env));
    await react(await log('trade.accepted', terms(count)));
    assert.deepEqual((await states(id)).slice(0, 2), ['CANCELLED', 'DECLINED']);
  });

  test('what was published before trades were kept is left alone', async () => {
    const early = await log('offer.accepted', { ...EVENTS['offer.accepted'].example, offerId: 'off-early' });
    await sql`update trade_origin set position = ${early.position}`.execute(node.db);
    await react(early);
    const { rows } = await sql`select 1 from trade_sessions where offer_id = 'off-early'`.execute(node.db);
    assert.equal(rows.length, 0);
    await sql`update trade_origin set position = 0`.execute(node.db);
    await react(early);
    await react(early);
    const { rows: later } = await sql`select 1 from trade_sessions where offer_id = 'off-early'`.execute(node.db);
    assert.equal(later.length, 1);
  });

  test('accounts that are no part of the accepted terms any more do not see the trade', async () => {
    const holder = '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1bff';
    const offer = terms(++count);
    const [item] = offer.initiator.items;
    const items = [{ ...item, merchantAccountId: holder }];
    const { tradeSessionId: _, ...offered } = { ...offer, initiator: { ...offer.initiator, items } };
    await react(await log('offer.accepted', offered));
    const { rows } = await sql<{ id: string }>`select id from trade_sessions where offer_id = ${offer.offerId}`.execute(
      node.db,
    );
    const seeing = async () =>
      (await sql`select 1 from trade_accounts where account_id = ${holder}`.execute(node.db)).rows.length;
    assert.equal(await seeing(), 1);
    await react(await log('trade.accepted', { ...offer, tradeSessionId: rows[0]?.id }));
    assert.equal(await seeing(), 0);
  });

  /** Terms with a UUID for whatever the marketplace may name by one, and how a system writes them that keeps UUIDs in a type of its own. */
  const ofUuids = () => {
    const { initiator, counterparty, currency } = EVENTS['offer.accepted'].example;
    const terms = (write: (id: string) => string, [offer, left, right]: readonly string[]) => ({
      offerId: write(offer as string),
      initiator: { ...initiator, userId: write(left as string) },
      counterparty: { ...counterparty, userId: write(right as string) },
      currency,
    });
    const ids = [node.env.newId(), node.env.newId(), node.env.newId()];
    return { small: terms((id) => id, ids), capital: terms((id) => id.toUpperCase(), ids) };
  };
  const sessionsOf = async (offerId: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select id from trade_sessions where lower(offer_id) = ${offerId.toLowerCase()}`.execute(node.db);
    return rows.map(({ id }) => id);
  };
  const opened = async (offer: { offerId: string }): Promise<string> => {
    await react(await log('offer.accepted', offer));
    return (await sessionsOf(offer.offerId))[0] as string;
  };
  const statusOf = async (id: string): Promise<unknown> => (await states(id))[0];
  const reactToAll = (events: readonly LoggedEvent[]): Promise<void> =>
    inTransaction(node.db, async (trx) => {
      const [first] = events as [LoggedEvent];
      const all = tradeReactions({ publishAll, times, latestTime });
      await all.find((one) => one.events.includes(first.event))?.reactToAll?.(trx, events, node.env);
    });
  const refusals = async (id: string): Promise<string[]> => {
    const { rows } = await sql<{ refused: string }>`
      select refused from trade_steps where trade_session_id = ${id} and refused is not null order by id`.execute(
      node.db,
    );
    return rows.map(({ refused }) => refused);
  };

  test('a session, its offer and its users are those that they are in capitals as well', async () => {
    for (const [offered, accepted] of [
      ['small', 'capital'],
      ['capital', 'small'],
    ] as const) {
      const terms = ofUuids();
      const id = await opened(terms[offered]);
      await react(await log('trade.accepted', { ...terms[accepted], tradeSessionId: id.toUpperCase() }));
      assert.deepEqual([await statusOf(id), await refusals(id)], ['CHECKOUT', []], `${offered}, then ${accepted}`);
      await react(await log('trade.cancelled', { tradeSessionId: id.toUpperCase(), reason: 'DECLINED' }));
      assert.equal(await statusOf(id), 'CANCELLED');
    }
    const other = ofUuids();
    const id = await opened(other.small);
    const initiator = { ...other.small.initiator, userId: node.env.newId() };
    await react(await log('trade.accepted', { ...other.small, initiator, tradeSessionId: id.toUpperCase() }));
    assert.deepEqual(await refusals(id), ['It names another offer or other parties than the trade session has.']);
  });

  test('of many at once each is done once, however often and in whichever case it is named', async () => {
    const all = [ofUuids(), ofUuids(), ofUuids()];
    const offers = [];
    for (const { small, capital } of all)
      for (const one of [small, capital]) offers.push(await log('offer.accepted', one));
    await reactToAll(offers);
    const ids: string[] = [];
    for (const { small } of all) ids.push(...(await sessionsOf(small.offerId)));
    assert.equal(ids.length, 3);
    const told = [];
    for (const [i, { small, capital }] of all.entries()) {
      const id = ids[i] as string;
      told.push(await log('trade.accepted', { ...capital, tradeSessionId: id.toUpperCase() }));
      told.push(await log('trade.accepted', { ...small, tradeSessionId: id }));
    }
    await reactToAll(told);
    for (const id of ids) {
      assert.equal(await statusOf(id), 'CHECKOUT');
      assert.deepEqual(await refusals(id), [
        'The offer has this trade session already.',
        'The trade is CHECKOUT; it was accepted or ended before.',
      ]);
    }
    const ends = [];
    for (const id of ids)
      ends.push(await log('trade.cancelled', { tradeSessionId: id.toUpperCase(), reason: 'DECLINED' }));
    await reactToAll(ends);
    for (const id of ids) assert.equal(await statusOf(id), 'CANCELLED');
  });

  test('an offer has one session, in whichever case it is accepted again', async () => {
    for (const [first, second] of [
      ['small', 'capital'],
      ['capital', 'small'],
    ] as const) {
      const terms = ofUuids();
      const id = await opened(terms[first]);
      await react(await log('offer.accepted', terms[second]));
      const foreign = node.env.newId();
      await react(await log('trade.accepted', { ...terms[second], tradeSessionId: foreign }));
      assert.deepEqual(await sessionsOf(terms[first].offerId), [id]);
      assert.deepEqual(await refusals(id), [
        'The offer has this trade session already.',
        `The offer has this trade session; ${foreign} was accepted.`,
      ]);
      const { rows } = await sql<{ offer: string }>`
        select data->>'offerId' as offer from events where trade_session_id = ${id} and event = 'trade.created'`.execute(
        node.db,
      );
      assert.deepEqual(rows, [{ offer: terms[first].offerId }], 'told as the marketplace writes it');
    }
  });

  test('a session of the marketplace is ended in the other case as well, whichever of the two is read first', async () => {
    for (const isCancelledFirst of [false, true]) {
      const id = node.env.newId().toUpperCase();
      const told = [
        await log('trade.accepted', { ...ofUuids().small, tradeSessionId: id }),
        await log('trade.cancelled', { tradeSessionId: id.toLowerCase(), reason: 'DECLINED' }),
      ];
      for (const event of isCancelledFirst ? told.toReversed() : told) await react(event);
      assert.deepEqual((await states(id)).slice(0, 2), ['CANCELLED', 'DECLINED']);
    }
  });
});
