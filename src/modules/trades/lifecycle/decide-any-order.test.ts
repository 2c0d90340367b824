import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type EventData, validateEventData } from '../../../contracts/events/index.ts';
import { acceptTrade, cancelTrade, endDue } from './decide.ts';
import { decideReport, REPORT_EVENTS, type Report } from './decide-report.ts';
import { ACCOUNTS, around, HOUR, LEFT, opened, report, RIGHT, START, TERMS } from './fixtures.ts';
import { TRANSITIONS } from './transitions.ts';
import { type Consequence, type Decision, type Side, SIDES, type Trade } from './types.ts';

/** One thing that can happen to a trade. */
type Happening =
  | { kind: 'accept' | 'due' }
  | { kind: 'cancel'; reason: EventData<'trade.cancelled'>['reason'] }
  | { kind: 'report'; report: Report }
  | { kind: 'wait'; hours: number };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Happening>({ kind: 'accept' }) },
  { weight: 1, arbitrary: fc.constant<Happening>({ kind: 'due' }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...(['DECLINED', 'OPERATOR_CANCELLED'] as const))
      .map((reason): Happening => ({ kind: 'cancel', reason })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 }).map((hours): Happening => ({ kind: 'wait', hours })) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        event: fc.constantFrom(...REPORT_EVENTS),
        side: fc.constantFrom(...SIDES),
        accountId: fc.constantFrom(...ACCOUNTS),
      })
      .map((told): Happening => ({ kind: 'report', report: { ...told, at: new Date(START) } })),
  },
  // What a holder finds out of its items, one after the other.
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...(['item.unreserved', 'item.unavailable'] as const)), fc.constantFrom(...SIDES))
      .map(([event, side]): Happening => ({ kind: 'report', report: report(event, side) })),
  },
  // What brings a trade on, so that many come to their end.
  {
    weight: 60,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...(['payment.completed', 'fulfillment.completed', 'item.reserved', 'item.sold'] as const)),
        fc.constantFrom(...SIDES),
      )
      .map(([event, side]): Happening => ({ kind: 'report', report: report(event, side) })),
  },
);

/** A trade that goes well: what happens at random begins somewhere on its way. */
const PATH: readonly Happening[] = [
  { kind: 'accept' },
  { kind: 'report', report: report('payment.completed', 'COUNTERPARTY') },
  { kind: 'report', report: report('payment.completed', 'INITIATOR') },
  { kind: 'report', report: report('fulfillment.completed', 'INITIATOR') },
  { kind: 'report', report: report('fulfillment.completed', 'COUNTERPARTY') },
];

const TERMINAL = ['COMPLETED', 'CANCELLED'];

/** Whether a state can become another one in steps of the table; staying is none. */
function isLegal(kind: keyof typeof TRANSITIONS, from: string | null, to: string | null): boolean {
  if (from === to) return true;
  const moves = Object.values(TRANSITIONS[kind]) as Record<string, string>[];
  const next = moves.map((move) => move[from ?? '']).filter((state) => state !== undefined);
  return next.some((state) => isLegal(kind, state, to));
}

const isHandedOver = ({ sides }: Trade, side: Side): boolean =>
  ['STARTED', 'COMPLETED'].includes(sides[side].fulfillment as string);

/** Of what is on its way nobody is told to unlock it, but who has said so itself. Gives what a trade that is cancelled leaves with its holders. */
function assertNotFreed(before: Trade, happening: Happening, { trade, events }: Extract<Decision, { trade: Trade }>) {
  const onTheirWay = before.reservations.filter(({ side, merchantAccountId }) => {
    const isOwn =
      happening.kind === 'report' &&
      happening.report.event.startsWith('item.') &&
      happening.report.side === side &&
      happening.report.accountId === merchantAccountId;
    return isHandedOver(before, side) && !isOwn;
  });
  const told = events.filter(({ event }) => event === 'reservation.expired').map(({ data }) => data.reservationId);
  for (const one of onTheirWay) {
    assert.ok(trade.reservations.includes(one), `${one.status} was changed`);
    assert.ok(!told.includes(one.id), `${one.status} was unlocked`);
  }
  return before.status === 'FULFILLMENT' && trade.status === 'CANCELLED' ? onTheirWay : [];
}

function assertLegal(before: Trade, now: Trade): void {
  assert.ok(isLegal('trade', before.status, now.status), `${before.status} → ${now.status}`);
  for (const side of SIDES) {
    const [was, is] = [before.sides[side], now.sides[side]];
    assert.ok(isLegal('checkout', was.checkout ?? 'OPEN', is.checkout ?? 'OPEN'), `${was.checkout} → ${is.checkout}`);
    const begun = was.fulfillment ?? (is.fulfillment === 'NOT_NEEDED' ? 'NOT_NEEDED' : 'PENDING');
    assert.ok(isLegal('fulfillment', begun, is.fulfillment ?? begun), `${was.fulfillment} → ${is.fulfillment}`);
  }
  for (const was of before.reservations) {
    const is = now.reservations.find((one) => one.id === was.id);
    assert.ok(is && isLegal('reservation', was.status, is.status), `${was.status} → ${is?.status}`);
  }
  assert.equal(now.status === 'CANCELLED', now.reason !== null);
  assert.equal(['CHECKOUT', 'HOLD'].includes(now.status), now.dueAt !== null);
  if (now.status === 'CANCELLED') {
    const ended = now.reservations.filter(({ side }) => !isHandedOver(now, side));
    assert.ok(ended.every((one) => !['RESERVED', 'CONFIRMED', 'SOLD'].includes(one.status)));
    assert.ok(SIDES.every((side) => now.sides[side].checkout !== 'OPEN'));
  }
  if (now.status === 'COMPLETED') {
    assert.ok(SIDES.every((side) => now.sides[side].checkout === 'COMPLETED'));
    assert.ok(SIDES.every((side) => ['COMPLETED', 'NOT_NEEDED'].includes(now.sides[side].fulfillment as string)));
  }
}

