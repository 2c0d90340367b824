import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withDatabase } from '../../../test/helpers/database.ts';
import { bumpVersion, readVersions } from './change-versions.ts';
import { isDatabaseAway, isRetryable, uniqueViolation } from './errors.ts';
import { afterCommit, inTransaction } from './transaction.ts';

const { db } = await withDatabase();
const version = async (topic: string): Promise<number> => (await readVersions(db, [topic])).get(topic) ?? -1;

describe('inTransaction', () => {
  test('gives the result after the commit', async () => {
    assert.equal(await inTransaction(db, (trx) => bumpVersion(trx, 'a')), 1);
    assert.equal(await version('a'), 1);
  });

  test('rolls back on a throw and passes it on', async () => {
    const failing = inTransaction(db, async (trx) => {
      await bumpVersion(trx, 'b');
      throw new Error('no');
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.equal(await version('b'), 0);
  });
});

describe('afterCommit', () => {
  test('is called in order, once the commit is there', async () => {
    const seen: string[] = [];
    let during: Promise<number> | undefined;
    await inTransaction(db, async (trx) => {
      afterCommit(trx, () => {
        seen.push('first');
        during = version('c');
      });
      afterCommit(trx, () => void seen.push('second'));
      await bumpVersion(trx, 'c');
      seen.push('body');
    });
    assert.deepEqual(seen, ['body', 'first', 'second']);
    assert.equal(await during, 1);
  });

  test('is waited for', async () => {
    let done = false;
    await inTransaction(db, async (trx) => {
      afterCommit(trx, async () => {
        await new Promise((wake) => setTimeout(wake, 20));
        done = true;
      });
    });
    assert.ok(done);
  });

  test('is not called when the transaction rolls back', async () => {
    let called = false;
    await assert.rejects(
      inTransaction(db, async (trx) => {
        afterCommit(trx, () => void (called = true));
        throw new Error('no');
      }),
    );
    assert.equal(called, false);
  });
});

test('versions count per topic, and 0 is one that never changed', async () => {
  await inTransaction(db, async (trx) => {
    await bumpVersion(trx, 'x');
    await bumpVersion(trx, 'x');
    await bumpVersion(trx, 'y');
  });
  assert.deepEqual(
    [...(await readVersions(db, ['x', 'y', 'z']))],
    [
      ['x', 2],
      ['y', 1],
      ['z', 0],
    ],
  );
});

describe('errors of the database', () => {
  const withCode = (code: string, more: object = {}): Error => Object.assign(new Error('x'), { code, ...more });

  test('that mean "not now" are told from those that mean "wrong"', () => {
    for (const code of [
      '08006',
      '25006',
      '25P03',
      '25P04',
      '28P01',
      '3D000',
      '53300',
      '55P03',
      '57014',
      '57P01',
      '57P03',
    ])
      assert.ok(isDatabaseAway(withCode(code)), code);
    for (const code of ['23505', '25P02', '42601', '40001', '22P02']) assert.ok(!isDatabaseAway(withCode(code)), code);
    assert.ok(isDatabaseAway(withCode('ECONNREFUSED', { syscall: 'connect' })));
    for (const message of ['Connection terminated unexpectedly', 'Query read timeout', 'Connection terminated'])
      assert.ok(isDatabaseAway(new Error(message)), message);
    assert.ok(!isDatabaseAway(new Error('cannot store "Connection terminated": it is too long')), 'quoted');
    assert.ok(!isDatabaseAway(new Error('something else')));
    assert.ok(!isDatabaseAway(null));
  });

  test('that are worth another run', () => {
    assert.deepEqual([withCode('40001'), withCode('40P01'), withCode('23505')].map(isRetryable), [true, true, false]);
  });

  test('of a unique constraint name it', async () => {
    const insert = (): Promise<unknown> =>
      db.insertInto('change_versions').values({ topic: 'twice', version: 1 }).execute();
    await insert();
    await assert.rejects(insert(), (error) => uniqueViolation(error) === 'change_versions_pkey');
    assert.equal(uniqueViolation(new Error('x')), null);
  });
});
