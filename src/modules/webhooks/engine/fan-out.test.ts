import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { cursorOf, deliveriesOf, startNode } from '../../../../test/helpers/engine.ts';
import { engineEndpoint } from '../../../../test/helpers/tickets.ts';
import { createLog } from '../../../platform/log/log.ts';
import { waiting } from './attempt.ts';
import { FanOut } from './fan-out.ts';
import { READER } from './holdings.ts';
import { EndpointRegistry } from './registry.ts';
import type { Result, Ticket } from './types.ts';

const node = await startNode({ database: await withDatabase() });
const { db, clock } = node;
const [publisher, tenant] = [await node.tenant('PLATFORM'), await node.tenant()];
await node.endpoint(tenant, 'http://127.0.0.1:9/');

const setOwner = (owner: string | null) =>
  sql`update event_readers set lease_owner = ${owner}, lease_until = now() + interval '1 minute'
    where name = ${READER}`.execute(db);

test('a lease that is lost and had again while events are being read leaves none of them out', async () => {
  const submitted: Ticket[] = [];
  let meanwhile = async (): Promise<void> => undefined;
  const fanOut = new FanOut({
    db,
    clock,
    log: createLog('silent'),
    nodeId: 'this-one',
    partitions: 1,
    openSource: (part) => node.service.modules.events.openSource(READER, part),
    underWay: () => 0,
    registry: new EndpointRegistry(db, (row) =>
      engineEndpoint(row.id, { accountId: row.account_id, events: new Set(['offer.created']) }),
    ),
    async loadSecrets() {
      const once = meanwhile;
      meanwhile = async () => undefined;
      await once();
    },
    submit: (ticket) => void submitted.push(ticket),
    touch: () => undefined,
    passed: () => undefined,
    isCongested: () => false,
    onAcquired: () => undefined,
    onLost: () => undefined,
  });
  const publish = () => node.publish(publisher, [tenant], [{ event: 'offer.created' }]);
  const first = await publish();
  while (await fanOut.step());
  assert.equal(submitted.length, 1, 'it is being sent, and has no row yet');

  const second = await publish();
  meanwhile = async () => {
    await setOwner('another');
    await fanOut.write([]);
    assert.equal(fanOut.maySend, false);
    await setOwner(null);
    assert.equal(await fanOut.hold(), true);
  };
  for (let polled = true; polled || (await fanOut.step()); ) polled = false;
  while (await fanOut.step());
  const delivered = submitted.map((ticket): Result => ({ ticket, ...waiting('PENDING', 0, clock.now(), null) }));
  await fanOut.write(delivered);
  assert.deepEqual(
    (await deliveriesOf(db)).map((d) => d.event_id),
    [...first, ...second],
  );
  const { rows } = await sql<{ last: number }>`select max(position)::float8 as last from events`.execute(db);
  assert.equal(await cursorOf(db), rows[0]?.last);
});
