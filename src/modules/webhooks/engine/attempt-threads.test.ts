import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Stripe } from 'stripe';
import { until } from '../../../../test/helpers/engine.ts';
import { Receiver, type Script } from '../../../../test/helpers/receiver.ts';
import { newSigningSecret, signingSecretBytes } from '../../../lib/credentials.ts';
import { createLog } from '../../../platform/log/log.ts';
import { type OutboundPolicy, parseTargetUrl } from '../../../platform/outbound/index.ts';
import { attemptThreads } from './attempt-threads.ts';
import { readAttemptLog } from './delivery-store.ts';
import type { AttemptEndpoint, AttemptTicket, SigningKeys } from './types.ts';

const LOOPBACK: OutboundPolicy = { allowedTargets: ['127.0.0.0/8'], requireHttps: false };
const ENDPOINTS = ['01a1fe0a-25f9-71ec-aa5f-000000000000', '01a1fe0a-25f9-71ec-aa5f-000000000001'] as const;

interface Given {
  threads?: number;
  policy?: OutboundPolicy;
  script?: Script;
  timeoutMs?: number;
  file?: URL;
}

async function given(t: TestContext, options: Given = {}) {
  const receiver = new Receiver(options.script ?? (() => 200));
  await receiver.listen();
  const errors: string[] = [];
  const log = createLog('error', { write: (line: string) => void errors.push(line) });
  const attempts = attemptThreads(
    options.threads ?? 1,
    {
      policy: options.policy ?? LOOPBACK,
      connectionsPerOrigin: 16,
      timeoutMs: options.timeoutMs ?? 5000,
      userAgent: 'Posthorn/test',
    },
    log,
    options.file,
  );
  t.after(async () => {
    await attempts.close();
    await receiver.close();
  });
  const endpoint = (path: string, headers: string[] = []): AttemptEndpoint => {
    const target = parseTargetUrl(receiver.url(path), LOOPBACK);
    return { accountId: 'account', target: target.ok ? target.url : null, headers };
  };
  return { receiver, attempts, endpoint, errors };
}

const keysOf = (secret: string): SigningKeys[] => [
  { key: createSecretKey(Buffer.from(secret)), rawKey: createSecretKey(signingSecretBytes(secret)) },
];

const input = (n: number, body = `{"event":"offer.created","n":${n}}`): AttemptTicket => ({
  webhook: 'offer.created',
  eventId: '01a1fe0a-25f9-71ec-aa5f-88211f1d1190',
  deliveryId: `01a1fe0a-25f9-71ec-aa5f-${String(n).padStart(12, '0')}`,
  attempt: 1,
  isReplay: false,
  isTest: false,
  body,
});

test('an attempt on a thread arrives signed, and its outcome comes back with the log', async (t) => {
  const { attempts, endpoint, receiver } = await given(t, {
    script: () => ({ status: 201, headers: { 'x-from': 'receiver' }, body: 'thanks' }),
  });
  const secret = newSigningSecret();
  const outcome = await attempts.run(input(1), ENDPOINTS[0], endpoint('/a', ['x-own', '1']), keysOf(secret));
  assert.deepEqual([outcome.status, outcome.attempts, outcome.errorClass], ['DELIVERED', 1, null]);
  const [record] = readAttemptLog(`${outcome.log}\n`);
  assert.equal(record?.responseStatus, 201);
  assert.equal(record.responseHeaders?.['x-from'], 'receiver');
  assert.equal(record.responseBody, 'thanks');
  const [request] = receiver.received;
  assert.equal(request?.headers['x-own'], '1');
  const header = request.headers['x-service-signature'] as string;
  assert.equal(header, record.signature);
  new Stripe('sk_test_x').webhooks.constructEvent(request.body, header, secret);
});

test('each of many gets its own outcome, over several threads', async (t) => {
  const { attempts, endpoint, receiver } = await given(t, {
    threads: 2,
    script: ({ body }) => 200 + ((JSON.parse(body) as { n: number }).n % 7),
  });
  const keys = keysOf(newSigningSecret());
  const targets = [endpoint('/even'), endpoint('/odd')];
  const outcomes = await Promise.all(
    Array.from({ length: 500 }, (_, n) =>
      attempts.run(input(n), ENDPOINTS[n % 2] as string, targets[n % 2] as AttemptEndpoint, keys),
    ),
  );
  for (const [n, outcome] of outcomes.entries()) {
    assert.equal(readAttemptLog(`${outcome.log}\n`)[0]?.responseStatus, 200 + (n % 7));
  }
  assert.equal(receiver.at('/even').length, 250);
  assert.equal(receiver.at('/odd').length, 250);
});

