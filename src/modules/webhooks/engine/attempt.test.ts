import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../lib/clock.ts';
import { type OutboundOutcome, parseTargetUrl } from '../../../platform/outbound/index.ts';
import { createAttempt } from './attempt.ts';

const target = parseTargetUrl('https://shop.example/', { allowedTargets: [], requireHttps: true });
const RESET: Extract<OutboundOutcome, { kind: 'failure' }> = {
  kind: 'failure',
  errorClass: 'RESET',
  message: 'connection reset',
  reusedConnection: true,
  timings: { totalMs: 3 },
};

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
  const id = '01a1fe0a-25f9-71ec-aa5f-88211f1d1190';
  const input = {
    webhook: 'offer.created',
    eventId: id,
    deliveryId: id,
    attempt: 1,
    isReplay: false,
    isTest: false,
    body: '{}',
    bytes: Buffer.from('{}'),
  } as const;
  await attempt(input, { accountId: 'a', target: target.ok ? target.url : null, headers: [] }, []);
  return requests;
}

test('a kept connection that was closed at that very moment: the request goes once more', async () => {
  assert.equal(await requestsOf(RESET), 2);
  assert.equal(await requestsOf({ ...RESET, reusedConnection: false }), 1);
  assert.equal(await requestsOf({ ...RESET, errorClass: 'TIMEOUT' }), 1);
});

test('a reply that was cut off is no sign of that: the receiver has the request', async () => {
  assert.equal(await requestsOf({ ...RESET, timings: { totalMs: 3, connectMs: 1, firstByteMs: 2 } }), 1);
});
