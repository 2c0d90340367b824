import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { after, TRANSITIONS } from './transitions.ts';
import { RESERVATION_STATUSES, TRADE_STATUSES } from './types.ts';

const KINDS = ['trade', 'checkout', 'reservation', 'fulfillment'] as const;

const movesOf = (kind: (typeof KINDS)[number]): string[] =>
  Object.entries(TRANSITIONS[kind]).flatMap(([what, moves]) =>
    Object.entries(moves as Record<string, string>).map(([from, to]) => `${from} ${what} ${to}`),
  );

describe('the table of states', () => {
  const page = readFileSync(new URL('../../../../docs/trades.md', import.meta.url), 'utf8');
  const tables = page
    .split('| From | What happens | To |')
    .slice(1)
    .map((text) =>
      [...(text.split('\n#')[0] ?? '').matchAll(/^\| `(\w+)` \| (\w+) \| `(\w+)` \|$/gm)].map((row) =>
        row.slice(1).join(' '),
      ),
    );

  for (const [i, kind] of KINDS.entries()) {
    test(`docs/trades.md lists the moves of a ${kind}, and no other`, () => {
      assert.deepEqual(tables[i]?.toSorted(), movesOf(kind).toSorted());
    });
  }

  test('every state but the first is reached, and a trade leaves none but the last two', () => {
    const reached = new Set(Object.values(TRANSITIONS.trade).flatMap((moves) => Object.values(moves)));
    assert.deepEqual(
      TRADE_STATUSES.filter((status) => !reached.has(status as never)),
      ['CREATED'],
    );
    const left = new Set(Object.values(TRANSITIONS.trade).flatMap((moves) => Object.keys(moves)));
    assert.deepEqual(
      TRADE_STATUSES.filter((status) => !left.has(status)),
      ['COMPLETED', 'CANCELLED'],
    );
    const ended = new Set(Object.values(TRANSITIONS.reservation).flatMap((moves) => Object.values(moves)));
    assert.deepEqual(
      RESERVATION_STATUSES.filter((status) => !ended.has(status as never)),
      ['RESERVED'],
    );
  });

  test('what is not in it does not happen', () => {
    assert.equal(after('trade', 'hold', 'CREATED'), null);
    assert.equal(after('trade', 'cancel', 'COMPLETED'), null);
    assert.equal(after('checkout', 'complete', null), null);
    assert.equal(after('fulfillment', 'start', 'NOT_NEEDED'), null);
    assert.equal(after('trade', 'hold', 'CHECKOUT'), 'HOLD');
  });
});
