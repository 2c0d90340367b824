import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { currencyDigits, fitsCurrency, MAX_AMOUNT } from './money.ts';

test('digits follow ISO 4217, not the locale data that differ from it', () => {
  const expected = { EUR: 2, USD: 2, JPY: 0, KRW: 0, ISK: 0, BHD: 3, IQD: 3, TND: 3, CLF: 4, UYW: 4, HUF: 2, ZZZ: 2 };
  for (const [currency, digits] of Object.entries(expected)) assert.equal(currencyDigits(currency), digits, currency);
});

test('an amount has at most the digits of its currency', () => {
  const fits: [number, string][] = [
    [0, 'JPY'],
    [1, 'JPY'],
    [29.9, 'EUR'],
    [0.01, 'EUR'],
    [1.005, 'BHD'],
    [0.0001, 'CLF'],
    [99_999_999_999.99, 'EUR'],
    [MAX_AMOUNT, 'CLF'],
  ];
  for (const [amount, currency] of fits) assert.ok(fitsCurrency(amount, currency), `${amount} ${currency}`);
  const misfits: [number, string][] = [
    [0.5, 'JPY'],
    [1.005, 'EUR'],
    [0.001, 'EUR'],
    [0.1 + 0.2, 'EUR'],
    [1.0005, 'BHD'],
    [0.000_01, 'CLF'],
    [1e-7, 'EUR'],
    [99_999_999_999.999, 'EUR'],
  ];
  for (const [amount, currency] of misfits) assert.ok(!fitsCurrency(amount, currency), `${amount} ${currency}`);
});

const currency = fc.constantFrom('JPY', 'EUR', 'BHD', 'CLF', 'XYZ');

test('property: fits exactly when the decimal that JSON writes has few enough digits', () => {
  const amount = fc.oneof(
    fc.double({ min: 0, max: MAX_AMOUNT, noNaN: true }),
    // Decimals of 0 to 6 digits, over all magnitudes.
    fc
      .tuple(fc.maxSafeNat(), fc.integer({ min: 0, max: 6 }))
      .map(([n, digits]) => Number(`${n % (MAX_AMOUNT * 10)}e-${digits}`))
      .filter((n) => n <= MAX_AMOUNT),
  );
  fc.assert(
    fc.property(amount, currency, (amount, currency) => {
      const written = JSON.stringify(amount);
      const small = /e-/.test(written);
      const digits = written.split('.')[1]?.length ?? 0;
      assert.equal(fitsCurrency(amount, currency), !small && digits <= currencyDigits(currency), written);
    }),
    { numRuns: 5000 },
  );
});

test('property: a whole number of smallest units always fits and reads back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, BigInt(MAX_AMOUNT)), fc.nat(), currency, (major, minor, currency) => {
      const digits = currencyDigits(currency);
      const fraction = digits === 0 ? '' : `.${String(minor % 10 ** digits).padStart(digits, '0')}`;
      const decimal = `${major % BigInt(MAX_AMOUNT)}${fraction}`;
      assert.ok(fitsCurrency(Number(decimal), currency), decimal);
      assert.equal(Number(decimal).toFixed(digits), decimal);
    }),
    { numRuns: 5000 },
  );
});
