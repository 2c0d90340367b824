import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openEmpty } from './helpers/embedded.ts';
import { RewindablePool } from './helpers/rewindable.ts';

let opened = 0;
const pool = new RewindablePool(async () => {
  opened++;
  const pglite = await openEmpty();
  await pglite.query('create table kept (id int primary key, text text not null)');
  await pglite.query(`insert into kept select n, 'as it was' from generate_series(1, 100) n`);
  return pglite;
});

describe('embedded databases that go back to their beginning', () => {
  test('rows, tables, settings and sequences of one user are not there for the next', async () => {
    for (let user = 0; user < 3; user++) {
      const mine = await pool.take();
      const ask = async (sql: string): Promise<unknown> => (await mine.query(sql)).rows;
      assert.deepEqual(await ask('select count(*)::int as n, min(text) as text from kept'), [
        { n: 100, text: 'as it was' },
      ]);
      assert.deepEqual(await ask('show statement_timeout'), [{ statement_timeout: '0' }]);
      await assert.rejects(ask('select * from mine'), /"mine" does not exist/);
      await ask('create table mine (id serial primary key, text text)');
      // Several files of write-ahead log, and a table larger than what PostgreSQL keeps in memory.
      await ask(`insert into mine (text) select repeat('x', 2000) from generate_series(1, 5000)`);
      await ask(`update kept set text = 'changed'`);
      await ask('delete from kept where id > 50');
      await ask('checkpoint');
      await ask(`set statement_timeout = '5s'`);
      await assert.rejects(ask(`insert into kept values (1, 'again')`), /duplicate key/);
      assert.deepEqual(await ask('select max(id) as n from mine'), [{ n: 5000 }]);
      await ask(`do $$ begin perform to_tsvector('english', 'running'); end $$`);
      await mine.close();
      await assert.rejects(ask('select 1'), /closed/);
    }
    assert.equal(opened, 1);
  });

  test('two users at once have one each', async () => {
    const first = await pool.take();
    const second = await pool.take();
    assert.equal(opened, 2);
    await first.query('delete from kept');
    assert.deepEqual((await second.query('select count(*)::int as n from kept')).rows, [{ n: 100 }]);
    await first.close();
    await first.close();
    const third = await pool.take();
    assert.deepEqual((await third.query('select count(*)::int as n from kept')).rows, [{ n: 100 }]);
    await Promise.all([second.close(), third.close()]);
    assert.equal(opened, 2);
  });
});
