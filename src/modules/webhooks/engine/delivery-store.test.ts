import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { insertResults, readAttemptLog } from './delivery-store.ts';
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

test('every row of a batch gets its own outcome, wherever it stands', async () => {
  const batch = [
    result(1),
    result(2, { status: 'PENDING', nextAttemptAt: NOW + 150_000, errorClass: 'HTTP_5XX' }),
    result(3),
    result(4, { status: 'HELD', attempts: 0, log: null }),
    result(5, { status: 'DEAD', attempts: 5, errorClass: 'TIMEOUT' }),
    result(6),
  ];
  assert.equal(await insertResults(db, batch, sql`select 1`), true);
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
  await insertResults(db, [result(11, { status: 'HELD', attempts: 0, log: null })], sql`select 1`);
  await insertResults(db, [result(12), result(13)], sql`select 1`);
  const { rows } = await sql<{ status: string; attempts: number }>`
    select status, attempts from webhook_deliveries where event_position > 10 order by event_position`.execute(db);
  assert.deepEqual(rows, [
    { status: 'HELD', attempts: 0 },
    { status: 'DELIVERED', attempts: 1 },
    { status: 'DELIVERED', attempts: 1 },
  ]);
});
