import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ManualClock } from '../../../lib/clock.ts';
import { type OutboundOutcome, parseTargetUrl } from '../../../platform/outbound/index.ts';
import { createAttempt, lineOf } from './attempt.ts';
import type { AttemptRecord } from './types.ts';

const target = parseTargetUrl('https://shop.example/', { allowedTargets: [], requireHttps: true });
const RESET: Extract<OutboundOutcome, { kind: 'failure' }> = {
  kind: 'failure',
  errorClass: 'RESET',
  message: 'connection reset',
  onStaleConnection: true,
  timings: { totalMs: 3 },
};

const ID = '01a1fe0a-25f9-71ec-aa5f-88211f1d1190';
const INPUT = {
  webhook: 'offer.created',
  eventId: ID,
  deliveryId: ID,
  attempt: 1,
  isReplay: false,
  isTest: false,
  body: '{}',
} as const;

/** How many requests one attempt makes when each is answered so. */
async function requestsOf(answer: OutboundOutcome): Promise<number> {
  let requests = 0;
  const attempt = createAttempt({
    sender: { send: async () => (requests++, answer), close: async () => undefined },
    clock: new ManualClock(),
    random: () => 0.5,
    timeoutMs: 1000,
    userAgent: 'Posthorn/test',
  });
  await attempt(INPUT, { accountId: 'a', target: target.ok ? target.url : null, headers: [] }, []);
  return requests;
}

test('a kept connection that was closed at that very moment: the request goes once more', async () => {
  assert.equal(await requestsOf(RESET), 2);
  assert.equal(await requestsOf({ ...RESET, onStaleConnection: false }), 1);
  assert.equal(await requestsOf({ ...RESET, errorClass: 'TIMEOUT' }), 1);
});

test('a machine without room for a connection costs the receiver no attempt', async () => {
  const full: OutboundOutcome = { ...RESET, errorClass: 'CONNECT', message: 'no room (EMFILE)', isOurs: true };
  await assert.rejects(requestsOf({ ...full, onStaleConnection: false }), { message: 'no room (EMFILE)' });
});

test('a 408 that crossed the request on a kept connection is its end, too', async () => {
  const said: OutboundOutcome = {
    kind: 'response',
    status: 408,
    headers: { connection: 'close' },
    body: '',
    bodyTruncated: false,
    timings: { totalMs: 3 },
  };
  assert.equal(await requestsOf(said), 2);
  assert.equal(await requestsOf({ ...said, headers: { connection: 'Close ' } }), 2);
  assert.equal(await requestsOf({ ...said, status: 503 }), 1);
  assert.equal(await requestsOf({ ...said, headers: {} }), 1);
  assert.equal(await requestsOf({ ...said, timings: { totalMs: 3, connectMs: 1 } }), 1);
});

test('the log has what was sent and what came back', async () => {
  const keys = [{ key: createSecretKey(Buffer.from('whsec_a')), rawKey: createSecretKey(Buffer.from('a')) }];
  const answer: OutboundOutcome = {
    kind: 'response',
    status: 200,
    headers: { 'x-note': 'a "word"', 'set-cookie': 'id=1' },
    body: 'line\nand \\',
    bodyTruncated: false,
    timings: { totalMs: 12.34, firstByteMs: 11.26 },
  };
  let sent: readonly string[] = [];
  const attempt = createAttempt({
    sender: {
      send: async ({ common = [], headers }) => ((sent = [...common, ...headers]), answer),
      close: async () => undefined,
    },
    clock: new ManualClock(0),
    random: () => 0.5,
    timeoutMs: 1000,
    userAgent: 'Posthorn/test',
  });
  const { log } = await attempt(INPUT, { accountId: 'a', target: target.ok ? target.url : null, headers: [] }, keys);
  const headerOf = (name: string): string | undefined => sent[sent.indexOf(name) + 1];
  assert.deepEqual(JSON.parse(String(log)), {
    attempt: 1,
    at: '1970-01-01T00:00:00.000Z',
    durationMs: 12.3,
    firstByteMs: 11.3,
    signature: headerOf('X-Service-Signature'),
    standardSignature: headerOf('webhook-signature'),
    responseStatus: 200,
    responseHeaders: { 'x-note': 'a "word"', 'set-cookie': '[redacted]' },
    responseBody: 'line\nand \\',
    errorClass: null,
    errorMessage: null,
  });
  assert.match(String(headerOf('X-Service-Signature')), /^t=0,v1=[0-9a-f]{64}$/);
});

