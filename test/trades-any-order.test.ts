import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { REPORT_EVENTS } from '../src/modules/trades/lifecycle/decide-report.ts';
import { TRANSITIONS } from '../src/modules/trades/lifecycle/transitions.ts';
import { withDatabase } from './helpers/database.ts';
import { startNode, type Tenant } from './helpers/engine.ts';
import { arrived, type Side, Trading } from './helpers/trading.ts';

/** Trades that are moved at the same time, and what is tried on each of them. */
const TRADES = 30;
const ACTIONS = 20;
const LANES = 8;

const REPORTS = [...REPORT_EVENTS, 'fulfilled'];
const GOOD = ['payment.completed', 'item.reserved', 'item.sold', 'fulfillment.started', 'fulfilled'];

type Action =
  | { kind: 'offer.accepted' }
  | { kind: 'trade.accepted' }
  | { kind: 'trade.cancelled' }
  | { kind: 'later' }
  | { kind: 'report'; event: string; side: Side; by: 'left' | 'right' | 'own' };

const report = (events: readonly string[], by: readonly ('left' | 'right' | 'own')[]): fc.Arbitrary<Action> =>
  fc.record({
    kind: fc.constant('report' as const),
    event: fc.constantFrom(...events),
    side: fc.constantFrom<Side>('INITIATOR', 'COUNTERPARTY'),
    by: fc.constantFrom(...by),
  });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 30, arbitrary: report(GOOD, ['own']) },
  { weight: 10, arbitrary: report(REPORTS, ['left', 'right']) },
  { weight: 3, arbitrary: fc.constant<Action>({ kind: 'offer.accepted' }) },
  { weight: 4, arbitrary: fc.constant<Action>({ kind: 'trade.accepted' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: 'trade.cancelled' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: 'later' }) },
);

/** Of these, with the acceptance at their beginning, only good is reported: they come to their end. */
const isGood = (i: number): boolean => i % 4 === 0;
const isBad = (one: Action): boolean => one.kind === 'report' && one.by !== 'own';

const isLegalEnd = (from: string, to: string): boolean =>
  from === to ||
  Object.values(TRANSITIONS.trade).some((moves) => {
    const next = (moves as Record<string, string>)[from];
    return next !== undefined && isLegalEnd(next, to);
  });

