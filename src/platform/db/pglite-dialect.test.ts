import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { cleanup } from '../../../test/helpers/cleanup.ts';
import { openPglite } from './open.ts';
import { inTransaction } from './transaction.ts';

const database = await openPglite();
cleanup(() => database.close());
const { db } = database;
await sql`create table entries (transaction int not null, part int not null)`.execute(db);
await sql`create table totals (id int primary key, value int not null)`.execute(db);
await sql`insert into totals values (1, 0)`.execute(db);

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

describe('the one connection of the embedded database', () => {
  test('fifty transactions and the queries between them never mix', async () => {
    const AT_ONCE = 50;
    const failing = (i: number): boolean => i % 3 === 0;
    const transaction = (i: number): Promise<void> =>
      inTransaction(db, async (trx) => {
        for (let part = 0; part < 4; part++) {
          await sql`insert into entries values (${i}, ${part})`.execute(trx);
          await turn();
          const { rows } = await sql<{ mine: number; others: number }>`
            select count(*) filter (where transaction = ${i})::int as mine,
                   count(*) filter (where transaction % 3 = 0 and transaction <> ${i})::int as others
            from entries`.execute(trx);
          // What a transaction that fails wrote is never seen by another one.
          assert.deepEqual(rows[0], { mine: part + 1, others: 0 });
        }
        if (failing(i)) throw new Error('rolled back');
      });
    const outside = async (): Promise<void> => {
      const { rows } = await sql<{ whole: boolean }>`
        select coalesce(bool_and(n = 4), true) as whole from (select count(*) as n from entries group by transaction) t`.execute(
        db,
      );
      // Between transactions: all of one or nothing of it.
      assert.equal(rows[0]?.whole, true);
    };
    const results = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, (_, i) => [transaction(i), outside()]).flat(),
    );
    const wrong = results.filter((r) => r.status === 'rejected' && (r.reason as Error).message !== 'rolled back');
    assert.deepEqual(wrong, []);
    const { rows } = await sql<{ transaction: number; n: number }>`
      select transaction, count(*)::int as n from entries group by transaction order by transaction`.execute(db);
    const kept = Array.from({ length: AT_ONCE }, (_, i) => i).filter((i) => !failing(i));
    assert.deepEqual(
      rows,
      kept.map((transaction) => ({ transaction, n: 4 })),
    );
  });

  test('read, then write: no update is lost', async () => {
    await Promise.all(
      Array.from({ length: 50 }, () =>
        inTransaction(db, async (trx) => {
          const { rows } = await sql<{ value: number }>`select value from totals`.execute(trx);
          await turn();
          await sql`update totals set value = ${(rows[0]?.value ?? 0) + 1}`.execute(trx);
        }),
      ),
    );
    const { rows } = await sql<{ value: number }>`select value from totals`.execute(db);
    assert.equal(rows[0]?.value, 50);
  });

  test('goes on after a statement that fails, inside and outside a transaction', async () => {
    await assert.rejects(sql`select nonsense`.execute(db));
    await assert.rejects(inTransaction(db, (trx) => sql`select nonsense`.execute(trx)));
    assert.equal((await sql`select 1`.execute(db)).rows.length, 1);
  });

  test('waits for the transaction under way before it closes', async () => {
    const other = await openPglite(undefined, await database.dump?.());
    const began = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const transaction = inTransaction(other.db, async (trx) => {
      await sql`insert into totals values (2, 1)`.execute(trx);
      began.resolve();
      await go.promise;
      await sql`insert into totals values (3, 1)`.execute(trx);
    });
    await began.promise;
    const closing = other.close();
    go.resolve();
    await transaction;
    await closing;
  });
});

describe('values', () => {
  test('int8 is a number, as on PostgreSQL', async () => {
    const { rows } = await sql<{
      n: unknown;
      c: unknown;
    }>`select 9007199254740991::int8 as n, count(*) as c from totals`.execute(db);
    assert.deepEqual(rows, [{ n: 9_007_199_254_740_991, c: 1 }]);
  });

  test('an affected count is given', async () => {
    const result = await sql`update totals set value = value`.execute(db);
    assert.equal(result.numAffectedRows, 1n);
  });
});
