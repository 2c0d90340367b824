import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { EVENTS, validateEventData } from '../../contracts/events/index.ts';
import { parseConfig } from '../../platform/config/index.ts';
import {
  fraudLimits,
  fullestWindow,
  type Happening,
  offerVelocity,
  priceDeviation,
  repeatedFlags,
} from './fraud-rules.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const id = (n: number): string => `0198c2a0-3f10-7c5e-8a51-${String(n).padStart(12, '0')}`;
const at = (...times: number[]): Happening[] => times.map((t, n) => ({ eventId: id(n), at: t }));
const inARow = (count: number, step: number): Happening[] => at(...Array.from({ length: count }, (_, n) => n * step));

test('thresholds are those of the settings', () => {
  assert.deepEqual(fraudLimits(parseConfig({})), {
    offers: { atLeast: 21, withinMs: 10 * MINUTE },
    flags: { atLeast: 3, withinMs: 7 * DAY },
    priceFactor: 10,
  });
});

describe('the fullest window', () => {
  const CASES: readonly [what: string, times: number[], of: number, window: number[]][] = [
    ['one alone', [0], 0, [0]],
    ['both ends count', [0, 10], 1, [0, 1]],
    ['one beyond does not', [0, 11], 1, [1]],
    ['it looks ahead', [0, 4, 9], 0, [0, 1, 2]],
    ['the event is in it, however full another one is', [0, 11, 12, 13], 0, [0]],
    ['the earliest of equals', [0, 6, 12], 1, [0, 1]],
    ['the later one when it is fuller', [0, 6, 12, 13], 1, [1, 2, 3]],
    ['in any order', [9, 0, 4], 0, [1, 2, 0]],
    ['at one moment', [5, 5, 5], 2, [0, 1, 2]],
  ];
  for (const [what, times, of, expected] of CASES) {
    test(what, () => {
      const { window, index } = fullestWindow(at(...times), id(of), 10);
      assert.deepEqual(
        window.map((h) => h.eventId),
        expected.map(id),
      );
      assert.equal(window[index]?.eventId, id(of));
    });
  }

  test('none of its length that holds the event has more', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(times, fc.nat(), fc.integer({ min: 1, max: 30 }), (given, pick, within) => {
        const happenings = at(...given);
        const of = happenings[pick % given.length] as Happening;
        const { window } = fullestWindow(happenings, of.eventId, within);
        // A window that cannot be moved later without losing something begins with something.
        const counts = given
          .filter((start) => start <= of.at && of.at - start <= within)
          .map((start) => given.filter((t) => t >= start && t - start <= within).length);
        assert.equal(window.length, Math.max(...counts));
        assert.ok((window.at(-1) as Happening).at - (window[0] as Happening).at <= within);
        assert.ok(window.every((h, i) => i === 0 || h.at >= (window[i - 1] as Happening).at));
      }),
    );
  });
});

describe('offer velocity', () => {
  const limit = { atLeast: 3, withinMs: 10 * MINUTE };
  test('as many as are usual are nothing', () => {
    assert.equal(offerVelocity(inARow(2, 0), id(1), limit), null);
    assert.equal(offerVelocity(inARow(20, 6 * MINUTE), id(19), limit), null);
  });
  test('one more is a signal that names them, oldest first', () => {
    assert.deepEqual(offerVelocity(inARow(3, 5 * MINUTE).toReversed(), id(2), limit), {
      severity: 'MEDIUM',
      explanation: '3 offers or more within 10 minutes; up to 2 are usual.',
      eventIds: [id(0), id(1), id(2)],
    });
  });
  test('twice as many weigh more', () => {
    assert.equal(offerVelocity(inARow(5, 1), id(4), limit)?.severity, 'MEDIUM');
    assert.equal(offerVelocity(inARow(6, 1), id(5), limit)?.severity, 'HIGH');
  });
  test('of very many a hundred are named, the event among them', () => {
    for (const [of, first] of [
      [0, 0],
      [150, 51],
      [249, 150],
    ] as const) {
      const eventIds = offerVelocity(inARow(250, 1), id(of), limit)?.eventIds ?? [];
      assert.deepEqual([eventIds.length, eventIds[0]], [100, id(first)]);
      assert.ok(eventIds.includes(id(of)));
    }
  });
});

