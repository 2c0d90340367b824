import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode } from '../../../../test/helpers/engine.ts';
import { engineEndpoint } from '../../../../test/helpers/tickets.ts';
import { createLog } from '../../../platform/log/log.ts';
import { type ClaimDeps, Claims } from './claims.ts';
import { READER } from './holdings.ts';
import type { Ticket } from './types.ts';

const node = await startNode({ database: await withDatabase() });
const { db, clock } = node;
const tenant = await node.tenant();
const endpoint = await node.endpoint(tenant, 'http://127.0.0.1:9/');

/** Claims of a node that holds everything; `with` replaces what a test is about. */
const claimsOf = (deps: Partial<ClaimDeps> = {}): { claims: Claims; submitted: Ticket[] } => {
  const submitted: Ticket[] = [];
  const claims = new Claims({
    db,
    log: createLog('silent'),
    clock,
    nodeId: 'this-one',
    timeoutMs: 1000,
    hold: async () => true,
    holding: () => 1,
    parts: () => [{ name: READER, part: 0, parts: 1 }],
    registry: {
      refresh: async () => undefined,
      get: (id) => engineEndpoint(id, { accountId: tenant.id }),
    },
    loadSecrets: async () => undefined,
    submit: (ticket) => void submitted.push(ticket),
    onFault: () => undefined,
    room: () => 10,
    busyEndpoints: () => [],
    isBusy: () => false,
    claimLimits: () => new Map(),
    ...deps,
  });
  return { claims, submitted };
};
const sendTest = () =>
  node.ok(202, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/test`, { key: tenant.key, body: {} });

beforeEach(async () => {
  await sql`delete from webhook_deliveries`.execute(db);
  await sql`insert into event_readers (name, position, updated_at, lease_owner, lease_until)
    values (${READER}, 0, now(), 'this-one', now() + interval '1 minute')
    on conflict (name) do update set lease_owner = excluded.lease_owner, lease_until = excluded.lease_until`.execute(
    db,
  );
});

test('what was claimed is given back when the lease was lost before it could be taken on, though it was had again', async () => {
  await sendTest();
  let holding = 1;
  let isLost = true;
  const { claims, submitted } = claimsOf({
    holding: () => holding,
    async loadSecrets() {
      if (isLost) holding++;
    },
  });
  await claims.step();
  assert.equal(submitted.length, 0, 'whoever held the lease meanwhile may have sent it');
  const { rows } = await sql<{ owner: string | null }>`select lease_owner as owner from webhook_deliveries`.execute(db);
  assert.deepEqual(rows, [{ owner: null }]);
  isLost = false;
  await claims.step();
  assert.equal(submitted.length, 1);
});

test('where nothing waited a poll does not look again for three seconds, but whoever is told of something does', async () => {
  let now = 0;
  const { claims, submitted } = claimsOf({ now: () => now });
  assert.equal(await claims.step(true), false);
  await sendTest();
  now += 2899;
  assert.equal(await claims.step(true), false);
  assert.equal(submitted.length, 0);
  now += 1;
  await claims.step(true);
  assert.equal(submitted.length, 1);
});

test('where nothing waited whoever is told of something looks, and after it failed the next poll', async () => {
  let isAway = false;
  const { claims, submitted } = claimsOf({
    now: () => 0,
    hold: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(true)),
  });
  await claims.step(true);
  await sendTest();
  isAway = true;
  await assert.rejects(claims.step(), /away/);
  isAway = false;
  await claims.step(true);
  assert.equal(submitted.length, 1);
});

test('where nothing waited the next poll looks once something was written, also while it looked', async () => {
  let meanwhile = (): void => claims.expect();
  const { claims, submitted } = claimsOf({
    now: () => 0,
    claimLimits: () => {
      meanwhile();
      return new Map();
    },
  });
  await claims.step(true);
  meanwhile = () => undefined;
  await sendTest();
  await claims.step(true);
  assert.equal(submitted.length, 1);
  await sql`delete from webhook_deliveries`.execute(db);
  await claims.step(true);
  await sendTest();
  await claims.step(true);
  assert.equal(submitted.length, 1, 'nobody said so');
  claims.expect();
  await claims.step(true);
  assert.equal(submitted.length, 2);
});
