import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { listReaders } from './operate.ts';

const { db } = await withDatabase();

test('a reader that rests between two steps is active, one that nobody runs any more is not', async () => {
  const leases = [
    ['at work', 'a', 3],
    ['at rest, as the sealer is', 'a', -1],
    ['of a node that died', 'a', -60],
    ['given up', null, null],
  ] as const;
  for (const [name, owner, seconds] of leases) {
    await sql`insert into event_readers (name, position, updated_at, lease_owner, lease_until)
      values (${name}, 0, now(), ${owner}, now() + ${seconds}::int * interval '1 second')`.execute(db);
  }
  const readers = await listReaders(db, new Map());
  assert.deepEqual(Object.fromEntries(readers.map(({ name, active }) => [name, active])), {
    'at work': true,
    'at rest, as the sealer is': true,
    'of a node that died': false,
    'given up': false,
  });
});
