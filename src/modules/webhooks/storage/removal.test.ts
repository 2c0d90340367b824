import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createLog } from '../../../platform/log/log.ts';
import { storageFixture } from './fixtures.ts';
import { addPart } from './adding-store.ts';
import { Removal } from './removal.ts';
import { remainsOf, removeFirst } from './removing-store.ts';
import { dropPart } from './taking-off-store.ts';
import { LEAST_ID, partOf, WEEK_MS } from './weeks.ts';

const { db, THIS_WEEK, write, tablesOf } = await storageFixture();
const log = createLog('silent');
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A part of so many weeks ahead that was taken off, with nothing that is kept of it. */
async function takenOff(weeks: number): Promise<string> {
  const part = partOf(THIS_WEEK + weeks * WEEK_MS);
  assert.equal(await addPart(db, part), 'added');
  await write({ at: THIS_WEEK + weeks * WEEK_MS, status: 'DELIVERED' });
  assert.equal(await dropPart(db, part.name, { deadFrom: LEAST_ID, portion: 10 }), 'dropped');
  return part.name;
}

test('what was taken off goes in pieces, at one pace of all nodes', async () => {
  const name = await takenOff(10);
  const all = await remainsOf(db);
  assert.ok(all.length > 3, 'indexes and the table');
  assert.deepEqual([all.at(-1)?.kind, all.at(-1)?.bytes !== 0], ['table', true]);
  // A byte is large, and each is followed by a millisecond of rest: by 8 s after a page.
  const pace = { atOnce: 1, msPerGigabyte: 1e9 };
  const [one, another] = [new Removal({ db, log, ...pace }), new Removal({ db, log, ...pace })];
  const left = async (): Promise<number> => (await remainsOf(db)).length;
  await Promise.all([one.step(), another.step()]);
  assert.equal(await left(), all.length, 'nobody begins at the first sight of something large');
  await pause(20);
  await Promise.all([one.step(), another.step()]);
  const after = await left();
  assert.ok(after < all.length && after >= all.length - 2);
  await pause(20);
  for (let i = 0; i < 3; i++) await Promise.all([one.step(), another.step()]);
  assert.equal(await left(), after, 'both rest after what either has removed');

  // What a killed process has left goes by any other.
  const quick = new Removal({ db, log, atOnce: 1, msPerGigabyte: 0 });
  for (let i = after; i > 0; i--) {
    assert.equal(await left(), i, 'one at a time');
    await quick.step();
  }
  assert.deepEqual(await tablesOf(name), []);
});

test('little goes at once', async () => {
  const names = [await takenOff(20), await takenOff(21)];
  await new Removal({ db, log }).step();
  assert.deepEqual(await Promise.all(names.map(tablesOf)), [[], []]);
});

test('what another has begun to remove since is left to it', async () => {
  const name = await takenOff(30);
  const [first, ...others] = await remainsOf(db);
  assert.ok(first);
  assert.equal(await removeFirst(db, [first, ...others]), 'removed');
  assert.equal(await removeFirst(db, [first, ...others]), 'by another');
  const [second, ...rest] = others;
  assert.ok(second);
  assert.equal(await removeFirst(db, [second, first, ...rest]), 'by another');
  assert.equal((await remainsOf(db)).length, others.length);
  await sql.raw(`drop table ${(await tablesOf(name))[0]}`).execute(db);
  assert.equal(await removeFirst(db, [second, ...rest]), 'by another');
});

test('what others have made of one keeps that one, and no other, from going, whatever names they gave', async () => {
  const [viewed, named] = [await takenOff(40), await takenOff(41)];
  const tableOf = async (name: string): Promise<string> => String((await tablesOf(name))[0]);
  await sql.raw(`create view of_somebody as select id from ${await tableOf(viewed)}`).execute(db);
  await sql.raw(`create index "my.idx" on ${await tableOf(named)} (status)`).execute(db);
  await sql.raw(`alter table ${await tableOf(named)} rename to "Old-Deliveries"`).execute(db);
  const removal = new Removal({ db, log, msPerGigabyte: 0 });
  await assert.rejects(removal.step(), /other objects depend on it/);
  assert.deepEqual([await tablesOf('Old-Deliveries'), (await tablesOf(viewed)).length], [[], 1]);
  await assert.rejects(removal.step(), /other objects depend on it/, 'it is told again');
  await sql`drop view of_somebody`.execute(db);
  await removal.step();
  assert.deepEqual(await tablesOf(viewed), []);
});
