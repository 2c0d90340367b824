import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode, type TestNode } from '../../../../test/helpers/engine.ts';
import { EVENTS } from '../../../contracts/events/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { databaseTime, inTransaction, latestTime, leastTime, type Trx } from '../../../platform/db/index.ts';
import { createPublishAll, type LoggedEvent } from '../../events/index.ts';
import { receiveReport } from '../inbound/receive-report.ts';
import { ReportLog } from '../inbound/report-log.ts';
import { createCheckouts } from '../reactions/create-checkouts.ts';
import { applyDecision } from './apply.ts';
import { acceptTrade, adoptTrade } from './decide.ts';
import { decideReport } from './decide-report.ts';
import { createSweep } from './sweep.ts';
import { insertTrade } from './save-store.ts';
import { lockTrade } from './trade-store.ts';

const MINUTE = 60_000;
const publishAll = createPublishAll(() => undefined);

describe('the sweep', async () => {
  const database = await withDatabase();
  let node: TestNode;
  let count = 0;
  before(async () => {
    node = await startNode({ database });
  });

  /** A trade whose reservations run out in 30 minutes. */
  async function accepted(): Promise<string> {
    const [tradeSessionId, offerId] = [`ts-${++count}`, `off-${count}`];
    const terms = { ...EVENTS['trade.accepted'].example, tradeSessionId, offerId };
    await inTransaction(node.db, async (trx) => {
      await insertTrade(trx, adoptTrade(terms), node.env.now);
      const trade = await lockTrade(trx, tradeSessionId);
      assert.ok(trade);
      const times = { holdMs: 60 * MINUTE, reservationMs: 30 * MINUTE };
      const decision = acceptTrade(trade, terms, { ...node.env, ...times });
      await applyDecision(trx, { trade, decision, trigger: { cause: 'trade.accepted' } }, publishAll, node.env);
    });
    return tradeSessionId;
  }
  const sweep = () => createSweep(node.service.opened.platform, { publishAll });
  const statusOf = async (id: string): Promise<string | undefined> =>
    (await sql<{ status: string }>`select status from trade_sessions where id = ${id}`.execute(node.db)).rows[0]
      ?.status;
  const endsOf = async (id: string): Promise<number> =>
    (await sql`select 1 from events where trade_session_id = ${id} and event = 'trade.cancelled'`.execute(node.db)).rows
      .length;

  test('ends what is due, nothing before its time', async () => {
    const id = await accepted();
    const loop = sweep();
    node.clock.advance(30 * MINUTE - 1);
    await loop.step(false);
    assert.equal(await statusOf(id), 'CHECKOUT');
    node.clock.advance(1);
    await loop.step(false);
    assert.equal(await statusOf(id), 'CANCELLED');
  });

  test('of a node whose clock is ahead of the database ends nothing before its time', async () => {
    const id = await accepted();
    const { db, newId, log } = node.service.opened.platform;
    const byBoth = (clock: Pick<Clock, 'now'>) => () => leastTime(db, clock);
    const jumped = { now: () => node.clock.now() + 365 * 86_400_000 };
    await createSweep({ db, newId, log, leastTime: byBoth(jumped) }, { publishAll }).step(false);
    assert.equal(await statusOf(id), 'CHECKOUT');
    await sql`update trade_sessions set due_at = now() - interval '1 second' where id = ${id}`.execute(node.db);
    await createSweep({ db, newId, log, leastTime: byBoth({ now: () => 0 }) }, { publishAll }).step(false);
    assert.equal(await statusOf(id), 'CHECKOUT', 'the database may be ahead as well');
    await createSweep({ db, newId, log, leastTime: byBoth(jumped) }, { publishAll }).step(false);
    assert.equal(await statusOf(id), 'CANCELLED');
  });

  test('ends nothing early that began on a node whose clock is behind', async () => {
    const { db, newId, log, cipher } = node.service.opened.platform;
    const behind = { now: () => 1_000_000_000_000 };
    const env = { now: new Date(behind.now()), newId, requestId: 'request-1' };
    const times = { holdMs: 60 * MINUTE, reservationMs: 30 * MINUTE };
    const deps = { publishAll, times, latestTime: (trx: Trx) => latestTime(trx, behind) };
    const [tradeSessionId, offerId] = [`ts-${++count}`, `off-${count}`];
    const data = { ...EVENTS['trade.accepted'].example, tradeSessionId, offerId };
    await inTransaction(db, async (trx) => {
      const accepted = { id: newId(), event: 'trade.accepted' as const, data, accountIds: [], occurredAt: env.now };
      const [event] = await publishAll(trx, [{ ...accepted, requestId: env.requestId, causedBy: null }], env);
      await createCheckouts(deps)(trx, [event as LoggedEvent], env);
    });
    const others = createSweep({ db, newId, log, leastTime: () => databaseTime(db) }, { publishAll });
    await others.step(false);
    assert.equal(await statusOf(tradeSessionId), 'CHECKOUT');

    const body = { event: 'payment.completed', tradeSessionId, side: 'INITIATOR' };
    const [rawBody, seconds, key] = [JSON.stringify(body), behind.now() / 1000, createSecretKey(randomBytes(32))];
    const signature = `t=${seconds},v1=${createHmac('sha256', key).update(`${seconds}.${rawBody}`).digest('hex')}`;
    const { merchantAccountId: accountId } = data.initiator;
    const received = { accountId, rawBody, body, signature, contentType: 'application/json' };
    const secretsOf = async () => [{ keyId: newId(), secret: '', key, rawKey: key, expiresAt: null }];
    const reporting = { cipher, secretsOf, ownClock: behind, bodyLimit: 1e6, log: new ReportLog() };
    const receiving = { ...deps, ...reporting };
    assert.equal((await receiveReport(receiving, db, { received, claim: undefined }, env)).status, 200);
    await others.step(false);
    assert.equal(await statusOf(tradeSessionId), 'HOLD');
  });

  test('of a time that has run out the event by which it began is named to its own audience only', async () => {
    const { left, right } = {
      left: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01',
      right: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b02',
    };
    const causesOf = async (id: string) => {
      const { rows } = await sql<{ event: string; cause: string | null; isSeen: boolean }>`
        select e.event, cause.event as cause, e.account_ids <@ cause.account_ids as "isSeen" from events e
        left join events cause on cause.id = e.caused_by
        where e.trade_session_id = ${id} and e.event in ('checkout.failed', 'trade.cancelled') order by e.position`.execute(
        node.db,
      );
      return rows;
    };
    const begun = async (audience: readonly string[], isPaid: boolean): Promise<string> => {
      const [tradeSessionId, offerId] = [`ts-${++count}`, `off-${count}`];
      const { initiator, counterparty, ...terms } = EVENTS['trade.accepted'].example;
      const data = {
        ...terms,
        tradeSessionId,
        offerId,
        initiator: { ...initiator, merchantAccountId: left },
        counterparty: { ...counterparty, merchantAccountId: right },
      };
      const times = { holdMs: 60 * MINUTE, reservationMs: 30 * MINUTE };
      const { env } = node;
      await inTransaction(node.db, async (trx) => {
        const told = {
          id: env.newId(),
          event: 'trade.accepted' as const,
          data,
          accountIds: audience,
          occurredAt: env.now,
        };
        const [event] = await publishAll(trx, [{ ...told, requestId: 'r', causedBy: null }], env);
        const deps = { publishAll, times, latestTime: async () => env.now.getTime() };
        await createCheckouts(deps)(trx, [event as LoggedEvent], env);
        const trade = await lockTrade(trx, tradeSessionId);
        assert.ok(trade);
        if (!isPaid) return;
        const report = {
          event: 'payment.completed' as const,
          accountId: left,
          side: 'INITIATOR' as const,
          at: env.now,
        };
        const decision = decideReport(trade, report, { ...env, ...times });
        const trigger = { cause: 'payment.completed', reporter: left };
        await applyDecision(trx, { trade, decision, trigger }, publishAll, env);
      });
      node.clock.advance(60 * MINUTE);
      await sweep().step(false);
      assert.equal(await statusOf(tradeSessionId), 'CANCELLED');
      return tradeSessionId;
    };
    const announced = { event: 'trade.cancelled', cause: 'checkout.failed', isSeen: true };
    // A payment, of which only its own side knows: its id tells when it was.
    assert.deepEqual(await causesOf(await begun([left, right], true)), [
      { event: 'checkout.failed', cause: null, isSeen: null },
      announced,
    ]);
    assert.deepEqual(await causesOf(await begun([left, right], false)), [
      { event: 'checkout.failed', cause: 'trade.accepted', isSeen: true },
      announced,
    ]);
    assert.deepEqual(await causesOf(await begun([left], false)), [
      { event: 'checkout.failed', cause: null, isSeen: null },
      announced,
    ]);
  });

  test('a trade ends without a cause where the event is missing by which its time began', async () => {
    const id = await accepted();
    await sql`update trade_sessions set due_event_id = ${node.env.newId()} where id = ${id}`.execute(node.db);
    node.clock.advance(30 * MINUTE);
    await sweep().step(false);
    assert.equal(await statusOf(id), 'CANCELLED');
    const { rows } = await sql<{ cause: string | null }>`
      select caused_by as cause from events where trade_session_id = ${id} and event = 'checkout.failed'`.execute(
      node.db,
    );
    assert.deepEqual(rows, [{ cause: null }]);
  });

  test('of several nodes at the same trades each is ended by one', async () => {
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push(await accepted());
    node.clock.advance(30 * MINUTE);
    await Promise.all([sweep(), sweep(), sweep()].map((one) => one.step(false)));
    for (const id of ids) assert.deepEqual([await statusOf(id), await endsOf(id)], ['CANCELLED', 1]);
  });

  test('trades that cannot be ended hold up no other, however many they are', async () => {
    const broken = [];
    for (let i = 0; i < 100; i++) broken.push(await accepted());
    node.clock.advance(1);
    const sound = await accepted();
    await sql`update trade_sides set merchant_account_id = '00000000-0000-0000-0000-00000000dead'
      where trade_session_id = any(${broken}::text[])`.execute(node.db);
    const loop = createSweep(node.service.opened.platform, {
      publishAll: (trx, events, env) =>
        events.some(({ accountIds }) => accountIds.some((id) => id.endsWith('dead')))
          ? Promise.reject(new Error('cannot be published'))
          : publishAll(trx, events, env),
    });
    node.clock.advance(30 * MINUTE);
    assert.equal(await loop.step(false), true, 'there may be more');
    await loop.step(false);
    assert.equal(await statusOf(sound), 'CANCELLED');
    assert.equal(await statusOf(broken[0] as string), 'CHECKOUT');
    await sql`update trade_sides set merchant_account_id = '00000000-0000-0000-0000-00000000beef'
      where trade_session_id = any(${broken}::text[])`.execute(node.db);
    node.clock.advance(31_000);
    await loop.step(false);
    for (const id of broken) assert.equal(await statusOf(id), 'CANCELLED');
  });
});
