import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { acquireReader } from '../src/modules/events/index.ts';
import { Claims } from '../src/modules/webhooks/engine/claims.ts';
import { READER } from '../src/modules/webhooks/engine/holdings.ts';
import type { Ticket } from '../src/modules/webhooks/engine/types.ts';
import { createLog } from '../src/platform/log/log.ts';
import { given } from './helpers/case.ts';
import { withDatabase } from './helpers/database.ts';
import { disabledEndpoint } from './helpers/disabled-endpoint.ts';
import { engineEndpoint } from './helpers/tickets.ts';
import { expireLeases, startNode, until } from './helpers/engine.ts';

const database = await withDatabase();

test('a probe that our own code fails on is given up after three faults: another delivery is the probe', async () => {
  const node = await startNode({ database: await withDatabase() });
  const { clock, db } = node;
  let answer = 500;
  const it = await disabledEndpoint(node, await node.tenant('PLATFORM'), () => answer);
  answer = 200;
  const held = sql`endpoint_id = ${it.endpoint.id}::uuid and status in ('HELD', 'PENDING')`;
  await sql`update webhook_deliveries set webhook = 'not.known', attempts = 0 where id = (
    select id from webhook_deliveries where ${held} order by id limit 1)`.execute(db);
  const before = it.receiver.received.length;
  clock.advance(3_600_000);
  for (const waitMs of [60_000, 120_000, 240_000]) {
    assert.deepEqual([it.receiver.received.length, (await it.endpointNow()).status], [before, 'DISABLED']);
    await node.work();
    clock.advance(waitMs);
  }
  await node.work();
  await node.work();
  assert.equal((await it.endpointNow()).status, 'ACTIVE');
  const { rows } = await sql<{ status: string; faults: number }>`
    select status, faults from webhook_deliveries where webhook = 'not.known' and endpoint_id = ${it.endpoint.id}::uuid`.execute(
    db,
  );
  assert.deepEqual([rows[0]?.status, (rows[0]?.faults ?? 0) >= 3], ['PENDING', true]);
});

test('what is queued when another node has taken the fan-out over is left to that node', async () => {
  const node = await startNode({ database });
  const it = await given(node, () => 'never', { maxInFlight: 1 });
  await node.publish(
    await node.tenant('PLATFORM'),
    [it.tenant],
    Array.from({ length: 4 }, () => ({ event: 'checkout.started' as const })),
  );
  await node.fanOut();
  await until('one is under way', () => it.receiver.waiting === 1);
  await sql`update event_readers set lease_owner = 'another'`.execute(node.db);
  it.receiver.release(1);
  await until('the next is under way, and that the lease is lost is known', () => {
    node.engine.recorder.touch();
    return it.receiver.waiting === 1 && node.engine.fanOut.open === 0;
  });
  it.receiver.release();
  await node.quiet();
  assert.equal(it.receiver.received.length, 2);
  assert.deepEqual(await it.stored(), []);
  await sql`update event_readers set lease_owner = null`.execute(node.db);
});

test('what is under way at the end has its outcome before the leases are given back, also without threads', async () => {
  const node = await startNode({ database });
  const it = await given(node, () => 'never');
  await node.publish(await node.tenant('PLATFORM'), [it.tenant]);
  await node.fanOut();
  await until('it is under way', () => it.receiver.waiting === 1);
  await node.engine.stop(1);
  const { status, attempts, error_class } = await it.one();
  assert.deepEqual([status, attempts, error_class], ['PENDING', 0, 'SHUTDOWN']);
});

test('of a claim, one that cannot be sent holds up no other, and none stays leased when the step fails', async () => {
  const node = await startNode({ database });
  const tenant = await node.tenant();
  const { db, clock } = node;
  const now = new Date(clock.now());
  const endpointId = node.env.newId();
  await sql`delete from webhook_deliveries`.execute(db);
  for (const webhook of ['not.known', 'offer.created'])
    await sql`insert into webhook_deliveries (id, event_id, webhook, endpoint_id, account_id, status, attempts,
        next_attempt_at, request_id, body, created_at, updated_at)
      values (${node.env.newId()}::uuid, ${node.env.newId()}::uuid, ${webhook}, ${endpointId}::uuid, ${tenant.id}::uuid,
        'PENDING', 0, ${now}, 'r', '{}', ${now}, ${now})`.execute(db);
  const leased = async (): Promise<string[]> => {
    const { rows } = await sql<{ webhook: string }>`
      select webhook from webhook_deliveries where lease_owner is not null order by webhook`.execute(db);
    return rows.map((r) => r.webhook);
  };
  const taken: Ticket[] = [];
  let isBroken = true;
  let faults = 0;
  const errors: string[] = [];
  const claims = new Claims({
    db,
    clock,
    log: createLog('error', { write: (line: string) => void errors.push(line) }),
    nodeId: 'me',
    hold: async () => true,
    holding: () => 1,
    parts: () => [{ name: READER, part: 0, parts: 1 }],
    onFault: () => faults++,
    timeoutMs: 1000,
    registry: { refresh: async () => undefined, get: () => engineEndpoint(endpointId) },
    loadSecrets: async () => {
      if (isBroken) throw new Error('broken');
    },
    submit: (ticket) => taken.push(ticket),
    room: () => 100,
    busyEndpoints: () => [],
    isBusy: () => false,
    claimLimits: () => new Map(),
  });
  await expireLeases(db);
  await acquireReader(db, READER, 'me', now);
  await assert.rejects(claims.step(), /broken/);
  assert.deepEqual([await leased(), taken.length], [[], 0]);
  isBroken = false;
  await claims.step();
  assert.deepEqual(
    taken.map((ticket) => ticket.webhook),
    ['offer.created'],
  );
  assert.deepEqual([await leased(), faults], [['offer.created'], 1]);
  const waits: number[] = [];
  for (let i = 0; i < 8; i++) {
    const { rows } = await sql<{
      at: Date;
      attempts: number;
      error_class: string;
    }>`select next_attempt_at as at, attempts,
      error_class from webhook_deliveries where webhook = 'not.known'`.execute(db);
    assert.deepEqual([rows[0]?.attempts, rows[0]?.error_class], [0, 'INTERNAL']);
    waits.push(((rows[0]?.at.getTime() ?? 0) - clock.now()) / 60_000);
    clock.set(rows[0]?.at ?? 0);
    await claims.step();
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60], 'minutes: twice as long each time, up to an hour');
  assert.match(errors[0] ?? '', /not\.known/);
  const hourLater = async (): Promise<void> => {
    clock.advance(3_600_000);
    await claims.step();
  };
  for (let i = 0; i < 44; i++) await hourLater();
  const { rows: still } = await sql`select status, faults from webhook_deliveries where webhook = 'not.known'`.execute(
    db,
  );
  assert.deepEqual(still, [{ status: 'PENDING', faults: 53 }]);
  await hourLater();
  const { rows: dead } = await sql`select status, attempts, error_class, next_attempt_at, lease_owner
    from webhook_deliveries where webhook = 'not.known'`.execute(db);
  const letter = { status: 'DEAD', attempts: 0, error_class: 'INTERNAL', next_attempt_at: null, lease_owner: null };
  assert.deepEqual(dead, [letter], 'poison is a dead letter in the end');
});
