import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { insertJob, type JobRow, selectJob } from './store.ts';

const { db } = await withDatabase();
const NOW = new Date();

const job = (filter: JobRow['filter']): JobRow => ({
  id: uuidv7(NOW.getTime()),
  kind: 'DISCARD',
  state: 'RUNNING',
  account_id: null,
  filter,
  reason: 'entered by hand',
  rate_per_second: null,
  skip_replayed: false,
  total: 3,
  total_is_exact: true,
  cursor: null,
  done: 0,
  skipped: {},
  next_at: NOW,
  failures: 0,
  error: null,
  request_id: 'request',
  created_at: NOW,
  started_at: null,
  ended_at: null,
});

test('a version that does not know of events in a filter finds nothing by it, rather than all that the rest of it fits', async () => {
  const eventId = uuidv7(NOW.getTime());
  for (const filter of [
    { status: 'DEAD', eventId } as const,
    { status: 'DEAD', eventId, tradeSessionId: 'ts_1' } as const,
    { status: 'DEAD', tradeSessionId: 'ts_1' } as const,
    { status: 'DEAD' } as const,
  ]) {
    const made = job(filter);
    await inTransaction(db, (trx) => insertJob(trx, made));
    assert.deepEqual((await selectJob(db, made.id))?.filter, filter);
    const { rows } = await sql<{ trade: string | null }>`
      select filter ->> 'tradeSessionId' as trade from webhook_jobs where id = ${made.id}`.execute(db);
    // Such a version goes by the trade alone.
    const seen = 'eventId' in filter ? '' : ((filter as { tradeSessionId?: string }).tradeSessionId ?? null);
    assert.equal(rows[0]?.trade, seen);
  }
});
