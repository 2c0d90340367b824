import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { cursorOf, deliveriesOf, startNode, type Tenant } from '../../../../test/helpers/engine.ts';
import { engineEndpoint } from '../../../../test/helpers/tickets.ts';
import { createLog } from '../../../platform/log/log.ts';
import { slotOf } from '../../events/index.ts';
import { waiting } from './attempt.ts';
import { FanOut, type FanOutDeps } from './fan-out.ts';
import { READER } from './holdings.ts';
import { EndpointRegistry } from './registry.ts';
import type { Result, Ticket } from './types.ts';

const database = await withDatabase();
const node = await startNode({ database });
/** What `node` publishes it has to read from the database. */
const other = await startNode({ database });
const { db, clock } = node;
const [publisher, tenant] = [await node.tenant('PLATFORM'), await node.tenant()];
await node.endpoint(tenant, 'http://127.0.0.1:9/');

const setOwner = (owner: string | null) =>
  sql`update event_readers set lease_owner = ${owner}, lease_until = now() + interval '1 minute'
    where name = ${READER}`.execute(db);

interface Made {
  fanOut: FanOut;
  submitted: Ticket[];
}

/** A fan-out by itself, which takes every endpoint of an account for one of `offer.created`. */
function made(nodeId: string, more: Partial<FanOutDeps> = {}): Made {
  const submitted: Ticket[] = [];
  const fanOut = new FanOut({
    db,
    clock,
    log: createLog('silent'),
    nodeId,
    partitions: 1,
    openSource: (part) => other.service.modules.events.openSource(READER, part),
    underWay: () => 0,
    registry: new EndpointRegistry(db, (row) =>
      engineEndpoint(row.id, { accountId: row.account_id, events: new Set(['offer.created']) }),
    ),
    loadSecrets: async () => undefined,
    submit: (ticket) => void submitted.push(ticket),
    touch: () => undefined,
    passed: () => undefined,
    isCongested: () => false,
    onAcquired: () => undefined,
    onLost: () => undefined,
    ...more,
  });
  return { fanOut, submitted };
}

const sent = (submitted: readonly Ticket[]): string[] =>
  submitted.map((t) => `${t.eventPosition} ${t.endpoint.accountId}`).toSorted();

