import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { withDatabase } from './helpers/database.ts';
import { dice } from './helpers/dice.ts';
import { deliveriesOf, startNode, type StoredDelivery, type Tenant, until, untilAll } from './helpers/engine.ts';
import { type Answer, type Received, type Receiver, startReceiver } from './helpers/receiver.ts';

const RECEIVERS = 8;
const ROTATIONS = 4;
/** Events of one request. */
const BATCH = 20;
const OVERLAP_SECONDS = 600;
/** Requests that a receiver may take after a rotation before it puts the new secret in place; none: at once. */
const LATEST_SWITCH = 40;

const roll = dice(7);
const stripe = new Stripe('sk_test_none');
const node = await startNode({
  database: await withDatabase(),
  loops: true,
  settings: { WEBHOOK_SENDER_THREADS: '2' },
});
const publisher = await node.tenant('PLATFORM');

const isGenuine = ({ body, headers }: Received, secret: string): boolean => {
  try {
    stripe.webhooks.constructEvent(body, headers['x-service-signature'] ?? '', secret);
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
};

/** A receiver that knows one secret at a time, and lets both libraries verify with it. */
class OneSecret {
  readonly receiver: Receiver;
  /** `X-Service-Event-Id` of what was genuine, and of what was not. */
  readonly taken: string[] = [];
  readonly refused: Received[] = [];
  secret: string;
  #next: { secret: string; after: number } | null = null;

  constructor(receiver: Receiver, secret: string) {
    this.receiver = receiver;
    this.secret = secret;
    receiver.script = (request) => this.#answer(request);
  }

  /** Goes over to this secret after so many more requests. */
  switchAfter(after: number, secret: string): void {
    this.#next = { secret, after };
  }

  get isSwitching(): boolean {
    return this.#next !== null;
  }

  #answer(request: Received): Answer {
    if (this.#next && this.#next.after-- <= 0) {
      this.secret = this.#next.secret;
      this.#next = null;
    }
    if (isGenuine(request, this.secret)) {
      this.taken.push(request.headers['x-service-event-id'] ?? '');
      return 200;
    }
    this.refused.push(request);
    return 400;
  }
}

async function rotated(tenant: Tenant): Promise<Tenant> {
  const path = `/v1/admin/api-keys/${tenant.keyId}/rotate`;
  const next = await node.ok(201, 'POST', path, { key: publisher.key, body: { overlapSeconds: OVERLAP_SECONDS } });
  return { id: tenant.id, key: next.key, keyId: next.id, secret: next.signingSecret };
}

async function given(): Promise<{ tenant: Tenant; receivers: OneSecret[]; endpoints: string[] }> {
  const tenant = await node.tenant();
  const receivers: OneSecret[] = [];
  const endpoints: string[] = [];
  for (let i = 0; i < RECEIVERS; i++) {
    const receiver = await startReceiver();
    receivers.push(new OneSecret(receiver, tenant.secret));
    endpoints.push((await node.endpoint(tenant, receiver.url())).id);
  }
  return { tenant, receivers, endpoints };
}

test('at whichever moment of an overlap a receiver changes its secret, no delivery fails', async (t) => {
  const { tenant, receivers, endpoints } = await given();
  const published: string[] = [];
  let isOver = false;
  const events = Array.from({ length: BATCH }, () => ({ event: 'checkout.started' as const }));
  const publishing = (async () => {
    while (!isOver) published.push(...(await node.publish(publisher, [tenant], events)));
  })();
  let now = tenant;
  for (let i = 0; i < ROTATIONS; i++) {
    const from = receivers.map((r) => r.taken.length);
    await until('each has got some', () => receivers.every((r, n) => r.taken.length > (from[n] ?? 0) + roll(20)));
    now = await rotated(now);
    for (const receiver of receivers) receiver.switchAfter(roll(LATEST_SWITCH), now.secret);
    await until('each has the new secret', () => receivers.every((r) => !r.isSwitching));
  }
  isOver = true;
  await publishing;
  await untilAll('everything was sent', published.length * RECEIVERS, () =>
    receivers.reduce((sum, r) => sum + new Set(r.taken).size, 0),
  );
  const refused = receivers.reduce((sum, r) => sum + r.refused.length, 0);
  t.diagnostic(`${published.length * RECEIVERS} deliveries, ${ROTATIONS} rotations, ${refused} sent anew`);
  for (const [n, id] of endpoints.entries()) {
    let rows: StoredDelivery[] = [];
    await until('all is written', async () => {
      rows = await deliveriesOf(node.db, id);
      // What had to wait for its endpoint has a row before its first attempt.
      return rows.length === published.length && rows.every((d) => d.attempts > 0);
    });
    const failed = rows.filter((d) => d.status !== 'DELIVERED' || d.attempts !== 1);
    assert.deepEqual(failed, []);
    assert.deepEqual(receivers[n]?.taken.toSorted(), published.toSorted(), 'each once');
  }
});

