import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { insertResults, readAttemptLog, updateResults } from './delivery-store.ts';
import type { EngineEndpoint, Result, Ticket } from './types.ts';

const { db } = await withDatabase();
const NOW = Date.UTC(2026, 0, 15);
const endpoint = { id: uuidv7(NOW), accountId: uuidv7(NOW) } as EngineEndpoint;

const result = (position: number, outcome: Partial<Result> = {}): Result => ({
  ticket: {
    deliveryId: uuidv7(NOW),
    endpoint,
    eventId: uuidv7(NOW),
    eventPosition: position,
    webhook: 'offer.created',
    requestId: `request-${position}`,
    createdAt: NOW,
  } as Ticket,
  status: 'DELIVERED',
  attempts: 1,
  nextAttemptAt: null,
  errorClass: null,
  disable: null,
  log: `{"attempt":1,"at":"${position}"}`,
  durationMs: 1,
  at: NOW + position,
  ...outcome,
});

/** A reader, or a part of one, that this node holds. */
const hold = (name: string, owner = 'here') =>
  sql`insert into event_readers (name, position, lease_owner, updated_at) values (${name}, 0, ${owner}, now())`.execute(
    db,
  );
const by = { owner: 'here', now: new Date(NOW) };
const insert = (results: readonly Result[]) => insertResults(db, [{ name: 'all', cursor: 0, results }], by);
await hold('all');

test('every row of a batch gets its own outcome, wherever it stands', async () => {
  const batch = [
    result(1),
    result(2, { status: 'PENDING', nextAttemptAt: NOW + 150_000, errorClass: 'HTTP_5XX' }),
    result(3),
    result(4, { status: 'HELD', attempts: 0, log: null }),
    result(5, { status: 'DEAD', attempts: 5, errorClass: 'TIMEOUT' }),
    result(6),
  ];
  assert.deepEqual(await insert(batch), new Set(['all']));
  const { rows } = await sql<Record<string, string | number | Date | null>>`
    select event_position::int as position, id, status, attempts, next_attempt_at, error_class, attempt_log, request_id, updated_at
    from webhook_deliveries order by event_position`.execute(db);
  assert.deepEqual(
    rows.map((r) => [r['id'], r['status'], r['attempts'], r['error_class'], r['request_id'], r['updated_at']]),
    batch.map((r) => [r.ticket.deliveryId, r.status, r.attempts, r.errorClass, r.ticket.requestId, new Date(r.at)]),
  );
  assert.deepEqual(
    rows.map((r) => (r['next_attempt_at'] as Date | null)?.getTime() ?? null),
    batch.map((r) => r.nextAttemptAt),
  );
  assert.deepEqual(
    rows.map((r) => readAttemptLog(r['attempt_log'] as string)[0]?.at),
    ['1', '2', '3', undefined, '5', '6'],
  );
});

test('a batch without any of the usual kind, and one of nothing else', async () => {
  await insert([result(11, { status: 'HELD', attempts: 0, log: null })]);
  await insert([result(12), result(13)]);
  const { rows } = await sql<{ status: string; attempts: number }>`
    select status, attempts from webhook_deliveries where event_position > 10 order by event_position`.execute(db);
  assert.deepEqual(rows, [
    { status: 'HELD', attempts: 0 },
    { status: 'DELIVERED', attempts: 1 },
    { status: 'DELIVERED', attempts: 1 },
  ]);
});

test('of several parts what is of a lost one is not written, nor its cursor moved; the others are not held up by it', async () => {
  for (const name of ['a', 'c']) await hold(name);
  await hold('b', 'another');
  const moved = await insertResults(
    db,
    [
      { name: 'a', cursor: 21, results: [result(21), result(22, { status: 'HELD', attempts: 0, log: null })] },
      { name: 'b', cursor: 23, results: [result(23)] },
      { name: 'c', cursor: 24, results: [] },
      { name: 'gone', cursor: 25, results: [result(25)] },
    ],
    by,
  );
  assert.deepEqual(moved, new Set(['a', 'c']));
  const { rows } = await sql<{ position: number; status: string }>`
    select event_position as position, status from webhook_deliveries where event_position > 20 order by 1`.execute(db);
  assert.deepEqual(rows, [
    { position: 21, status: 'DELIVERED' },
    { position: 22, status: 'HELD' },
  ]);
  const { rows: cursors } = await sql<{ name: string; position: number }>`
    select name, position from event_readers where name in ('a', 'b', 'c') order by name`.execute(db);
  assert.deepEqual(
    cursors.map((c) => c.position),
    [21, 0, 24],
  );
});

