import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotonicNow } from '../src/lib/clock.ts';
import { answering, startReceiver, startTlsReceiver } from '../src/platform/outbound/test-receiver.ts';
import { AUTHORITY, trust } from './helpers/certificates.ts';
import { deliveriesOf, until } from './helpers/engine.ts';
import { type Hostile, hostileReceivers, TIMEOUT_MS } from './helpers/hostile-receivers.ts';
import { startReceiver as startHealthy } from './helpers/receiver.ts';
import { startScheduled, WAITS } from './helpers/schedule.ts';

/** Deliveries to each receiver. */
const EACH = 2;
/** In the log of an attempt; names and values of headers, the body and our own words together. Characters. */
const MOST_LOGGED = 90_000;

trust(AUTHORITY);
const node = await startScheduled(TIMEOUT_MS / 1000);
const publisher = await node.tenant('PLATFORM');

interface Logged {
  responseStatus: number | null;
  responseBody: string | null;
  responseHeaders: Record<string, string> | null;
  errorClass: string | null;
  errorMessage: string | null;
}
interface Detail {
  status: string;
  errorClass: string | null;
  attempts: number;
  nextAttemptAt: string | null;
  log: Logged[];
}

/** By a whole response. */
const isAnswered = ({ expected: { errorClass } }: Hostile): boolean => errorClass?.startsWith('HTTP_') ?? true;

/** Holds one delivery against what is expected. */
function check(detail: Detail, { expected }: Hostile, attemptedAt: number): void {
  const [attempt, more] = detail.log;
  assert.ok(attempt && !more, 'one attempt is logged');
  const wait = expected.waitMs ?? WAITS[0];
  const told = expected.errorMessage?.includes(': N of ')
    ? attempt.errorMessage?.replace(/: \d+ of /, ': N of ')
    : attempt.errorMessage;
  const next = expected.status === 'PENDING' ? new Date(attemptedAt + wait).toISOString() : null;
  assert.deepEqual(
    {
      status: detail.status,
      attempts: detail.attempts,
      errorClass: detail.errorClass,
      nextAttemptAt: detail.nextAttemptAt,
      logged: [attempt.errorClass, attempt.responseStatus, told],
    },
    {
      status: expected.status,
      attempts: 1,
      errorClass: expected.errorClass,
      nextAttemptAt: next,
      logged: [expected.errorClass, expected.responseStatus, expected.errorMessage ?? null],
    },
  );
  if (expected.body !== undefined) assert.equal(attempt.responseBody, expected.body);
  assert.ok(JSON.stringify(attempt).length < MOST_LOGGED, 'the log of an attempt is bounded');
}

test('each hostile receiver has its verdict, and a healthy endpoint beside it gets everything meanwhile', async (t) => {
  const inside = await startReceiver(t, answering(200));
  const healthy = await startHealthy();
  const table = hostileReceivers({ url: inside.url, now: node.clock.now() });
  const cases = await Promise.all(
    table.map(async (row, i) => {
      const { certificate, script } = row;
      const receiver = await (certificate === undefined || certificate === 'none'
        ? startReceiver(t, script)
        : startTlsReceiver(t, script, ...(certificate === 'self-signed' ? [] : [certificate])));
      const tenant = await node.tenant();
      const scheme = certificate === undefined ? 'http' : 'https';
      const settings = row.inTurn ? { maxInFlight: 1 } : {};
      const bad = await node.endpoint(tenant, `${scheme}://127.0.0.1:${receiver.port}/hook`, settings);
      const good = await node.endpoint(tenant, healthy.url(`/${i}`));
      return { row, receiver, tenant, bad, good };
    }),
  );
  // The first delivery of a process loads and compiles what sends; this one is in nobody's way.
  const first = await node.tenant();
  await node.endpoint(first, healthy.url('/first'));
  await node.publish(publisher, [first]);
  await node.work();
  const startedAt = monotonicNow();
  const events = Array.from({ length: EACH }, () => ({ event: 'checkout.started' as const }));
  await node.publish(
    publisher,
    cases.map((c) => c.tenant),
    events,
  );
  await node.fanOut();
  await until('every healthy endpoint has everything', () => healthy.received.length === EACH * cases.length + 1);
  const healthyMs = monotonicNow() - startedAt;
  // On a busy machine some wait for longer than a second: they get a row first and are claimed.
  await until('each was attempted', async () => {
    await node.quiet();
    await node.claim();
    return (await deliveriesOf(node.db)).every((d) => d.attempts > 0);
  });
  await node.quiet();

  for (const { row, receiver, tenant, bad, good } of cases) {
    await t.test(row.name, async () => {
      const rows = await deliveriesOf(node.db, bad.id);
      assert.equal(rows.length, EACH);
      for (const { id } of rows) {
        const detail = await node.ok(200, 'GET', `/v1/webhooks/deliveries/${id}`, { key: tenant.key });
        check(detail, row, node.clock.now());
      }
      const endpoint = await node.ok(200, 'GET', `/v1/webhooks/endpoints/${bad.id}`, { key: tenant.key });
      assert.equal(endpoint.status, row.expected.endpoint ?? 'ACTIVE');
      const isKept = isAnswered(row);
      // What was written to a connection that is being closed is sent again: it may have been read or not.
      if (isKept && !row.inTurn) assert.equal(receiver.requests.length, EACH, 'each was sent once');
      const beside = await deliveriesOf(node.db, good.id);
      assert.deepEqual(
        beside.map((d) => `${d.status} ${d.attempts}`),
        Array(EACH).fill('DELIVERED 1'),
      );
    });
  }
  // What is healthy waits for none of those that hang.
  assert.ok(healthyMs < TIMEOUT_MS, `${healthyMs} ms until the last healthy endpoint had everything`);
  assert.equal(inside.sockets.length, 0, 'no redirect was followed');
  await until('no connection to one that was given up stays', () =>
    cases.every(({ row, receiver }) => isAnswered(row) || receiver.open() === 0),
  );
});
