import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
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

test('where nothing waited a poll does not look again at once, but whoever is told of something does', async () => {
  const { claims, submitted } = claimsOf();
  assert.equal(await claims.step(true), false);
  await sendTest();
  assert.equal(await claims.step(true), false);
  assert.equal(submitted.length, 0);
  await claims.step();
  assert.equal(submitted.length, 1, 'by a word from elsewhere');
});

test('where nothing waited the next poll looks once something was put off, and any poll after a second', async () => {
  const { claims, submitted } = claimsOf();
  await claims.step(true);
  await sendTest();
  claims.expect();
  await claims.step(true);
  assert.equal(submitted.length, 1);
  const other = claimsOf();
  await sql`delete from webhook_deliveries`.execute(db);
  await other.claims.step(true);
  await sendTest();
  await pause(1000);
  await other.claims.step(true);
  assert.equal(other.submitted.length, 1);
});
