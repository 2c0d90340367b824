import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  OUTBOUND_ERROR_CLASSES,
  type OutboundErrorClass,
  type OutboundOutcome,
} from '../../../platform/outbound/index.ts';
import { ERROR_CLASSES } from '../deliveries/error-classes.ts';
import {
  errorClassOf,
  faultWait,
  isPoison,
  judge,
  MAX_ATTEMPTS,
  redirectText,
  retryAfterMs,
  WAITS_MS,
  waitAfter,
} from './rules.ts';

const NOW = Date.parse('2026-01-15T09:30:00.000Z');
const HOUR = 3_600_000;
const timings = { totalMs: 5 };

const answer = (status: number, headers: Record<string, string> = {}): OutboundOutcome => ({
  kind: 'response',
  status,
  headers,
  body: '',
  bodyTruncated: false,
  timings,
});
const failure = (errorClass: OutboundErrorClass): OutboundOutcome => ({
  kind: 'failure',
  errorClass,
  message: 'why',
  onStaleConnection: false,
  timings,
});

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const nth = fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 });

test('the schedule is five attempts over about 24 hours', () => {
  assert.equal(MAX_ATTEMPTS, 5);
  assert.deepEqual(
    WAITS_MS.map((ms) => ms / 60_000),
    [2.5, 20, 160, 1280],
  );
  const total = WAITS_MS.reduce((a, b) => a + b, 0);
  assert.ok(total > 24 * HOUR && total < 25 * HOUR);
});

test('property: jitter moves a wait by at most 10 %, to both sides', () => {
  for (const [i, wait] of WAITS_MS.entries()) {
    assert.equal(waitAfter(i + 1, null, 0.5), wait);
    assert.equal(waitAfter(i + 1, null, 0), Math.round(wait * 0.9));
  }
  fc.assert(
    fc.property(nth, random, (n, r) => {
      const wait = WAITS_MS[n - 1] as number;
      const jittered = waitAfter(n, null, r);
      assert.ok(Number.isInteger(jittered) && jittered >= wait * 0.9 - 1 && jittered <= wait * 1.1 + 1);
    }),
  );
});

test('property: a longer Retry-After is honoured up to twice the wait, a shorter one changes nothing', () => {
  fc.assert(
    fc.property(nth, random, fc.nat(200_000_000), (n, r, asked) => {
      const wait = WAITS_MS[n - 1] as number;
      const own = waitAfter(n, null, r);
      const given = waitAfter(n, asked, r);
      assert.equal(given, asked <= own ? own : Math.min(asked, 2 * wait));
    }),
  );
});

test('Retry-After is seconds or a date; anything else is as if it were absent', () => {
  assert.equal(retryAfterMs(undefined, NOW), null);
  assert.equal(retryAfterMs('120', NOW), 120_000);
  assert.equal(retryAfterMs(' 0 ', NOW), 0);
  assert.equal(retryAfterMs('Thu, 15 Jan 2026 09:34:00 GMT', NOW), 240_000);
  assert.equal(retryAfterMs('Thu, 15 Jan 2026 09:00:00 GMT', NOW), 0, 'a date that is past');
  assert.equal(retryAfterMs('99999999999999999999', NOW), 1e12, 'a number that no clock reaches is a long time');
  for (const text of ['soon', '', '200, 220']) assert.equal(retryAfterMs(text, NOW), null, text);
});

test('a redirect is told with the whole address that it leads to', () => {
  const from = 'http://shop.example/hooks?a=1';
  const told = (location: string | undefined, status = 301) => redirectText(status, location, from);
  assert.equal(
    told('https://shop.example/hooks'),
    'redirects to https://shop.example/hooks, and redirects are not followed',
  );
  assert.equal(told('/hooks/', 308), 'redirects to http://shop.example/hooks/, and redirects are not followed');
  assert.equal(told('http://[', 302), 'redirects to http://[, and redirects are not followed');
  assert.equal(told(`/${'x'.repeat(2000)}`)?.length, 500 + 'redirects to , and redirects are not followed'.length);
  assert.equal(told(undefined, 304), null);
  assert.equal(told('/elsewhere', 201), null);
  assert.equal(told('/elsewhere', 410), null);
});