test('a row that is there already is left as it is, and keeps neither the others nor the cursors back', async () => {
  for (const name of ['d', 'e']) await hold(name);
  const written = async (from: number) => {
    const { rows } = await sql<{ position: number; status: string }>`
      select event_position as position, status from webhook_deliveries where event_position between ${from} and ${from} + 9
      order by 1`.execute(db);
    return rows.map(({ position, status }) => `${position} ${status}`);
  };
  const at = async (name: string) =>
    (await sql<{ position: number }>`select position from event_readers where name = ${name}`.execute(db)).rows[0]
      ?.position;
  const [first, second] = [result(41), result(42)];
  await insertResults(db, [{ name: 'd', cursor: 41, results: [first] }], by);
  const again = { ...first, status: 'DEAD' } as Result;
  // Twice over, as in one batch after a crash; and once more, now that the statement is known.
  assert.deepEqual(
    await insertResults(db, [{ name: 'd', cursor: 42, results: [again, second, second] }], by),
    new Set(['d']),
  );
  assert.deepEqual(
    await insertResults(db, [{ name: 'd', cursor: 43, results: [again, result(43)] }], by),
    new Set(['d']),
  );
  assert.deepEqual(await written(41), ['41 DELIVERED', '42 DELIVERED', '43 DELIVERED']);
  const moved = await insertResults(
    db,
    [
      { name: 'd', cursor: 51, results: [again, result(51)] },
      { name: 'e', cursor: 52, results: [second, result(52)] },
    ],
    by,
  );
  assert.deepEqual([moved, await at('d'), await at('e')], [new Set(['d', 'e']), 51, 52]);
  assert.deepEqual(
    [await written(41), await written(51)],
    [
      ['41 DELIVERED', '42 DELIVERED', '43 DELIVERED'],
      ['51 DELIVERED', '52 DELIVERED'],
    ],
  );
  // And without any that is there, as usual.
  await insertResults(db, [{ name: 'd', cursor: 53, results: [result(53)] }], by);
  assert.deepEqual(await written(53), ['53 DELIVERED']);
});

test('what is put off or kept between two attempts still says why the last one failed', async () => {
  const failed = { status: 'PENDING', nextAttemptAt: NOW, errorClass: 'HTTP_5XX' } as const;
  const first = result(75, failed);
  await insert([first]);
  const until = '2026-01-15 00:00:00+00';
  const then = async (outcome: Partial<Result>) => {
    await sql`update webhook_deliveries set lease_owner = 'here', lease_until = ${until} where event_position = 75`.execute(
      db,
    );
    await updateResults(db, 'here', [{ ...result(75, outcome), ticket: { ...first.ticket, lease: { until } } }]);
    const { rows } = await sql<{ why: string | null }>`
      select error_class as why from webhook_deliveries where event_position = 75`.execute(db);
    return rows[0]?.why;
  };
  const held = { status: 'HELD', errorClass: null, log: null } as const;
  assert.equal(await then(held), 'HTTP_5XX', 'its endpoint was paused meanwhile');
  assert.equal(await then({ ...held, status: 'PENDING', nextAttemptAt: NOW }), 'HTTP_5XX', 'put off');
  const cut = { ...held, status: 'PENDING', nextAttemptAt: NOW, errorClass: 'SHUTDOWN' } as const;
  assert.equal(await then(cut), 'HTTP_5XX', 'the node was stopped in the middle of the next one');
  assert.equal(await then({ ...held, errorClass: 'NO_SIGNING_SECRET' }), 'NO_SIGNING_SECRET');
  assert.equal(await then(held), null, 'there is a secret again');
  assert.equal(await then(cut), 'SHUTDOWN', 'no attempt has failed');
  assert.equal(await then(held), null, 'another node has put it off');
  assert.equal(await then({ ...failed, errorClass: 'TIMEOUT' }), 'TIMEOUT');
  assert.equal(await then({ attempts: 2 }), null, 'delivered');
});

test('faults of ours are counted from the first row on, over whatever is no attempt, until one is made', async () => {
  const fault = { status: 'PENDING', attempts: 0, nextAttemptAt: NOW, errorClass: 'INTERNAL', log: null } as const;
  const first = result(70, fault);
  const fine = result(71);
  await insert([fine, first]);
  const faults = async (): Promise<number[]> =>
    (
      await sql<{ faults: number }>`select faults from webhook_deliveries where event_position in (70, 71)
        order by event_position`.execute(db)
    ).rows.map((row) => row.faults);
  assert.deepEqual(await faults(), [1, 0]);
  const until = '2026-01-15 00:00:00+00';
  const then = async (outcome: Partial<Result>): Promise<number | undefined> => {
    await sql`update webhook_deliveries set lease_owner = 'here', lease_until = ${until} where event_position = 70`.execute(
      db,
    );
    const { ticket } = first;
    await updateResults(db, 'here', [{ ...result(70, outcome), ticket: { ...ticket, lease: { until } } }]);
    return (await faults())[0];
  };
  assert.equal(await then(fault), 2);
  assert.equal(await then({ ...fault, errorClass: null }), 2, 'put off');
  assert.equal(await then({ ...fault, status: 'HELD', nextAttemptAt: null, errorClass: null }), 2);
  assert.equal(await then(fault), 3);
  assert.equal(await then({ status: 'PENDING', nextAttemptAt: NOW, errorClass: 'HTTP_5XX' }), 0, 'an attempt');
});