test('an attempt that went twice took as long as both', async () => {
  const answers: OutboundOutcome[] = [
    RESET,
    {
      kind: 'response',
      status: 200,
      headers: {},
      body: '',
      bodyTruncated: false,
      timings: { totalMs: 5, connectMs: 1, firstByteMs: 4 },
    },
  ];
  const deadlines: (readonly [number, number | undefined])[] = [];
  const attempt = createAttempt({
    sender: {
      send: async ({ deadlineMs, withinMs }) => (
        deadlines.push([deadlineMs, withinMs]), answers.shift() as OutboundOutcome
      ),
      close: async () => undefined,
    },
    clock: new ManualClock(0),
    random: () => 0.5,
    timeoutMs: 1000,
    userAgent: 'Posthorn/test',
  });
  const { log, durationMs } = await attempt(
    INPUT,
    { accountId: 'a', target: target.ok ? target.url : null, headers: [] },
    [],
  );
  const { connectMs, firstByteMs } = JSON.parse(String(log)) as AttemptRecord;
  assert.deepEqual({ durationMs, connectMs, firstByteMs }, { durationMs: 8, connectMs: 1, firstByteMs: 7 });
  assert.deepEqual(deadlines, [
    [1000, undefined],
    [997, 1000],
  ]);
});

test('where one went that arrived at once is kept for as long as others may not have heard of a change', async () => {
  const answer = {
    kind: 'response',
    status: 200,
    headers: {},
    body: '',
    bodyTruncated: false,
    timings: { totalMs: 1 },
  };
  const clock = new ManualClock(60_000);
  const attempt = createAttempt({
    sender: { send: async () => answer as OutboundOutcome, close: async () => undefined },
    clock,
    random: () => 0.5,
    timeoutMs: 1000,
    userAgent: 'Posthorn/test',
  });
  const kept = async (changedAt?: number) => {
    const url = target.ok ? target.url : null;
    const changed = changedAt === undefined ? {} : { changedAt };
    const { log } = await attempt(INPUT, { accountId: 'a', target: url, headers: ['X-Shop', 'a'], ...changed }, []);
    const record = JSON.parse(String(log)) as AttemptRecord;
    return [record.url, record.headerNames];
  };
  const [nothing, all] = [
    [undefined, undefined],
    ['https://shop.example/', ['X-Shop']],
  ];
  assert.deepEqual(await kept(), nothing);
  assert.deepEqual(await kept(60_000), all);
  assert.deepEqual(await kept(45_001), all);
  assert.deepEqual(await kept(45_000), nothing);
});

/** Whatever text a receiver may send: quotes, control characters, halves of pairs. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '\u0000\u001f\u2028\ud800', ']}\n{'),
);
const anyMs = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined });
const anyRecord: fc.Arbitrary<AttemptRecord> = fc.record({
  attempt: fc.integer({ min: 1, max: 5 }),
  at: fc.constant('2026-01-01T00:00:00.000Z'),
  durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  connectMs: anyMs,
  firstByteMs: anyMs,
  signature: fc.constant('t=1785000000,v1=0a,v1=0b'),
  standardSignature: fc.constant('v1,a+/= v1,b=='),
  responseStatus: fc.option(fc.integer({ min: 200, max: 999 })),
  responseHeaders: fc.option(fc.dictionary(anyText, anyText)),
  responseBody: fc.option(anyText),
  errorClass: fc.option(anyText),
  errorMessage: fc.option(anyText),
  url: fc.option(anyText, { nil: undefined }),
  headerNames: fc.option(fc.array(anyText), { nil: undefined }),
});

test('an attempt is written as JSON.stringify writes it, whatever the receiver sent', () => {
  fc.assert(fc.property(anyRecord, (record) => assert.equal(lineOf(record), JSON.stringify(record))));
});
