import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { blocksFor, placed } from '../../../../test/docs/runnable.ts';
import { migratedPostgres, onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { mostRead, planOf } from '../../../../test/helpers/plans.ts';
import { openPostgres } from '../../../platform/db/index.ts';
import { computeSeal, makeSeal, NO_SEAL } from './compute-seal.ts';
import { batchEnd, insertSeals, type Seal } from './store.ts';

const { db } = await withDatabase();

/** What the page tells others to recompute seals by: it is made apart from what is tested. */
const [block] = blocksFor('docs/operations/audit-trail.md', 'src/modules/events/sealing/compute-seal.test.ts');
const [settings = '', statement = ''] = (block?.text ?? '').split(/;.*\n\n/);

/** What the page says of a seal. */
const recomputed = (number: number): Promise<unknown> =>
  db.connection().execute(async (one) => {
    await sql.raw(settings).execute(one);
    const only = placed(statement, { 'between 1 and 10': `= ${number}` });
    return (await sql.raw(only.replace(/;\s*$/, '')).execute(one)).rows;
  });

const save = (seal: Seal): Promise<void> => db.transaction().execute((trx) => insertSeals(trx, [seal], new Date(0)));

/** Whatever text a column may hold: quotes, control characters, letters of two and four bytes. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).map((s) => s.replaceAll('\0', '')),
  fc.constantFrom('', '"', '\\', '\\u0041', '\b\t\n\v\f\r\u001f\u007f', '\u2028é😀', 'null', ']\n['),
);
const anyIds = fc.array(fc.uuid(), { minLength: 2, maxLength: 3 });
/** Also what the service never writes: nulls, other bounds, several dimensions. */
const anyAccounts = fc.oneof(
  fc.array(fc.uuid(), { maxLength: 3 }).map((ids) => `{${ids.join(',')}}`),
  anyIds.map((ids) => `{NULL,${ids.join(',')}}`),
  anyIds.map((ids) => `[-1:${ids.length - 2}]={${ids.join(',')}}`),
  anyIds.map((ids) => `[0:1][3:${ids.length + 2}]={{${ids.join(',')}},{${ids.join(',')}}}`),
);
const anyTime = fc.record({
  at: fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
  more: fc.nat({ max: 999 }),
});
const anyEvent = fc.record({
  event: anyText,
  data: fc.jsonValue().map((v) => JSON.stringify(v)),
  accounts: anyAccounts,
  subject: fc.option(anyText),
  trade: fc.option(anyText),
  occurred: anyTime,
  recorded: anyTime,
  request: anyText,
  cause: fc.option(fc.uuid()),
  gap: fc.boolean(),
});

type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer E> ? E : never;

/** An index of `events` takes none below. */
const LEAST_POSITION = -(2 ** 51);

async function insert(position: number, e: AnyEvent): Promise<void> {
  const time = ({ at, more }: typeof e.occurred) => sql`${at}::timestamptz + ${more} * interval '1 microsecond'`;
  await sql`insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by)
    values (${position}, gen_random_uuid(), ${e.event}, ${e.data}::json, ${e.accounts}::text::uuid[], ${e.subject}, ${e.trade},
      ${time(e.occurred)}, ${time(e.recorded)}, ${e.request}, ${e.cause})`.execute(db);
}

test('in each form the database hashes an event as it is hashed here, whatever is in it', async () => {
  let previous: Seal = NO_SEAL;
  // The first seal has these as well.
  const below = [LEAST_POSITION, -1, 0];
  for (const [i, e] of fc.sample(anyEvent, { numRuns: below.length, seed: 1 }).entries())
    await insert(below[i] as number, e);
  let position = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { maxLength: 5 }), fc.constantFrom(1, 2), async (events, form) => {
      for (const e of events) await insert((position += e.gap ? 2 : 1), e);
      const last = previous.lastPosition;
      position = Math.max(position, last + 1);
      const seal = await computeSeal(db, previous, { form, lastPosition: position });
      if (form === 2) assert.deepEqual(await makeSeal(db, previous, position), seal);
      assert.equal(seal.events, events.length + (last === 0 ? below.length : 0));
      await save(seal);
      const { number, hash } = seal;
      assert.deepEqual(await recomputed(number), [{ number, form, hash, recomputed: hash }]);
      previous = seal;
    }),
    { numRuns: 150 },
  );
});

test('a seal is what it was when its form was made', async () => {
  const { db: own } = await withDatabase();
  await sql`insert into events (position, id, event, data, account_ids, subject_id, trade_session_id, occurred_at, recorded_at, request_id, caused_by) values
    (1, '0199a0b0-0000-7000-8000-00000000000a', 'checkout.started', '{"a": "é😀\\u0041"}', '{0199a0b0-0000-7000-8000-00000000000b,0199a0b0-0000-7000-8000-00000000000c}',
      'subject "1"', 'trade-1', '2026-03-04T05:06:07.089012Z', '2026-03-04T05:06:07.1Z', 'request', '0199a0b0-0000-7000-8000-00000000000d'),
    (3, '0199a0b0-0000-7000-8000-00000000000e', 'offer.created', '{}', '{}', null, null, '1969-12-31T23:59:59.999999Z', '2150-01-01Z', '', null)`.execute(
    own,
  );
  const hashOf = async (form: number, previous: Seal, lastPosition: number): Promise<string> =>
    (await computeSeal(own, previous, { form, lastPosition })).hash;
  const before: Seal = { ...NO_SEAL, number: 1, lastPosition: 4, hash: 'ab'.repeat(32) };
  // Of form 1 as the last version that made it did; the second is over a gap without events.
  assert.equal(await hashOf(1, NO_SEAL, 4), '1726bbe5c04eda01de906281b160fcee76cca0f7a61ae76ba0e7535db4b47433');
  assert.equal(await hashOf(1, before, 9), 'ffc3d73874ef236cd993ca5df0d78b4df3434cf44da97e47c5b8835a6b63666b');
  assert.equal(await hashOf(2, NO_SEAL, 4), '4a5a88768805d52abaeae028421e207ab4d3ff6f10c4669b93e5cb81f5ccc24a');
  assert.equal(await hashOf(2, before, 9), '8fac58df6d0dccc83c59331503adb80d184aff972ae5999b0d15a29a57b04cdc');
  assert.deepEqual(await makeSeal(own, before, 9), await computeSeal(own, before, { form: 2, lastPosition: 9 }));
  await assert.rejects(hashOf(3, NO_SEAL, 4), /seal 1 is of form 3, which this version does not know/);
});

test('a database that would send text in another encoding makes the same seal', onlyPostgres, async () => {
  const url = await migratedPostgres();
  const name = new URL(url).pathname.slice(1);
  await sql`alter database ${sql.id(name)} set client_encoding to 'LATIN1'`.execute(db);
  const other = await openPostgres(url, 1);
  await sql`insert into events (position, id, event, data, account_ids, occurred_at, recorded_at, request_id)
    values (1, gen_random_uuid(), 'é', '{"é": 1}', '{}', now(), now(), 'é')`.execute(other.db);
  assert.deepEqual(
    await makeSeal(other.db, NO_SEAL, 1),
    await computeSeal(other.db, NO_SEAL, { form: 2, lastPosition: 1 }),
  );
  await other.close();
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