test('repeated flags', () => {
  const limit = { atLeast: 3, withinMs: 7 * DAY };
  assert.equal(repeatedFlags(inARow(3, 4 * DAY), id(2), limit), null);
  assert.deepEqual(repeatedFlags(inARow(3, 3 * DAY), id(2), limit), {
    severity: 'MEDIUM',
    explanation: 'Flagged 3 times or more within 7 days; 3 are too many.',
    eventIds: [id(0), id(1), id(2)],
  });
});

describe('flags by one reader', () => {
  const limit = { atLeast: 3, withinMs: 7 * DAY };
  const by = (...flags: readonly (readonly [time: number, reporter: string | null])[]): Happening[] =>
    flags.map(([t, reporter], n) => ({ eventId: id(n), at: t * DAY, ...(reporter === null ? {} : { by: reporter }) }));

  test('count once, however many', () => {
    const many = by([0, 'ann'], [0, 'ann'], [1, 'ann'], [2, 'bob'], [3, 'ann'], [3, 'bob']);
    for (const { eventId } of many) assert.equal(repeatedFlags(many, eventId, limit), null);
    const three = by([0, 'ann'], [0, 'ann'], [1, 'bob'], [2, 'bob'], [3, 'cem']);
    assert.deepEqual(repeatedFlags(three, id(4), limit)?.eventIds, [id(0), id(2), id(4)], 'the first of each');
    assert.deepEqual(repeatedFlags(three, id(3), limit)?.eventIds, [id(0), id(3), id(4)], 'or the one in question');
    assert.match(repeatedFlags(three, id(4), limit)?.explanation ?? '', /^Flagged 3 times or more/);
  });
  test('those of nobody in particular each by themselves', () => {
    assert.notEqual(repeatedFlags(by([0, null], [0, 'ann'], [0, 'ann'], [1, null]), id(3), limit), null);
  });
  test('of all windows the one with most readers is taken', () => {
    const readers = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.constantFrom('a', 'b', 'c', 'd', null)), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(readers, fc.nat(), fc.integer({ min: 1, max: 10 }), (given, pick, days) => {
        const flags = by(...given);
        const of = flags[pick % flags.length] as Happening;
        const { window, index } = fullestWindow(flags, of.eventId, days * DAY);
        const sources = (all: readonly Happening[]) => new Set(all.map((h) => h.by ?? h.eventId)).size;
        const counts = flags
          .filter(({ at: start }) => start <= of.at && of.at - start <= days * DAY)
          .map(({ at: start }) => sources(flags.filter(({ at: t }) => t >= start && t - start <= days * DAY)));
        assert.deepEqual([window.length, sources(window)], [Math.max(...counts), window.length]);
        assert.equal(window[index], of);
      }),
    );
  });
});