test(`${TRADES} trades, moved at once by ${ACTIONS} random events and reports each, end legally, tell each thing once and blame nobody`, {
  timeout: 170_000,
}, async (ctx) => {
  // Longer than the clock is put forward in all: what time ends is not for this test.
  const settings = { TRADE_RESERVATION_MINUTES: '600' };
  const node = await startNode({ database: await withDatabase(), loops: true, settings });
  const t = await Trading.open(node);
  const seed = Number(process.env.TRADES_SEED ?? Math.floor(Math.random() * 1e9));
  ctx.diagnostic(`TRADES_SEED=${seed}`);
  const scripts = fc.sample(fc.array(action, { minLength: ACTIONS, maxLength: ACTIONS }), { numRuns: TRADES, seed });

  const ids: string[] = [];
  const steps: (() => Promise<void>)[] = [];
  for (const [i, script] of scripts.entries()) {
    const terms = t.terms({ initiator: `ini_${i}`, counterparty: `cou_${i}` });
    const id = await t.open(terms);
    const { offerId } = await t.show(id);
    ids.push(id);
    const byOf = (by: string, side: Side): Tenant =>
      by === 'own' ? (side === 'INITIATOR' ? t.left : t.right) : by === 'left' ? t.left : t.right;
    const run = async (one: Action): Promise<void> => {
      if (one.kind === 'later') node.clock.advance(4 * 60_000);
      else if (one.kind === 'offer.accepted') await t.publish('offer.accepted', { offerId, ...terms });
      else if (one.kind === 'trade.accepted')
        await t.publish('trade.accepted', { tradeSessionId: id, offerId, ...terms });
      else if (one.kind === 'trade.cancelled')
        await t.publish('trade.cancelled', { tradeSessionId: id, reason: 'DECLINED' });
      else {
        const body = { event: one.event, side: one.side, tradeSessionId: id };
        let { status } = await t.send(byOf(one.by, one.side), body);
        // The clock was put forward meanwhile: signed again, as a merchant would.
        while (status === 401) ({ status } = await t.send(byOf(one.by, one.side), body));
        assert.ok([200, 403, 409].includes(status), `${status}`);
      }
    };
    // Half of them begin with their acceptance, or few would go far; of some nothing is reported but good.
    const begun: Action[] = i % 2 === 0 ? [{ kind: 'trade.accepted' }, ...script] : script;
    const actions = isGood(i) ? begun.filter((one) => one.kind !== 'trade.cancelled' && !isBad(one)) : begun;
    steps.push(...actions.map((one, n) => Object.assign(() => run(one), { at: n })));
  }
  // Trades take turns, and so do the actions of one: eight are under way at any moment.
  const queue = steps.toSorted((a, b) => (a as unknown as { at: number }).at - (b as unknown as { at: number }).at);
  const lane = async (): Promise<void> => {
    for (let step = queue.shift(); step; step = queue.shift()) await step();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await t.settle();
  for (const id of ids.filter((_, i) => isGood(i))) {
    for (const event of ['payment.completed', 'fulfilled']) {
      for (const [merchant, side] of [
        [t.left, 'INITIATOR'],
        [t.right, 'COUNTERPARTY'],
      ] as const) {
        const { status } = await t.send(merchant, { event, side, tradeSessionId: id });
        assert.equal(status, 200, `${event} ${side} of ${id}`);
      }
    }
    await t.reaches(id, 'COMPLETED');
  }
  await t.settle();

  const ends: Record<string, number> = {};
  for (const id of ids) {
    const trade = await t.show(id);
    ends[trade.status] = (ends[trade.status] ?? 0) + 1;
    const told = trade.timeline.filter((entry: { kind: string }) => entry.kind === 'EVENT');
    const { data: events } = await node.ok(200, 'GET', `/v1/events?tradeSessionId=${id}&limit=100`, {
      key: t.platform.key,
    });
    const published = events.filter((e: { event: string }) => e.event !== 'trade.accepted');
    // What the marketplace said itself, it may have said twice.
    const own = published.filter(
      (e: { event: string; requestId: string; data: { reason?: string } }) => e.data.reason !== 'DECLINED',
    );
    const once = own.map((e: { event: string; data: { side?: string; reservationId?: string } }) =>
      [e.event, e.data.side, e.data.reservationId].join(' '),
    );
    assert.equal(new Set(once).size, once.length, `${id}: ${once.join(', ')}`);
    const count = (name: string): number => own.filter((e: { event: string }) => e.event === name).length;
    const declined = published.length - own.length > 0;
    if (trade.status === 'COMPLETED') assert.deepEqual([count('trade.completed'), count('trade.cancelled')], [1, 0]);
    else if (trade.status === 'CANCELLED') {
      assert.equal(count('trade.completed'), 0);
      assert.equal(count('trade.cancelled'), trade.reason === 'DECLINED' ? 0 : 1);
      assert.ok(declined || trade.reason !== 'DECLINED');
    } else assert.deepEqual([count('trade.completed'), count('trade.cancelled')], [0, 0]);
    let before = 'CREATED';
    for (const step of trade.timeline.filter((entry: { kind: string }) => entry.kind === 'STEP')) {
      assert.ok(isLegalEnd(before, step.status), `${before} → ${step.status}`);
      if (step.refused !== null) assert.equal(step.status, before);
      before = step.status;
    }
    assert.ok(told.length <= 40);
    for (const e of events) {
      if (e.event !== 'checkout.failed' && e.event !== 'trade.cancelled') continue;
      assert.deepEqual(Object.keys(e.data).toSorted(), ['reason', 'tradeSessionId']);
      assert.deepEqual(e.accountIds.toSorted(), [t.left.id, t.right.id].toSorted());
    }
  }
  ctx.diagnostic(`ends: ${JSON.stringify(ends)}`);
  assert.ok((ends.CANCELLED ?? 0) > 0 && (ends.COMPLETED ?? 0) > 0, JSON.stringify(ends));

  for (const [mine, other] of [
    [t.left, t.right],
    [t.right, t.left],
  ] as const) {
    for (const body of arrived(mine)) assert.notEqual(body.merchantAccountId, other.id, body.event);
    const { data } = await node.ok(200, 'GET', '/v1/events?limit=100', { key: mine.key });
    for (const event of data) assert.ok(event.accountIds.includes(mine.id), event.event);
    for (const id of ids.slice(0, 10)) {
      const seen = await t.show(id, mine.key);
      const hidden = mine === t.left ? seen.counterparty : seen.initiator;
      assert.deepEqual([hidden.checkout, hidden.fulfillment], [null, null]);
      for (const entry of seen.timeline) assert.ok(entry.accountId === undefined || entry.accountId === mine.id);
    }
  }
  const { data: readers } = await node.ok(200, 'GET', '/v1/admin/readers', { key: t.platform.key });
  for (const { name, setAside, retrying } of readers) assert.deepEqual([setAside, retrying], [0, 0], name);
});
