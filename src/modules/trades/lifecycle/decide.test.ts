import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { type EventData, EVENTS, validateEventData } from '../../../contracts/events/index.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { acceptTrade, adoptTrade, type Around, cancelTrade, endDue, openTrade } from './decide.ts';
import { decideReport, REPORT_EVENTS, type Report } from './decide-report.ts';
import { TRANSITIONS } from './transitions.ts';
import { type Consequence, type Decision, SIDES, type Side, type SideTerms, type Terms, type Trade } from './types.ts';

const [LEFT, RIGHT, HOLDER, STRANGER] = [1, 2, 3, 4].map((n) => `0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b0${n}`) as [
  string,
  string,
  string,
  string,
];
const ACCOUNTS = [LEFT, RIGHT, HOLDER, STRANGER];
const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const item = (listingId: string, merchantAccountId: string): SideTerms['items'][number] => ({
  listingId,
  merchantAccountId,
  price: 10,
  quantity: 1,
});
const termsWith = (initiator: SideTerms['items'], counterparty: SideTerms['items']): Terms => ({
  ...EVENTS['trade.accepted'].example,
  initiator: { userId: 'ann', merchantAccountId: LEFT, items: initiator, originalPrice: 149.9, tradeAmount: 29.9 },
  counterparty: { userId: 'bob', merchantAccountId: RIGHT, items: counterparty, originalPrice: 120, tradeAmount: 0 },
});
const TERMS = termsWith([item('lamp', LEFT), item('shade', HOLDER)], [item('chair', RIGHT)]);

const around = (at = START): Around => ({
  now: new Date(at),
  newId: () => uuidv7(at),
  holdMs: 24 * HOUR,
  reservationMs: HOUR / 2,
});

interface Done {
  trade: Trade;
  events: readonly Consequence[];
}
function must(decision: Decision): Done {
  assert.ok(!('refused' in decision), 'refused' in decision ? decision.refused : '');
  return decision;
}
const opened = (terms = TERMS): Trade => {
  const { tradeSessionId, ...offer } = terms;
  return openTrade(tradeSessionId, offer).trade;
};
const accepted = (terms = TERMS): Trade => must(acceptTrade(opened(terms), terms, around())).trade;
const report = (event: Report['event'], side: Side, more: Partial<Report> = {}): Report => ({
  event,
  side,
  accountId: side === 'INITIATOR' ? LEFT : RIGHT,
  at: new Date(START),
  ...more,
});
const reported = (trade: Trade, ...of: Parameters<typeof report>): Done =>
  must(decideReport(trade, report(...of), around()));
const paidByBoth = (terms = TERMS): Trade =>
  reported(reported(accepted(terms), 'payment.completed', 'INITIATOR').trade, 'payment.completed', 'COUNTERPARTY')
    .trade;
const names = ({ events }: Done): string[] => events.map(({ event }) => event);

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
    for (const more of [{ amount: 29.91 }, { amount: 29.9, currency: 'USD' }, { amount: 0 }]) {
      assert.deepEqual(pay(more), { refused: 'To be paid are 29.9 EUR.' });
    }
    must(pay({ amount: 29.9, currency: 'EUR' }));
    must(pay({}));
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
});

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
    assert.ok(now.reservations.every((one) => !['RESERVED', 'CONFIRMED'].includes(one.status)));
    assert.ok(SIDES.every((side) => now.sides[side].checkout !== 'OPEN'));
  }
  if (now.status === 'COMPLETED') {
    assert.ok(SIDES.every((side) => now.sides[side].checkout === 'COMPLETED'));
    assert.ok(SIDES.every((side) => ['COMPLETED', 'NOT_NEEDED'].includes(now.sides[side].fulfillment as string)));
  }
}

/** What an event may be told once about: of a trade, of a side, of a reservation, of a listing. */
const onceOf = ({ event, data }: Consequence): string =>
  JSON.stringify([event, data.side, data.reservationId, data.listingId]);

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
        if ('refused' in decision) continue;
        assertLegal(trade, decision.trade);
        if (TERMINAL.includes(trade.status)) assert.equal(decision.trade.status, trade.status);
        decision.events.forEach(assertFit);
        told.push(...decision.events);
        trade = decision.trade;
        if (key !== null) done.add(key);
      }
      const once = told.map(onceOf);
      assert.equal(new Set(once).size, once.length, once.join(', '));
      const ended = told.filter(({ event }) => event === 'trade.completed' || event === 'trade.cancelled');
      assert.equal(ended.length, TERMINAL.includes(trade.status) ? 1 : 0);
      ends.set(trade.status, (ends.get(trade.status) ?? 0) + 1);
    }),
    { numRuns: 3000 },
  );
  // It must have seen trades that went all the way, and each way to stop.
  for (const status of ['CREATED', 'CHECKOUT', 'HOLD', 'FULFILLMENT', 'COMPLETED', 'CANCELLED']) {
    assert.ok((ends.get(status) ?? 0) > 5, `${status}: ${ends.get(status) ?? 0} of 3000`);
  }
});

test('an adopted session is one like any other', () => {
  assert.deepEqual(adoptTrade(TERMS), opened());
});