test('a lease that is lost and had again while events are being read leaves none of them out', async () => {
  let meanwhile = async (): Promise<void> => undefined;
  const { fanOut, submitted } = made('this-one', {
    openSource: (part) => node.service.modules.events.openSource(READER, part),
    async loadSecrets() {
      const once = meanwhile;
      meanwhile = async () => undefined;
      await once();
    },
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

test('what is left of a batch when too much waits is gone on with as soon as less does', async () => {
  await sql`delete from event_readers`.execute(db);
  let room = 3;
  const { fanOut, submitted } = made('congested', {
    isCongested: () => submitted.length >= room,
  });
  room = 0;
  assert.equal(await fanOut.step(), false);
  await node.publish(
    publisher,
    [tenant],
    Array.from({ length: 8 }, () => ({ event: 'offer.created' })),
  );
  const already = (await deliveriesOf(db)).length;
  room = 3;
  fanOut.mayHaveMissed();
  assert.equal(await fanOut.step(), true, 'it has to find out that it waits');
  assert.equal(submitted.length, 3);
  assert.equal(await fanOut.step(), false);
  assert.equal(fanOut.isWaiting, true);
  room = 100;
  while (await fanOut.step());
  assert.equal(submitted.length, 10 - already);
  await fanOut.release();
});

const asPut = (ticket: Ticket): Result => ({ ticket, ...waiting('PENDING', 0, clock.now(), null) });
const positions = (tickets: readonly Ticket[]) => tickets.map((t) => t.eventPosition);

/** Nobody has the fan-out when it returns, and its cursor is at the end of the log. */
async function atEnd(): Promise<void> {
  await sql`delete from event_readers`.execute(db);
  const { fanOut, submitted } = made('first');
  while (await fanOut.step());
  await fanOut.write(submitted.map(asPut));
  await fanOut.release();
}

/** At most 500. */
const publishMany = (count: number) =>
  node.publish(
    publisher,
    [tenant],
    Array.from({ length: count }, () => ({ event: 'offer.created' })),
  );

test('who takes over looks each event up once, however little room there is, and sends what has no row', async () => {
  await atEnd();
  for (let i = 0; i < 2; i++) await publishMany(350);
  const before = made('before');
  while (await before.fanOut.step());
  assert.equal(before.submitted.length, 700);
  // All but the first of them, so the cursor stays where it is.
  await before.fanOut.write(before.submitted.slice(1, 640).map(asPut));
  await before.fanOut.release();
  let lookups = 0;
  let room = 0;
  const after = made('after', {
    db: db.withPlugin({
      transformQuery({ node: query }) {
        if (JSON.stringify(query).includes('replay_of is null')) lookups++;
        return query;
      },
      transformResult: async (r) => r.result,
    }),
    isCongested: () => after.submitted.length >= room,
  });
  for (; room <= 80; room += 20) while (await after.fanOut.step());
  assert.deepEqual(positions(after.submitted), [
    ...positions(before.submitted.slice(0, 1)),
    ...positions(before.submitted.slice(640)),
  ]);
  assert.equal(lookups, 2, 'the log was read twice');
  await after.fanOut.write(after.submitted.map(asPut));
  await after.fanOut.release();
});

test('what another node has sent between two portions is not sent again', async () => {
  await atEnd();
  await publishMany(60);
  let room = 20;
  const mine = made('mine', { isCongested: () => mine.submitted.length >= room });
  while (await mine.fanOut.step());
  assert.equal(mine.submitted.length, 20);
  await setOwner('another');
  await mine.fanOut.write([]);
  assert.equal(mine.fanOut.maySend, false);
  await setOwner(null);
  const another = made('another');
  while (await another.fanOut.step());
  assert.equal(another.submitted.length, 60);
  // All but one of those that this one had looked up and not reached, so its cursor goes on from there.
  await another.fanOut.write(another.submitted.filter((_, i) => i !== 25).map(asPut));
  await another.fanOut.release();
  room = 100;
  for (let polled = true; polled || (await mine.fanOut.step()); ) polled = false;
  while (await mine.fanOut.step());
  assert.deepEqual(positions(mine.submitted.slice(20)), positions(another.submitted.slice(25, 26)));
  await mine.fanOut.write(mine.submitted.slice(20).map(asPut));
  await mine.fanOut.release();
});

/** Four parts in one process, and at least an account in each; nobody has the parts when it returns. */
async function fourParts(name: string) {
  await sql`delete from event_readers`.execute(db);
  const byPart = new Map<number, Tenant>();
  while (byPart.size < 4) {
    const one = await node.tenant();
    if (byPart.has(slotOf(one.id) & 3)) continue;
    byPart.set(slotOf(one.id) & 3, one);
    await node.endpoint(one, 'http://127.0.0.1:9/');
  }
  const first = made(name, { partitions: 4 });
  await haveAll(first.fanOut);
  await first.fanOut.release();
  const { rows } = await sql<{ last: number }>`select coalesce(max(position), 0)::float8 as last from events`.execute(
    db,
  );
  return { tenants: [...byPart].toSorted(([a], [b]) => a - b).map(([, one]) => one), start: rows[0]?.last ?? 0 };
}

async function haveAll(fanOut: FanOut): Promise<void> {
  for (let i = 0; i < 30 && fanOut.parts.length < 4; i++) {
    while (await fanOut.step());
    if (fanOut.parts.length < 4) await new Promise((done) => setTimeout(done, 100));
  }
  assert.equal(fanOut.parts.length, 4);
}

const offers = (n: number) => Array.from({ length: n }, () => ({ event: 'offer.created' as const }));

test('parts at different places come to the end of the log together, without anybody telling them again', async () => {
  const { tenants, start } = await fourParts('first');
  await node.publish(publisher, tenants, offers(12));
  await sql`update event_readers set position = ${start} + 3 * part where part_of = ${READER}`.execute(db);
  const { fanOut, submitted } = made('second', { partitions: 4 });
  await haveAll(fanOut);
  while (await fanOut.step());
  const expected = tenants.flatMap((one, part) =>
    offers(12).flatMap((_, i) => (i + 1 > 3 * part ? [`${start + 1 + i} ${one.id}`] : [])),
  );
  assert.deepEqual(sent(submitted), expected.toSorted());
  await fanOut.release();
});

test('a part with a long way to go does not hold up the others, though it always finds more than there is room for', async () => {
  const { tenants, start } = await fourParts('third');
  const [late, ...others] = tenants as [Tenant, ...Tenant[]];
  let room = 0;
  const { fanOut, submitted } = made('fourth', { partitions: 4, isCongested: () => submitted.length >= room });
  await haveAll(fanOut);
  await node.publish(publisher, [late], offers(20));
  await node.publish(publisher, others, offers(1));
  await fanOut.release();
  await sql`update event_readers set position = case part when 0 then ${start} else ${start} + 20 end
    where part_of = ${READER}`.execute(db);
  await haveAll(fanOut);
  for (let i = 0; i < 4; i++) {
    room = submitted.length + 3;
    while (await fanOut.step());
  }
  const last = others.map((one) => `${start + 21} ${one.id}`);
  assert.deepEqual(
    last.filter((one) => !sent(submitted).includes(one)),
    [],
  );
  assert.ok(submitted.length < 23, 'and the late one is still under way');
  room = 100;
  while (await fanOut.step());
  assert.equal(submitted.length, 23);
  await fanOut.release();
});

test('parts at different places send what has no row, and nothing that has one, however little room there is', async () => {
  const { tenants, start } = await fourParts('fifth');
  await node.publish(publisher, tenants, offers(12));
  const moveTo = (ahead: number) =>
    sql`update event_readers set position = ${start} + ${ahead} * part where part_of = ${READER}`.execute(db);
  await moveTo(0);
  const before = made('sixth', { partitions: 4 });
  await haveAll(before.fanOut);
  while (await before.fanOut.step());
  assert.equal(before.submitted.length, 48);
  const partOf = ({ endpoint }: Ticket): number => tenants.findIndex(({ id }) => id === endpoint.accountId);
  const isWritten = (ticket: Ticket): boolean => (Number(ticket.eventPosition) + partOf(ticket)) % 3 !== 0;
  await before.fanOut.write(before.submitted.filter(isWritten).map(asPut));
  await before.fanOut.release();
  await moveTo(2);
  let room = 0;
  const after = made('seventh', { partitions: 4, isCongested: () => after.submitted.length >= room });
  await haveAll(after.fanOut);
  for (; room <= 20; room++) while (await after.fanOut.step());
  const left = before.submitted.filter((t) => !isWritten(t) && Number(t.eventPosition) > start + 2 * partOf(t));
  assert.deepEqual(sent(after.submitted), sent(left));
  await after.fanOut.release();
});
