import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import type { Db } from '../../../platform/db/index.ts';
import { checkSpace, hintOf } from './check-space.ts';

const coded = (code: string, message = 'no'): Error => Object.assign(new Error(message), { code });

test('a server whose disk has room is nothing to tell of', async () => {
  assert.deepEqual(await checkSpace(await withDatabase()), []);
});

test('one whose disk is full answers what is read, and is told', async () => {
  const full = {
    transaction: () => ({ execute: () => Promise.reject(coded('53100', 'could not write to file: No space left')) }),
  };
  assert.deepEqual(await checkSpace({ kind: 'postgres', db: full as unknown as Db }), [
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
