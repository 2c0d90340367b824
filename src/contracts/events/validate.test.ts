import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorDetail } from '../errors.ts';
import { EVENTS, type EventData, type EventName, entryOf, validateEventData } from './index.ts';

const names = Object.keys(EVENTS) as EventName[];

/** A copy of the event's example with some fields replaced; `undefined` leaves one out. */
const changed = (name: EventName, changes: Record<string, unknown>): unknown =>
  JSON.parse(JSON.stringify({ ...entryOf(name).example, ...changes }));

const pathsOf = (name: EventName, data: unknown): string[] => validateEventData(name, data).map((d) => d.path);

test('every example fits its schema', () => {
  for (const name of names) assert.deepEqual(validateEventData(name, entryOf(name).example), [], name);
});

test('every event refuses a field that it does not know, whatever its name', () => {
  for (const name of names) {
    for (const field of ['extra', 'event', 'timestamp', 'constructor', 'toString']) {
      assert.deepEqual(validateEventData(name, { ...entryOf(name).example, [field]: 'x' }), [
        { path: `data.${field}`, message: 'is not a known field' },
      ]);
    }
    const polluting = `{"__proto__":{},${JSON.stringify(entryOf(name).example).slice(1)}`;
    assert.deepEqual(pathsOf(name, JSON.parse(polluting)), ['data.__proto__'], name);
  }
});

test('every event misses each of its required fields', () => {
  for (const name of names) {
    for (const field of entryOf(name).data.required ?? []) {
      const details = validateEventData(name, changed(name, { [field]: undefined }));
      assert.ok(
        details.some((d) => d.path === `data.${field}` && d.message === 'is required'),
        `${name}.${field}`,
      );
    }
  }
});

test('what is no object is refused', () => {
  for (const data of [null, undefined, 'x', 7, [], [{}], true]) {
    assert.equal(validateEventData('trade.cancelled', data).length, 1, JSON.stringify(data));
  }
});

test('checkout.failed and trade.cancelled have nothing that tells whose fault it was', () => {
  const blame = `actor actorId actorUserId side userId userIds merchantAccountId accountId initiator counterparty
    cancelledBy failedBy by party checkoutId reservationId listingId items originalPrice tradeAmount message note`;
  for (const name of ['checkout.failed', 'trade.cancelled'] as const) {
    assert.deepEqual(Object.keys(EVENTS[name].data.properties), ['tradeSessionId', 'reason']);
    for (const field of blame.split(/\s+/)) {
      assert.deepEqual(pathsOf(name, changed(name, { [field]: 'INITIATOR' })), [`data.${field}`]);
    }
    assert.deepEqual(pathsOf(name, changed(name, { reason: 'the initiator did not pay' })), ['data.reason']);
  }
  // @ts-expect-error -- the type has no actor either
  const typed: EventData<'trade.cancelled'> = { tradeSessionId: 't', reason: 'DECLINED', actor: 'u' };
  assert.equal(validateEventData('trade.cancelled', typed).length, 1);
});

test('the reasons and causes that consequences hang on exist', () => {
  const fits = (name: EventName, changes: Record<string, unknown>): void =>
    assert.deepEqual(validateEventData(name, changed(name, changes)), []);
  const cancelled = 'UNRECIPROCATED DECLINED PAYMENT_FAILED RESERVATION_EXPIRED ITEM_UNAVAILABLE MERCHANT_CANCELLED';
  for (const reason of cancelled.split(' ')) fits('trade.cancelled', { reason });
  for (const cause of ['TIMEOUT', 'RELEASED', 'UNAVAILABLE']) fits('reservation.expired', { cause });
  fits('space_booking.cancelled', { reason: 'HOST_DECLINED', note: undefined });
  for (const side of ['INITIATOR', 'COUNTERPARTY']) fits('checkout.started', { side });
  assert.deepEqual(validateEventData('reservation.expired', changed('reservation.expired', { cause: 'LOST' })), [
    { path: 'data.cause', message: 'must be one of TIMEOUT, RELEASED, UNAVAILABLE' },
  ]);
});

test('checkout.started has exactly the fields of interface.md 6.4', () => {
  const fields = ['tradeSessionId', 'side', 'originalPrice', 'tradeAmount', 'currency'];
  assert.deepEqual(Object.keys(EVENTS['checkout.started'].data.properties), fields);
  assert.deepEqual(EVENTS['checkout.started'].data.required, fields);
});

test('ids, texts, times and accounts are held to their forms', () => {
  const refuses = (name: EventName, field: string, values: unknown[]): void => {
    for (const value of values) {
      assert.deepEqual(
        [...new Set(pathsOf(name, changed(name, { [field]: value })))],
        [`data.${field}`],
        JSON.stringify(value),
      );
    }
  };
  refuses('trade.cancelled', 'tradeSessionId', ['', 'a b', 'a\n', 'é', '\u0000', 'x'.repeat(129), 7, null]);
  const uuid = '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01';
  refuses('seller.linked', 'merchantAccountId', ['acc_1', `urn:uuid:${uuid}`, `{${uuid}}`, uuid.slice(1), '']);
  const noTimes = [
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-01-01',
    '2026-01-01T24:00:00Z',
  ];
  refuses('reservation.created', 'expiresAt', [
    ...noTimes,
    '2026-01-01T00:00:00',
    '2026-13-01T00:00:00Z',
    1_767_225_600,
  ]);
  refuses('offer.rejected', 'reason', ['', 'x'.repeat(501), 'a\u0000b', 'a\ud800b', '\udc00']);
  refuses('listing.created', 'url', ['javascript:alert(1)', 'ftp://x', 'https://', 'https://a b']);

  const takes = (name: EventName, field: string, values: unknown[]): void => {
    for (const value of values) assert.deepEqual(pathsOf(name, changed(name, { [field]: value })), []);
  };
  takes('trade.cancelled', 'tradeSessionId', ['x', 'x'.repeat(128), uuid, 'a/b:c#d']);
  takes('reservation.created', 'expiresAt', [
    '2024-02-29T23:59:59Z',
    '2000-02-29T00:00:00.123456+02:00',
    '2026-12-31T00:00:00-11:00',
  ]);
  takes('offer.rejected', 'reason', ['x'.repeat(500), '😀'.repeat(500), 'a\nb', '\u202eRTL']);
});

