import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { planOf, mostRead } from '../../../../test/helpers/plans.ts';
import { computeSeal, makeSeal, NO_SEAL } from './compute-seal.ts';
import { batchEnd, microseconds, type Seal } from './store.ts';

const { db } = await withDatabase();

/** Whatever text a column may hold: quotes, control characters, letters of two and four bytes. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).map((s) => s.replaceAll('\0', '')),
  fc.constantFrom('', '"', '\\', '\\u0041', '\b\t\n\v\f\r\u001f\u007f', '\u2028é😀', 'null', ']\n['),
);
const anyEvent = fc.record({
  event: anyText,
  data: fc.jsonValue().map((v) => JSON.stringify(v)),
  accounts: fc.array(fc.uuid(), { maxLength: 3 }),
  subject: fc.option(anyText),
  trade: fc.option(anyText),
  at: fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
  request: anyText,
  cause: fc.option(fc.uuid()),
  gap: fc.boolean(),
});

test('the database hashes an event as it is hashed here, whatever is in it', async () => {
  let position = 0;
  let previous: Seal = NO_SEAL;
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 5 }), async (events) => {
      for (const e of events) {
        position += e.gap ? 2 : 1;
        await sql`insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by)
          values (${position}, gen_random_uuid(), ${e.event}, ${e.data}::json, ${`{${e.accounts.join(',')}}`}::text::uuid[],
            ${e.subject}, ${e.trade}, ${e.at}, now(), ${e.request}, ${e.cause})`.execute(db);
      }
      const made = await makeSeal(db, previous, position);
      assert.deepEqual(made, await computeSeal(db, previous, position));
      assert.equal(made.events, events.length);
      previous = made;
    }),
    { numRuns: 150 },
  );
});

test('a time is sealed by its microseconds, whatever it is', async () => {
  const { rows } = await sql<{ wrong: number; seen: number }>`
    select count(*)::int as seen, count(*) filter (where ${sql.raw(microseconds('t'))} <> n)::int as wrong
    from (select n, (timestamp '1970-01-01' + n / 86400000000 * interval '1 day' + n % 86400000000 * interval '1 microsecond') at time zone 'UTC' as t from (
      select (random() * 4.2e15)::bigint as n from generate_series(1, 40000)
      union all select 4102444800000000 + i from generate_series(-500, 500) as i
      union all select 253402300799999000 + i from generate_series(-500, 500) as i
      union all select i from generate_series(-500, 500) as i) as numbers) as times`.execute(db);
  assert.deepEqual(rows[0], { seen: 43_003, wrong: 0 });
});

test('the end of a batch is found by walking the log, however much of it waits and whatever the planner knows', async () => {
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    select 10000 + i, gen_random_uuid(), 'e', '{}', '{}', now(), now(), 'r' from generate_series(1, 20000) as i`.execute(
    db,
  );
  const { rows } = await batchEnd({ above: 10_000, upTo: 30_000, limit: 1000 }).execute(db);
  assert.deepEqual(rows, [{ position: 11_000 }]);
  assert.deepEqual((await batchEnd({ above: 29_900, upTo: 29_950, limit: 1000 }).execute(db)).rows, [
    { position: 29_950 },
  ]);
  assert.deepEqual((await batchEnd({ above: 30_000, upTo: 40_000, limit: 1000 }).execute(db)).rows, [
    { position: null },
  ]);
  assert.ok(mostRead(await planOf(db, batchEnd({ above: 10_000, upTo: 30_000, limit: 1000 }))) <= 1000);
});
