import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { TakenReaders } from './taken-readers.ts';

const { db } = await withDatabase();
const lease = async (name: string, owner: string | null, seconds: number): Promise<void> => {
  await sql`insert into event_readers (name, position, updated_at, lease_owner, lease_until)
    values (${name}, 0, now(), ${owner}, now() + ${seconds} * interval '1 second')
    on conflict (name) do update set lease_owner = excluded.lease_owner, lease_until = excluded.lease_until`.execute(
    db,
  );
};

test('taken is what another node has the lease of, and nothing else', async () => {
  await lease('of another', 'b', 60);
  await lease('of a dead one', 'b', -1);
  await lease('own', 'a', 60);
  await lease('free', null, 0);
  const taken = new TakenReaders(db, 'a');
  const names = ['of another', 'of a dead one', 'own', 'free', 'never seen'];
  const answers = await Promise.all(names.map((name) => taken.has(name)));
  assert.deepEqual(answers, [true, false, false, false, false]);
});

test('the answer is half a second old at most', async () => {
  await lease('moving', 'b', 60);
  const taken = new TakenReaders(db, 'a');
  assert.equal(await taken.has('moving'), true);
  await lease('moving', null, 0);
  assert.equal(await taken.has('moving'), true, 'one statement is enough for all who ask together');
  await pause(550);
  assert.equal(await taken.has('moving'), false);
});

test('after a failure is asked again', async () => {
  const taken = new TakenReaders(db, 'a');
  await sql`alter table event_readers rename to readers_away`.execute(db);
  await assert.rejects(taken.has('of another'), /event_readers/);
  await sql`alter table readers_away rename to event_readers`.execute(db);
  assert.equal(await taken.has('of another'), true);
});