/** Of a refused payment nothing is kept but when it was made, of a side of a cancelled trade that had not paid. */
function assertKept(before: Trade, kept: Trade): Trade {
  assert.equal(before.status, 'CANCELLED');
  const paid = SIDES.filter((side) => kept.sides[side] !== before.sides[side]);
  assert.equal(paid.length, 1);
  for (const side of paid) {
    assert.deepEqual([before.sides[side].checkout, before.sides[side].paidAt], ['FAILED', null]);
    assert.deepEqual({ ...kept.sides[side], paidAt: null }, before.sides[side]);
    assert.ok(kept.sides[side].paidAt);
  }
  assert.deepEqual({ ...kept, sides: null }, { ...before, sides: null });
  return kept;
}

/** What an event may be told once about: of a trade, of a side, of a reservation, of a listing that it is sold, or gone. */
const onceOf = ({ event, data }: Consequence): string =>
  JSON.stringify([event, data.side, data.reservationId, data.listingId, data.status]);

function assertFit({ event, data, accountIds }: Consequence): void {
  assert.deepEqual(validateEventData(event, data), [], event);
  if (event === 'checkout.failed' || event === 'trade.cancelled') {
    assert.deepEqual(Object.keys(data).toSorted(), ['reason', 'tradeSessionId']);
    assert.deepEqual(accountIds, [LEFT, RIGHT]);
  } else if (event === 'trade.completed') {
    assert.deepEqual(accountIds, [LEFT, RIGHT]);
  } else {
    const merchant = data.merchantAccountId ?? (data.side === 'INITIATOR' ? LEFT : RIGHT);
    assert.deepEqual(accountIds, [merchant], event);
  }
}

test('property: whatever happens, in any order and again and again, ends in a legal state and is told once', () => {
  const ends = new Map<string, number>();
  const keptAs = new Set<string>();
  fc.assert(
    fc.property(fc.nat(PATH.length), fc.array(happening, { minLength: 1, maxLength: 60 }), (way, random) => {
      const happenings = [...PATH.slice(0, way), ...random];
      let trade = opened();
      let now = START;
      const done = new Set<string>();
      const told: Consequence[] = [];
      const decide = (one: Happening): Decision => {
        if (one.kind === 'accept') return acceptTrade(trade, TERMS, around(now));
        if (one.kind === 'due') return endDue(trade, new Date(now));
        if (one.kind === 'cancel') return cancelTrade(trade, one.reason);
        return decideReport(trade, (one as { report: Report }).report, around(now));
      };
      for (const one of happenings) {
        if (one.kind === 'wait') {
          now += one.hours * HOUR;
          continue;
        }
        const key = one.kind === 'report' ? [one.report.accountId, one.report.side, one.report.event].join() : null;
        if (key !== null && done.has(key)) continue;
        const decision = decide(one);
        if ('refused' in decision) {
          if (decision.kept) trade = assertKept(trade, decision.kept);
          continue;
        }
        assertLegal(trade, decision.trade);
        for (const { status } of assertNotFreed(trade, one, decision)) keptAs.add(status);
        if (TERMINAL.includes(trade.status)) assert.equal(decision.trade.status, trade.status);
        decision.events.forEach(assertFit);
        told.push(...decision.events);
        trade = decision.trade;
        if (key !== null) done.add(key);
      }
      const once = told.map(onceOf);
      assert.equal(new Set(once).size, once.length, once.join(', '));
      // Each holder learns that its reservation has ended, whoever ended it.
      const freed = told.flatMap(({ event, data }) =>
        event === 'reservation.expired' ? [String(data.reservationId)] : [],
      );
      assert.deepEqual(
        freed.toSorted(),
        trade.reservations
          .filter(({ status }) => ['RELEASED', 'EXPIRED', 'UNAVAILABLE'].includes(status))
          .map(({ id }) => id)
          .toSorted(),
      );
      const ended = told.filter(({ event }) => event === 'trade.completed' || event === 'trade.cancelled');
      assert.equal(ended.length, TERMINAL.includes(trade.status) ? 1 : 0);
      ends.set(trade.status, (ends.get(trade.status) ?? 0) + 1);
    }),
    { numRuns: 3000 },
  );
  // It must have seen trades that went all the way, and each way to stop, also while items were on their way.
  for (const status of ['RESERVED', 'SOLD']) assert.ok(keptAs.has(status), `none was ${status}`);
  for (const status of ['CREATED', 'CHECKOUT', 'HOLD', 'FULFILLMENT', 'COMPLETED', 'CANCELLED']) {
    assert.ok((ends.get(status) ?? 0) > 5, `${status}: ${ends.get(status) ?? 0} of 3000`);
  }
});
