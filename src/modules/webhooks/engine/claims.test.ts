import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { startNode } from '../../../../test/helpers/engine.ts';
import { engineEndpoint } from '../../../../test/helpers/tickets.ts';
import { createLog } from '../../../platform/log/log.ts';
import { Claims } from './claims.ts';
import { READER } from './holdings.ts';
import type { Ticket } from './types.ts';

const node = await startNode({ database: await withDatabase() });
const { db, clock } = node;
const tenant = await node.tenant();
const endpoint = await node.endpoint(tenant, 'http://127.0.0.1:9/');

test('what was claimed is given back when the lease was lost before it could be taken on, though it was had again', async () => {
  await node.ok(202, 'POST', `/v1/webhooks/endpoints/${endpoint.id}/test`, { key: tenant.key, body: {} });
  await sql`insert into event_readers (name, position, updated_at, lease_owner, lease_until)
    values (${READER}, 0, now(), 'this-one', now() + interval '1 minute')
    on conflict (name) do update set lease_owner = excluded.lease_owner, lease_until = excluded.lease_until`.execute(
    db,
  );
  const submitted: Ticket[] = [];
  let holding = 1;
  let isLost = true;
  const claims = new Claims({
    db,
    log: createLog('silent'),
    clock,
    nodeId: 'this-one',
    timeoutMs: 1000,
    hold: async () => true,
    holding: () => holding,
    parts: () => [{ name: READER, part: 0, parts: 1 }],
    registry: {
      refresh: async () => undefined,
      get: (id) => engineEndpoint(id, { accountId: tenant.id }),
    },
    async loadSecrets() {
      if (isLost) holding++;
    },
    submit: (ticket) => void submitted.push(ticket),
    onFault: () => undefined,
    room: () => 10,
    busyEndpoints: () => [],
    isBusy: () => false,
    claimLimits: () => new Map(),
  });
  await claims.step();
  assert.equal(submitted.length, 0, 'whoever held the lease meanwhile may have sent it');
  const { rows } = await sql<{ owner: string | null }>`select lease_owner as owner from webhook_deliveries`.execute(db);
  assert.deepEqual(rows, [{ owner: null }]);
  isLost = false;
  await claims.step();
  assert.equal(submitted.length, 1);
});
