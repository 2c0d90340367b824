import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { emptyPostgres, onlyPostgres, withDatabase } from '../../../../test/helpers/database.ts';
import { type Db, openPostgres } from '../../../platform/db/index.ts';
import { checkSpace, hintOf } from './check-space.ts';
import { spill } from './store.ts';

const coded = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });

test('a server whose disk has room is nothing to tell of', async () => {
  assert.deepEqual(await checkSpace(await withDatabase()), []);
});

/** What is found where the server answers with this error. */
const foundAt = (fault: Error): ReturnType<typeof checkSpace> => {
  const failing = { transaction: () => ({ execute: () => Promise.reject(fault) }) };
  return checkSpace({ kind: 'postgres', db: failing as unknown as Db });
};

test('what else keeps the server from sorting hides no other finding', async () => {
  for (const code of ['53400', '57014']) assert.deepEqual(await foundAt(coded(code)), [], code);
});

test('a disk that does not take what is sorted is told, whatever its fault', async () => {
  for (const fault of [
    coded('58030', 'Input/output error'),
    coded('XX000', 'Disk quota exceeded'),
    new Error('ended'),
  ]) {
    const [finding, ...more] = await foundAt(fault);
    assert.deepEqual(
      [finding?.what, finding?.state, finding?.found, more],
      ['database disk', 'warn', fault.message, []],
    );
  }
});

test('a small temp_file_limit is no full disk', onlyPostgres, async () => {
  const url = await emptyPostgres();
  const admin = await openPostgres(url, 1);
  await sql.raw(`alter database "${new URL(url).pathname.slice(1)}" set temp_file_limit = '1MB'`).execute(admin.db);
  await admin.close();
  const database = await openPostgres(url, 1);
  try {
    await assert.rejects(spill(database.db), { code: '53400' });
    assert.deepEqual(await checkSpace(database), []);
  } finally {
    await database.close();
  }
});

test('one whose disk is full answers what is read, and is told', async () => {
  assert.deepEqual(await foundAt(coded('53100', 'could not write to file: No space left')), [
    {
      what: 'database disk',
      state: 'fail',
      found: 'could not write to file: No space left',
      todo: 'free space on the disk of the database server',
    },
  ]);
});

test('what to do fits what the server says, also where that is the cause', () => {
  const wrapped = (code: string): Error => new Error('cannot use the database', { cause: coded(code) });
  assert.match(hintOf(wrapped('28P01')), /^check user and password/);
  assert.match(hintOf(wrapped('53100')), /^free space on the disk of the database server$/);
  assert.match(hintOf(wrapped('3D000')), /^make the database/);
  assert.match(hintOf(wrapped('ENOTFOUND')), /%23/);
  assert.match(hintOf(wrapped('ECONNREFUSED')), /the server runs/);
  assert.match(hintOf(new Error('no code')), /the server runs/);
});
