import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EventData } from '../../../contracts/events/index.ts';
import { acceptTrade, adoptTrade, cancelTrade, endDue } from './decide.ts';
import { decideReport, REPORT_EVENTS, type Report } from './decide-report.ts';
import {
  accepted,
  around,
  type Done,
  HOLDER,
  HOUR,
  item,
  LEFT,
  must,
  names,
  opened,
  paidByBoth,
  report,
  reported,
  RIGHT,
  START,
  STRANGER,
  TERMS,
  termsWith,
} from './fixtures.ts';
import { type Decision, type Side, SIDES, type Terms, type Trade } from './types.ts';

describe('what a trade does', () => {
  test('a checkout per side, a reservation per side and holder', () => {
    const { trade, events } = must(acceptTrade(opened(), TERMS, around()));
    assert.deepEqual(
      events.map(({ event, accountIds }) => [event, accountIds]),
      [
        ['checkout.started', [LEFT]],
        ['checkout.started', [RIGHT]],
        ['reservation.created', [LEFT]],
        ['reservation.created', [HOLDER]],
        ['reservation.created', [RIGHT]],
      ],
    );
    assert.equal(trade.dueAt?.getTime(), START + HOUR / 2);
  });

  test('other parties than those of the session cannot accept it; other terms can be accepted', () => {
    for (const other of [
      { ...TERMS, offerId: 'other' },
      { ...TERMS, initiator: { ...TERMS.initiator, userId: 'eve' } },
      { ...TERMS, counterparty: { ...TERMS.counterparty, merchantAccountId: STRANGER } },
    ]) {
      assert.ok('refused' in acceptTrade(opened(), other, around()));
    }
    const cheaper = { ...TERMS, initiator: { ...TERMS.initiator, tradeAmount: 9.9 } };
    const { events } = must(acceptTrade(opened(), cheaper, around()));
    assert.equal(events[0]?.data.tradeAmount, 9.9);
  });

  test('what was paid must be what was to be paid, to the last digit', () => {
    const pay = (more: Partial<Report>): Decision =>
      decideReport(accepted(), report('payment.completed', 'INITIATOR', more), around());
    for (const [more, told] of [
      [{ amount: 29.91 }, '29.91 EUR'],
      [{ amount: 29.9, currency: 'USD' }, '29.9 USD'],
      [{ amount: 0 }, '0 EUR'],
    ] as const) {
      assert.deepEqual(pay(more), {
        refused: `29.9 EUR are to be paid, not ${told}: it is refused however often it is sent.`,
      });
    }
    must(pay({ amount: 29.9, currency: 'EUR' }));
    must(pay({}));
  });

  test('a payment that lost the race with the end of its trade is refused, and when it was paid is kept, once', () => {
    const pay = (trade: Trade, more: Partial<Report> = {}): Decision =>
      decideReport(trade, report('payment.completed', 'INITIATOR', more), around());
    const ends: Trade[] = [
      reported(accepted(), 'cancelled', 'COUNTERPARTY').trade,
      reported(accepted(), 'item.unavailable', 'COUNTERPARTY').trade,
      reported(accepted(), 'payment.failed', 'INITIATOR').trade,
      must(endDue(accepted(), new Date(START + HOUR))).trade,
    ];
    for (const trade of ends) {
      const late = pay(trade);
      assert.ok('refused' in late && late.kept);
      assert.deepEqual(late.refused, 'The trade is CANCELLED, the checkout of INITIATOR FAILED.');
      const { sides } = trade;
      const paidAt = new Date(START);
      assert.deepEqual(late.kept, { ...trade, sides: { ...sides, INITIATOR: { ...sides.INITIATOR, paidAt } } });
      assert.equal('kept' in pay(late.kept, { at: new Date(START + 1) }), false);
    }
    // Of what was really paid, whatever was to be: the counterparty owes nothing.
    const isKept = (side: Side, more: Partial<Report>): boolean =>
      'kept' in decideReport(ends[0] as Trade, report('payment.completed', side, more), around());
    assert.deepEqual(
      [{ amount: 0 }, { amount: 5 }, {}].map((more) => SIDES.map((side) => isKept(side, more))),
      [
        [false, false],
        [true, true],
        [true, false],
      ],
    );
    // What was in time, or has no checkout, or a trade that goes on.
    const held = reported(accepted(), 'payment.completed', 'INITIATOR').trade;
    const inTime = must(cancelTrade(held, 'OPERATOR_CANCELLED')).trade;
    const unopened = must(cancelTrade(opened(), 'DECLINED')).trade;
    for (const trade of [held, inTime, unopened]) assert.deepEqual(Object.keys(pay(trade)), ['refused'], trade.status);
  });

  test('the first payment begins the hold, the second ends it', () => {
    const first = reported(accepted(), 'payment.completed', 'COUNTERPARTY');
    assert.equal(first.trade.status, 'HOLD');
    assert.equal(first.trade.dueAt?.getTime(), START + 24 * HOUR);
    const second = reported(first.trade, 'payment.completed', 'INITIATOR');
    assert.equal(second.trade.status, 'FULFILLMENT');
    assert.equal(second.trade.dueAt, null);
    const told = [first, second].map(({ events }) => events[0]?.data as EventData<'checkout.completed'>);
    assert.deepEqual(
      told.map((data) => [data.counterpartyCompleted, data.holdExpiresAt]),
      [
        [false, new Date(START + 24 * HOUR).toISOString()],
        [true, undefined],
      ],
    );
  });

  test('a side without items has nothing to hand over, unless neither has any', () => {
    const needs = (terms: Terms): unknown[] => SIDES.map((side) => paidByBoth(terms).sides[side].fulfillment);
    assert.deepEqual(needs(TERMS), ['PENDING', 'PENDING']);
    assert.deepEqual(needs(termsWith([], [item('chair', RIGHT)])), ['NOT_NEEDED', 'PENDING']);
    assert.deepEqual(needs(termsWith([], [])), ['PENDING', 'PENDING']);
    const one = reported(paidByBoth(termsWith([], [item('chair', RIGHT)])), 'fulfillment.completed', 'COUNTERPARTY');
    assert.deepEqual(names(one), ['fulfillment.completed', 'trade.completed']);
  });

  test('stock is reported by its holder, the rest by the merchant of the side', () => {
    const asked = (event: Report['event'], accountId: string): Decision =>
      decideReport(accepted(), report(event, 'INITIATOR', { accountId }), around());
    for (const event of REPORT_EVENTS) {
      for (const accountId of [RIGHT, STRANGER])
        assert.equal((asked(event, accountId) as { code: string }).code, 'FORBIDDEN');
    }
    assert.equal((asked('payment.completed', HOLDER) as { code: string }).code, 'FORBIDDEN');
    must(asked('item.reserved', HOLDER));
    assert.deepEqual(names(must(asked('item.unavailable', HOLDER))), [
      'reservation.expired',
      'listing.updated',
      'checkout.failed',
      'reservation.expired',
      'reservation.expired',
      'trade.cancelled',
    ]);
  });

  test('what is sold is sold as a whole, with what is left of each listing; of what is gone, the rest may be there', () => {
    const terms = termsWith([item('lamp', LEFT), item('bulb', LEFT), item('lamp', LEFT), item('shade', HOLDER)], []);
    const told = (event: Report['event'], items?: Report['items']): unknown[] => {
      const decision = decideReport(accepted(terms), report(event, 'INITIATOR', items ? { items } : {}), around());
      if ('refused' in decision) return [decision.refused];
      const listings = decision.events.filter((one) => one.event === 'listing.updated');
      return listings.map(({ data }) => [data.listingId, data.status, data.quantity]);
    };
    const all = (status: string) => [
      ['lamp', status, undefined],
      ['bulb', status, undefined],
    ];
    assert.deepEqual(told('item.sold'), all('SOLD'));
    assert.deepEqual(told('item.sold', [{ listingId: 'bulb', quantity: 2 }]), [
      ['lamp', 'SOLD', undefined],
      ['bulb', 'AVAILABLE', 2],
    ]);
    assert.deepEqual(told('item.unavailable'), all('UNAVAILABLE'));
    const gone = { listingId: 'lamp', quantity: 0 };
    assert.deepEqual(told('item.unavailable', [gone, gone]), [['lamp', 'UNAVAILABLE', 0]]);
    assert.deepEqual(told('item.sold', [{ listingId: 'shade' }]), ['The reservation has no listing shade.']);
  });

  test('items that were released or sold can turn out to be gone while the trade goes on, and it ends', () => {
    const gone = (trade: Trade, before: Report['event']) =>
      reported(reported(trade, before, 'INITIATOR').trade, 'item.unavailable', 'INITIATOR');
    const told = ({ events }: Done): unknown[] =>
      events.map(({ event, data, follows }) => [event, data.cause, follows]);
    for (const trade of [accepted(), paidByBoth()]) {
      const open = trade.status === 'CHECKOUT' ? [['checkout.failed', undefined, true]] : [];
      const rest = [
        ['listing.updated', undefined, true],
        ...open,
        ...[1, 2].map(() => ['reservation.expired', 'RELEASED', true]),
        ['trade.cancelled', undefined, true],
      ];
      const sold = gone(trade, 'item.sold');
      assert.deepEqual(told(sold), [['reservation.expired', 'UNAVAILABLE', false], ...rest]);
      // That it ended was told when it was released.
      const released = gone(trade, 'item.unreserved');
      assert.deepEqual(told(released), [['listing.updated', undefined, false], ...rest.slice(1)]);
      for (const ended of [sold, released]) {
        assert.deepEqual([ended.trade.status, ended.trade.reason], ['CANCELLED', 'ITEM_UNAVAILABLE']);
        assert.equal(ended.trade.reservations[0]?.status, 'UNAVAILABLE');
      }
    }
  });

  test('what was sold for a trade that is cancelled is given back, and its holder told, whoever ended it', () => {
    const soldIn = (trade: Trade): Trade => reported(trade, 'item.sold', 'INITIATOR', { accountId: HOLDER }).trade;
    const ends: [trade: Trade, end: (trade: Trade) => Decision, others: string][] = [
      [paidByBoth(), (trade) => decideReport(trade, report('item.unavailable', 'COUNTERPARTY'), around()), 'RELEASED'],
      [paidByBoth(), (trade) => decideReport(trade, report('cancelled', 'COUNTERPARTY'), around()), 'RELEASED'],
      [paidByBoth(), (trade) => cancelTrade(trade, 'OPERATOR_CANCELLED'), 'RELEASED'],
      [
        reported(accepted(), 'payment.completed', 'INITIATOR').trade,
        (trade) => endDue(trade, new Date(START + 24 * HOUR)),
        'RELEASED',
      ],
      // The time of what was sold cannot run out.
      [accepted(), (trade) => endDue(trade, new Date(START + HOUR)), 'EXPIRED'],
    ];
    for (const [trade, end, others] of ends) {
      const done = must(end(soldIn(trade)));
      const told = done.events.filter(({ accountIds }) => accountIds.includes(HOLDER));
      assert.deepEqual(
        told.map(({ event, data, accountIds }) => [event, data.cause, accountIds]),
        [['reservation.expired', 'RELEASED', [HOLDER]]],
      );
      const statusOf = (account: string) =>
        done.trade.reservations.find((one) => one.merchantAccountId === account)?.status;
      assert.deepEqual([statusOf(HOLDER), statusOf(LEFT)], ['RELEASED', others]);
      assert.ok(
        'refused' in decideReport(done.trade, report('item.sold', 'INITIATOR', { accountId: HOLDER }), around()),
      );
    }
    // A holder cannot do that itself, and what a completed trade has sold stays sold.
    assert.ok(
      'refused' in
        decideReport(soldIn(paidByBoth()), report('item.unreserved', 'INITIATOR', { accountId: HOLDER }), around()),
    );
  });

  test('what is handed over is not given back when the trade is cancelled, whoever ends it', () => {
    const steps: readonly (Report['event'] | null)[] = [null, 'item.reserved', 'item.sold'];
    const ends: ((trade: Trade) => Decision)[] = [
      (trade) => cancelTrade(trade, 'DECLINED', { announced: true }),
      (trade) => cancelTrade(trade, 'OPERATOR_CANCELLED'),
      (trade) => decideReport(trade, report('cancelled', 'INITIATOR'), around()),
      (trade) => decideReport(trade, report('item.unavailable', 'COUNTERPARTY'), around()),
    ];
    for (const handing of ['fulfillment.started', 'fulfillment.completed'] as const) {
      for (const step of steps) {
        for (const end of ends) {
          const of = { accountId: HOLDER };
          const held = step === null ? paidByBoth() : reported(paidByBoth(), step, 'INITIATOR', of).trade;
          const done = must(end(reported(held, handing, 'INITIATOR').trade));
          const statusesOf = (trade: Trade, side: Side) =>
            trade.reservations.filter((one) => one.side === side).map(({ status }) => status);
          assert.deepEqual(statusesOf(done.trade, 'INITIATOR'), statusesOf(held, 'INITIATOR'), `${handing}, ${step}`);
          const told = done.events.filter(({ event }) => event === 'reservation.expired');
          assert.deepEqual(
            told.map(({ data }) => data.side),
            ['COUNTERPARTY'],
          );
          const left = (event: Report['event']) => decideReport(done.trade, report(event, 'INITIATOR', of), around());
          // Its holder says itself what has become of it, as after a completed trade.
          if (step === 'item.sold') continue;
          assert.deepEqual(names(must(left('item.sold'))), ['listing.updated']);
          assert.deepEqual(names(must(left('item.unreserved'))), ['reservation.expired']);
        }
      }
    }
  });

  test('that items are gone is of no account once the trade has ended', () => {
    const done = SIDES.reduce((trade, side) => reported(trade, 'fulfillment.completed', side).trade, paidByBoth());
    const sold = reported(done, 'item.sold', 'INITIATOR').trade;
    const released = reported(done, 'item.unreserved', 'INITIATOR').trade;
    const cancelled = reported(accepted(), 'cancelled', 'COUNTERPARTY').trade;
    for (const trade of [done, sold, released, cancelled]) {
      assert.ok('refused' in decideReport(trade, report('item.unavailable', 'INITIATOR'), around()), trade.status);
    }
  });

  test('handing over can come back, and the trade stays what it is', () => {
    const early = decideReport(paidByBoth(), report('returned', 'INITIATOR'), around());
    assert.ok('refused' in early);
    const { trade } = reported(paidByBoth(), 'fulfillment.started', 'INITIATOR');
    const back = reported(trade, 'returned', 'INITIATOR');
    assert.equal(back.trade.status, 'FULFILLMENT');
    assert.deepEqual(back.events, []);
    assert.notEqual(back.trade.sides.INITIATOR.returnedAt, null);
  });

  test('time ends what nobody paid for, and what one side paid for; nothing else', () => {
    const at = (trade: Trade, ms: number): Decision => endDue(trade, new Date(START + ms));
    assert.ok('refused' in at(accepted(), HOUR / 2 - 1));
    assert.equal(must(at(accepted(), HOUR / 2)).trade.reason, 'RESERVATION_EXPIRED');
    const held = reported(accepted(), 'payment.completed', 'INITIATOR').trade;
    assert.ok('refused' in at(held, 24 * HOUR - 1));
    assert.equal(must(at(held, 24 * HOUR)).trade.reason, 'UNRECIPROCATED');
    for (const trade of [opened(), paidByBoth()]) assert.ok('refused' in at(trade, 1e12));
  });

  test('nobody can tell from what is published whose payment failed, or who cancelled', () => {
    for (const event of ['payment.failed', 'cancelled'] as const) {
      const trade = accepted();
      const [one, other] = SIDES.map((side) => reported(trade, event, side)) as [Done, Done];
      assert.deepEqual(one.events, other.events, event);
      assert.deepEqual(one.trade, other.trade, event);
    }
  });

  test('an adopted session is one like any other', () => {
    assert.deepEqual(adoptTrade(TERMS), opened());
  });
});
