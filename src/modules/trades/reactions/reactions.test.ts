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
});