test('each form of a date in HTTP is in UTC, wherever the service runs', (t) => {
  const { TZ } = process.env;
  t.after(() => (TZ === undefined ? delete process.env.TZ : (process.env.TZ = TZ)));
  for (const zone of ['America/New_York', 'UTC', 'Asia/Kolkata']) {
    process.env.TZ = zone;
    for (const text of [
      'Thu, 15 Jan 2026 09:34:00 GMT',
      'Thursday, 15-Jan-26 09:34:00 GMT',
      'Thu Jan 15 09:34:00 2026',
      ' Thu Jan 15 09:34:00 2026 ',
    ])
      assert.equal(retryAfterMs(text, NOW), 240_000, `${text} in ${zone}`);
    assert.equal(retryAfterMs('Fri Jan  2 09:34:00 2026', Date.parse('2026-01-02T09:30:00Z')), 240_000);
  }
});

test('2xx is success, everything else a failure with its class', () => {
  for (const status of [200, 201, 202, 204, 299]) assert.equal(errorClassOf(answer(status)), null);
  const classes = [199, 300, 301, 308, 400, 404, 410, 429, 499, 500, 503, 599, 600, 999].map((s) =>
    errorClassOf(answer(s)),
  );
  const [, ...rest] = classes;
  assert.deepEqual(rest, [
    'HTTP_3XX',
    'HTTP_3XX',
    'HTTP_3XX',
    'HTTP_4XX',
    'HTTP_4XX',
    'HTTP_410',
    'HTTP_429',
    'HTTP_4XX',
    'HTTP_5XX',
    'HTTP_5XX',
    'HTTP_5XX',
    'HTTP_5XX',
    'HTTP_5XX',
  ]);
  assert.equal(errorClassOf(failure('TIMEOUT')), 'TIMEOUT');
});

test('every dead letter has a class by which it can be looked for, whatever its last attempt brought', () => {
  const outcomes = [
    ...Array.from({ length: 700 }, (_, i) => answer(300 + i)),
    ...OUTBOUND_ERROR_CLASSES.filter((name) => name !== 'SHUTDOWN').map(failure),
  ];
  for (const outcome of outcomes) {
    const { status, errorClass } = judge(MAX_ATTEMPTS, outcome, NOW, 0.5);
    assert.ok(status === 'DEAD' && errorClass !== null && ERROR_CLASSES.includes(errorClass), String(errorClass));
  }
});

test('a verdict for each outcome at each attempt', () => {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    assert.deepEqual(judge(attempt, answer(204), NOW, 0.5), {
      status: 'DELIVERED',
      nextAttemptAt: null,
      errorClass: null,
      disable: null,
    });
    const failed = judge(attempt, failure('CONNECT'), NOW, 0.5);
    const gone = judge(attempt, answer(410), NOW, 0.5);
    assert.equal(gone.disable, 'the receiver answered 410 Gone');
    if (attempt === MAX_ATTEMPTS) {
      assert.deepEqual(failed, { status: 'DEAD', nextAttemptAt: null, errorClass: 'CONNECT', disable: null });
      assert.equal(gone.status, 'DEAD');
    } else {
      const next = NOW + (WAITS_MS[attempt - 1] as number);
      assert.deepEqual(failed, { status: 'PENDING', nextAttemptAt: next, errorClass: 'CONNECT', disable: null });
      assert.deepEqual([gone.status, gone.nextAttemptAt], ['HELD', null]);
    }
  }
});

test('a fault puts off by a minute, then twice as long each time up to an hour; after two days of that it is poison', () => {
  const waits: number[] = [];
  for (let faults = 0; !isPoison(faults); faults++) waits.push(faultWait(faults) / 60_000);
  assert.deepEqual(waits.slice(0, 9), [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  const minutes = waits.reduce((sum, wait) => sum + wait, 0);
  assert.ok(minutes >= 48 * 60 && minutes < 49 * 60, `${minutes} minutes`);
});