test('a date is taken exactly when the calendar has it', () => {
  for (const year of [1900, 2000, 2024, 2026, 2100]) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 0; day <= 32; day++) {
        const date = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
        const exists = day > 0 && new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(date);
        const faults = pathsOf(
          'reservation.created',
          changed('reservation.created', { expiresAt: `${date}T00:00:00Z` }),
        );
        assert.deepEqual(faults, exists ? [] : ['data.expiresAt'], date);
      }
    }
  }
});

test('an amount with more digits than its currency is refused at its path', () => {
  const priced = (currency: string, price: number) =>
    changed('listing.created', { currency, price, quantity: undefined, status: undefined });
  const amountFaults = (currency: string, price: number): string[] =>
    pathsOf('listing.updated', changed('listing.updated', { currency, price }));
  assert.deepEqual(amountFaults('EUR', 12.34), []);
  assert.deepEqual(amountFaults('EUR', 12.345), ['data.price']);
  assert.deepEqual(amountFaults('JPY', 12), []);
  assert.deepEqual(amountFaults('JPY', 12.5), ['data.price']);
  assert.deepEqual(amountFaults('BHD', 12.345), []);
  // Faults of the shape come first; the digits are looked at once it fits.
  assert.deepEqual(pathsOf('listing.created', priced('EUR', 1.234)), ['data.quantity', 'data.status']);
});

test('amounts are found in sides and in lists of items', () => {
  const data = structuredClone(EVENTS['offer.created'].example);
  const item = { ...data.counterparty.items[0], price: 1.001 } as (typeof data.counterparty.items)[0];
  data.initiator.tradeAmount = 0.005;
  data.counterparty.items.push(item);
  assert.deepEqual(validateEventData('offer.created', data, 'body.events.3.data'), [
    {
      path: 'body.events.3.data.initiator.tradeAmount',
      message: 'must have at most 2 digits after the decimal point (EUR)',
    },
    {
      path: 'body.events.3.data.counterparty.items.1.price',
      message: 'must have at most 2 digits after the decimal point (EUR)',
    },
  ]);
});

test('a fault that is only in a list is found too', () => {
  const data = structuredClone(EVENTS['offer.accepted'].example);
  for (const item of data.counterparty.items) item.price = 0.001;
  assert.deepEqual(pathsOf('offer.accepted', data), ['data.counterparty.items.0.price']);
});

test('amounts are neither negative, endless nor text, and currencies are three capitals', () => {
  const started = (changes: Record<string, unknown>) =>
    pathsOf('checkout.started', changed('checkout.started', changes));
  for (const tradeAmount of [-1, 1e12, '29.90', null]) assert.deepEqual(started({ tradeAmount }), ['data.tradeAmount']);
  for (const currency of ['eur', 'EURO', 'EU', '€', '', 978])
    assert.deepEqual(started({ currency }), ['data.currency']);
  const endless = { ...EVENTS['checkout.started'].example, tradeAmount: Number.NaN };
  assert.deepEqual([...new Set(pathsOf('checkout.started', endless))], ['data.tradeAmount']);
});

test('listing.updated needs a change, and a currency with a price', () => {
  const ids = { listingId: 'l', merchantAccountId: '0198c2a0-3f10-7c5e-8a51-6f0f5f3a1b01' };
  assert.deepEqual(validateEventData('listing.updated', ids), [
    { path: 'data', message: 'must have at least 3 fields' },
  ]);
  assert.deepEqual(validateEventData('listing.updated', { ...ids, price: 1 }), [
    { path: 'data.currency', message: 'is required' },
  ]);
  assert.deepEqual(validateEventData('listing.updated', { ...ids, status: 'SOLD' }), []);
});

test('all faults are told at once, and never more than a reader can use', () => {
  assert.deepEqual(pathsOf('trade.cancelled', { side: 'INITIATOR', reason: 'X' }).toSorted(), [
    'data.reason',
    'data.side',
    'data.tradeSessionId',
  ]);
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`.padEnd(500, 'x'), i]));
  const details = validateEventData('trade.cancelled', many);
  assert.equal(details.length, 50);
  assert.ok(details.every((d) => d.path.length < 100));
});

test('a fit payload costs no list of its own', () => {
  const valid = EVENTS['trade.cancelled'].example;
  assert.equal(validateEventData('trade.cancelled', valid), validateEventData('trade.cancelled', valid));
  assert.throws(
    () => (validateEventData('trade.cancelled', valid) as ErrorDetail[]).push({ path: '', message: '' }),
    TypeError,
  );
});