test('what was signed before the rotation and is refused after it goes once more, as the same attempt', async () => {
  const receiver = await startReceiver(() => 'never');
  const old = await node.tenant();
  const { id } = await node.endpoint(old, receiver.url());
  await node.publish(publisher, [old]);
  await until('it is under way', () => receiver.waiting === 1);
  const next = await rotated(old);
  const only = new OneSecret(receiver, next.secret);
  receiver.release(1, 401);
  await until('it is written', async () => (await deliveriesOf(node.db, id)).length === 1);
  const [row] = await deliveriesOf(node.db, id);
  assert.deepEqual([row?.status, row?.attempts, row?.error_class], ['DELIVERED', 1, null]);
  assert.deepEqual([receiver.received.length, only.taken.length], [2, 1]);
  const [first, second] = receiver.received as [Received, Received];
  assert.ok(isGenuine(first, old.secret) && !isGenuine(first, next.secret));
  assert.ok(isGenuine(second, old.secret) && isGenuine(second, next.secret));
  assert.equal(second.headers['x-service-delivery-id'], first.headers['x-service-delivery-id']);
  assert.equal(second.headers['x-service-attempt'], '1');
});

test('when the overlap is over, only the new secret signs', async () => {
  const { tenant, receivers, endpoints } = await given();
  const [late, ...others] = receivers as [OneSecret, ...OneSecret[]];
  const next = await rotated(tenant);
  for (const receiver of others) receiver.secret = next.secret;
  const verdicts = async (): Promise<string[]> =>
    (await Promise.all(endpoints.map((id) => deliveriesOf(node.db, id)))).map((rows) =>
      rows.map((d) => `${d.status} ${d.attempts} ${d.error_class}`).join(),
    );
  const allWritten = (count: number) => async (): Promise<boolean> =>
    (await Promise.all(endpoints.map((id) => deliveriesOf(node.db, id)))).every((rows) => rows.length === count);

  node.clock.advance(OVERLAP_SECONDS * 1000 - 1);
  await node.publish(publisher, [next]);
  await until('the last moment of the overlap', allWritten(1));
  assert.deepEqual(await verdicts(), Array(RECEIVERS).fill('DELIVERED 1 null'));

  node.clock.advance(1);
  await node.publish(publisher, [next]);
  await until('the first moment after it', allWritten(2));
  const [failed, ...fine] = await verdicts();
  assert.equal(failed, 'DELIVERED 1 null,PENDING 1 HTTP_4XX');
  assert.deepEqual(fine, Array(RECEIVERS - 1).fill('DELIVERED 1 null,DELIVERED 1 null'));
  const [header = ''] = late.refused.map((r) => r.headers['x-service-signature']);
  assert.match(header, /^t=\d+,v1=[0-9a-f]{64}$/);
  assert.equal(late.refused.length, 1, 'nothing changed since it was signed, so it is not sent anew');

  late.secret = next.secret;
  node.clock.advance(3 * 60_000);
  await until('the retry fits', async () => (await verdicts())[0] === 'DELIVERED 1 null,DELIVERED 2 null');
});