describe('price deviation', () => {
  const example = EVENTS['offer.created'].example;
  type Side = typeof example.initiator;
  const side = (tradeAmount: number, ...prices: (readonly [price: number, quantity: number])[]): Side => ({
    ...example.initiator,
    tradeAmount,
    items: prices.map(([price, quantity]) => ({
      ...(example.initiator.items[0] as Side['items'][0]),
      price,
      quantity,
    })),
  });
  const found = (initiator: Side, counterparty: Side, factor = 10) =>
    priceDeviation({ initiator, counterparty, currency: 'EUR' }, id(0), factor);

  const CASES: readonly [what: string, initiator: Side, counterparty: Side, severity: string | undefined][] = [
    ['the example of the catalogue', example.initiator, example.counterparty, undefined],
    ['nothing for nothing', side(0), side(0), undefined],
    ['money for an item', side(100), side(0, [120, 1]), undefined],
    ['ten times exactly', side(10), side(0, [100, 1]), undefined],
    ['more than ten times', side(10), side(0, [100.01, 1]), 'LOW'],
    ['more than ten times the other way', side(0, [60, 2]), side(10), 'LOW'],
    ['pieces count', side(10), side(0, [10, 11]), 'LOW'],
    ['all items count', side(10), side(0, [60, 1], [60, 1]), 'LOW'],
    ['a hundred times exactly', side(1), side(0, [100, 1]), 'LOW'],
    ['more than a hundred times', side(1), side(0, [101, 1]), 'MEDIUM'],
    // In floating point 3 × 0.1 is more than 0.3, and 10 × 0.03 less than 3 × 0.1.
    ['ten times exactly, in cents', side(0.03), side(0, [0.1, 3]), undefined],
    ['ten times exactly, of many cents', side(0.07), side(0, [0.1, 1], [0.2, 1], [0.4, 1]), undefined],
    ['a cent more than ten times of very much', side(1e10), side(1e11, [0.01, 1]), 'LOW'],
    ['something for nothing', side(0), side(0, [5, 1]), 'MEDIUM'],
  ];
  for (const [what, initiator, counterparty, severity] of CASES) {
    test(what, () => assert.equal(found(initiator, counterparty)?.severity, severity));
  }
  test('it says its figures', () => {
    assert.equal(
      found(side(10.5), side(0, [210, 1]))?.explanation,
      'The initiator gives 10.5 and gets 210 EUR: 20 times as much; up to 10 times is usual.',
    );
    assert.equal(
      found(side(0), side(0, [210, 1]))?.explanation,
      'The initiator gives 0 and gets 210 EUR: for nothing; up to 10 times is usual.',
    );
  });
  test('what is just above the factor does not read as the factor', () => {
    assert.equal(
      found(side(10), side(0, [100.01, 1]))?.explanation,
      'The initiator gives 10 and gets 100.01 EUR: 10.01 times as much; up to 10 times is usual.',
    );
  });

  const sides = fc
    .tuple(
      fc.integer({ min: 0, max: 100_000 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 1, max: 9 })), { maxLength: 5 }),
    )
    .map(([amount, items]) => side(amount, ...items));
  const worth = ({ tradeAmount, items }: Side): number =>
    items
      .flatMap(({ price, quantity }) => Array.from({ length: quantity }, () => price))
      .reduce((a, b) => a + b, tradeAmount);
  test('it is found exactly when one side gives more than so many times the other, whoever it is', () => {
    fc.assert(
      fc.property(sides, sides, fc.integer({ min: 2, max: 50 }), (one, other, factor) => {
        const [a, b] = [worth(one), worth(other)];
        assert.equal(found(one, other, factor) !== null, Math.max(a, b) > factor * Math.min(a, b));
        assert.equal(found(one, other, factor)?.severity, found(other, one, factor)?.severity);
      }),
    );
  });
});

test('every finding fits the schema of its event', () => {
  const limit = { atLeast: 2, withinMs: 365 * DAY };
  const huge = { ...EVENTS['offer.created'].example };
  huge.initiator = {
    ...huge.initiator,
    items: [{ ...(huge.initiator.items[0] as (typeof huge.initiator.items)[0]), price: 1e11, quantity: 1_000_000 }],
  };
  for (const [rule, finding] of [
    ['offer_velocity', offerVelocity(inARow(300, 1), id(7), limit)],
    ['repeated_flags', repeatedFlags(inARow(300, 1), id(7), limit)],
    ['price_deviation', priceDeviation(huge, id(0), 2)],
  ] as const) {
    assert.ok(finding);
    assert.deepEqual(validateEventData('fraud_signal.detected', { userId: 'u', rule, ...finding }), []);
  }
});