test('a changed endpoint and changed secrets hold from the next attempt on', async (t) => {
  const { attempts, endpoint, receiver } = await given(t);
  const [before, after] = [newSigningSecret(), newSigningSecret()];
  await attempts.run(input(1), ENDPOINTS[0], endpoint('/before'), keysOf(before));
  await attempts.run(input(2), ENDPOINTS[0], endpoint('/after', ['x-own', 'new']), keysOf(after));
  const [request] = receiver.at('/after');
  assert.equal(request?.headers['x-own'], 'new');
  new Stripe('sk_test_x').webhooks.constructEvent(request.body, request.headers['x-service-signature'] ?? '', after);
});

test('the policy holds on a thread: an address that may not be reached is not', async (t) => {
  const { attempts, endpoint, receiver } = await given(t, { policy: { allowedTargets: [], requireHttps: false } });
  const outcome = await attempts.run(input(1), ENDPOINTS[0], endpoint('/a'), keysOf(newSigningSecret()));
  assert.deepEqual([outcome.status, outcome.errorClass], ['PENDING', 'BLOCKED_TARGET']);
  assert.equal(receiver.received.length, 0);
});

test('an attempt that hangs ends at its deadline', async (t) => {
  const { attempts, endpoint } = await given(t, { script: () => 'never', timeoutMs: 100 });
  const outcome = await attempts.run(input(1), ENDPOINTS[0], endpoint('/a'), keysOf(newSigningSecret()));
  assert.deepEqual([outcome.status, outcome.errorClass], ['PENDING', 'TIMEOUT']);
  assert.ok((outcome.nextAttemptAt ?? 0) > outcome.at);
});

test('closing ends what is under way without counting it', async (t) => {
  const { attempts, endpoint, receiver } = await given(t, { script: () => 'never' });
  const running = attempts.run(input(1), ENDPOINTS[0], endpoint('/a'), keysOf(newSigningSecret()));
  await until('the request is at the receiver', () => receiver.waiting === 1);
  await attempts.close();
  const outcome = await running;
  assert.deepEqual(
    [outcome.status, outcome.attempts, outcome.errorClass, outcome.log],
    ['PENDING', 0, 'SHUTDOWN', null],
  );
});

test('what ends right after a message to the main thread is told of before the thread ends', async (t) => {
  const { attempts, endpoint, receiver } = await given(t, {
    script: ({ path }) => (path === '/never' ? 'never' : 200),
  });
  const keys = keysOf(newSigningSecret());
  const running = [1, 2, 3].map((n) => attempts.run(input(n), ENDPOINTS[0], endpoint('/never'), keys));
  await until('the requests are at the receiver', () => receiver.waiting === 3);
  await attempts.run(input(4), ENDPOINTS[0], endpoint('/a'), keys);
  await attempts.close();
  const ended = await Promise.allSettled(running);
  assert.deepEqual(
    ended.map((r) => (r.status === 'fulfilled' ? r.value.errorClass : String(r.reason))),
    ['SHUTDOWN', 'SHUTDOWN', 'SHUTDOWN'],
  );
});

test('where no thread is to be had, an attempt fails as any other does', async (t) => {
  const { attempts, endpoint } = await given(t, { file: new URL('http://127.0.0.1/no-file') });
  const running = attempts.run(input(1), ENDPOINTS[0], endpoint('/a'), keysOf(newSigningSecret()));
  await assert.rejects(running, { code: 'ERR_INVALID_URL_SCHEME' });
});

test('a thread that has no time left is busy, for the endpoints that are its', async (t) => {
  const spinning = new URL(
    `data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { const until = Date.now() + 2000; while (Date.now() < until); process.exit(); });")}`,
  );
  const { attempts, endpoint } = await given(t, { file: spinning, threads: 2 });
  const [first, second] = ENDPOINTS;
  for (const id of ENDPOINTS) assert.equal(attempts.isBusy(id), false, 'before it began');
  const running = attempts.run(input(1), first, endpoint('/a'), keysOf(newSigningSecret()));
  const ended = assert.rejects(running, /thread that made the attempt/);
  await until('it is busy', () => attempts.isBusy(first));
  assert.equal(attempts.isBusy(second), false);
  await ended;
  assert.equal(attempts.isBusy(first), false, 'the one after it has not begun');
});

test('a thread that dies fails what it had, is reported, and another takes over', async (t) => {
  const dying = new URL(
    `data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('out of luck'); });")}`,
  );
  const { attempts, endpoint, errors } = await given(t, { file: dying });
  const keys = keysOf(newSigningSecret());
  for (const n of [1, 2]) {
    await assert.rejects(attempts.run(input(n), ENDPOINTS[0], endpoint('/a'), keys), /thread that made the attempt/);
  }
  assert.equal(errors.filter((line) => line.includes('out of luck')).length, 2);
});
