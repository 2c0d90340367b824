import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { engineEndpoint, ticketOf } from '../../../../test/helpers/tickets.ts';
import type { Result } from '../engine/types.ts';
import { BUCKET_MS, HealthBook } from './health-book.ts';
import { selectCounts } from './store.ts';

const { db } = await withDatabase();
const START = Date.parse('2026-01-15T09:00:00Z');

const delivered = (endpointId: string, at: number): Result => ({
  ticket: ticketOf(engineEndpoint(endpointId), randomUUID()),
  status: 'DELIVERED',
  attempts: 1,
  nextAttemptAt: null,
  errorClass: null,
  disable: null,
  log: '{}',
  durationMs: 3,
  at,
});

test('what is told after its five minutes were written is counted beside what was', async () => {
  const id = randomUUID();
  const book = new HealthBook(db, 'node');
  for (let i = 0; i < 3; i++) book.note(delivered(id, START + BUCKET_MS - 2));
  await book.flush(START + BUCKET_MS);
  // Another worker made it, whose word comes late or whose clock is behind.
  book.note(delivered(id, START + BUCKET_MS - 1));
  await book.flush(START + BUCKET_MS + 10_000);
  const [counts, ...more] = await selectCounts(db, id, new Date(START));
  assert.deepEqual([counts?.attempts, more.length], [4, 0]);
});

test('what another worker tells whose clock is far behind is counted beside what it told before', async () => {
  const id = randomUUID();
  const book = new HealthBook(db, 'node');
  const behind = 2 * BUCKET_MS;
  for (let i = 0; i < 4; i++) {
    book.note(delivered(id, START + i * 10_000));
    await book.flush(START + behind + i * 10_000);
  }
  const counts = await selectCounts(db, id, new Date(START));
  assert.deepEqual(
    counts.map(({ attempts }) => attempts),
    [4],
  );
});
