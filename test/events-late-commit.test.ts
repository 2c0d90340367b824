import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { EVENTS } from '../src/contracts/events/index.ts';
import { monotonicNow } from '../src/lib/clock.ts';
import { createPublish } from '../src/modules/events/index.ts';
import type { Trx } from '../src/platform/db/index.ts';
import { testDb, withDatabase } from './helpers/database.ts';
import { startNode, type TestNode, type Tenant, until } from './helpers/engine.ts';
import { startReceiver } from './helpers/receiver.ts';

const OPEN_MS = 3000;
const SUBJECTS = 5;
const publish = createPublish(() => undefined);

const data = (subject: number, n: number) => ({
  ...EVENTS['checkout.started'].example,
  tradeSessionId: `ts-${subject}`,
  tradeAmount: n,
});

/** A transaction that has published one event of every subject and is open until it is told how to end. */
async function openPublisher(node: TestNode, audience: Tenant, n: number) {
  const { promise: ending, resolve: end } = Promise.withResolvers<'commit' | 'rollback'>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const done = node.db.transaction().execute(async (trx: Trx) => {
    for (let subject = 0; subject < SUBJECTS; subject++) {
      await publish(trx, 'checkout.started', data(subject, n), { accountIds: [audience.id] }, node.env);
    }
    open();
    if ((await ending) === 'rollback') throw new Error('rolled back');
  });
  const ended = done.catch((error: Error) => assert.equal(error.message, 'rolled back'));
  await opened;
  return async (how: 'commit' | 'rollback'): Promise<void> => (end(how), ended);
}

test('what commits seconds late loses nothing and is in its place: reactions and the audit trail keep the order of each subject', {
  skip: testDb === 'pglite' && 'the embedded database has one connection',
}, async (ctx) => {
  const node = await startNode({ database: await withDatabase(), loops: true });
  const platform = await node.tenant('PLATFORM');
  const merchant = await node.tenant('MERCHANT');
  const receiver = await startReceiver();
  await node.endpoint(merchant, receiver.url());
  await sql`create table seen (position bigint generated always as identity, subject text, amount numeric)`.execute(
    node.db,
  );
  const events = node.service.modules.events;
  const reaction = events.react({
    name: 'order-of-subjects',
    description: 'Writes down what it sees.',
    events: ['checkout.started'],
    async react(trx, event) {
      const { tradeSessionId, tradeAmount } = event.data as { tradeSessionId: string; tradeAmount: number };
      await sql`insert into seen (subject, amount) values (${tradeSessionId}, ${tradeAmount})`.execute(trx);
    },
  });

  const started = monotonicNow();
  const slow = await openPublisher(node, merchant, 1);
  const lost = await openPublisher(node, merchant, 2);
  let published = 0;
  for (let n = 3; monotonicNow() - started < OPEN_MS; n++) {
    const batch = Array.from({ length: SUBJECTS }, (_, subject) => ({
      event: 'checkout.started' as const,
      data: data(subject, n),
    }));
    await node.publish(platform, [merchant], batch);
    while (await reaction.step(true));
    published += SUBJECTS;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.equal(receiver.received.length, 0, 'nothing overtakes what is not committed yet');
  await lost('rollback');
  await slow('commit');
  ctx.diagnostic(`${published} events were published while two transactions were open for ${OPEN_MS} ms`);

  const expected = published + SUBJECTS;
  await until('everything was delivered', () => receiver.received.length >= expected, 60_000);
  await until('the reaction has read everything', async () => {
    while (await reaction.step(true));
    return (await sql`select 1 from seen`.execute(node.db)).rows.length >= expected;
  });
  assert.equal(receiver.received.length, expected);
  const trail: { tradeSessionId: string; tradeAmount: number }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await node.ok(200, 'GET', `/v1/events?limit=100${query}`, { key: merchant.key });
    trail.unshift(...page.data.map((event: { data: never }) => event.data).toReversed());
    cursor = page.nextCursor;
  }
  const { rows } = await sql<{ subject: string; amount: number }>`
      select subject, amount::float as amount from seen order by position`.execute(node.db);
  const bodies = receiver.received.map((request) => JSON.parse(request.body) as (typeof trail)[number]);
  for (let subject = 0; subject < SUBJECTS; subject++) {
    const id = `ts-${subject}`;
    const order = [1, ...Array.from({ length: published / SUBJECTS }, (_, i) => i + 3)];
    assert.deepEqual(
      // Deliveries may overtake each other (docs/receiving-webhooks.md); none is missing, none is there twice.
      bodies
        .filter((body) => body.tradeSessionId === id)
        .map((body) => body.tradeAmount)
        .toSorted((a, b) => a - b),
      order,
    );
    assert.deepEqual(
      rows.filter((row) => row.subject === id).map((row) => row.amount),
      order,
    );
    assert.deepEqual(
      trail.filter((event) => event.tradeSessionId === id).map((event) => event.tradeAmount),
      order,
    );
  }
});
