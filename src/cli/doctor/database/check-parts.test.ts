import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { acquireParts, divideParts, wantParts } from '../../../modules/events/index.ts';
import { checkParts } from './check-parts.ts';

const { db } = await withDatabase();
const now = new Date('2026-01-15T10:00:00Z');

test('parts without a holder are worth a look; where nothing is divided there is nothing to say', async () => {
  assert.deepEqual(await checkParts(db, { FANOUT_PARTITIONS: '1' }), []);
  await wantParts(db, 'r', 4, now);
  await divideParts(db, 'r', 4, now);
  const take = (owner: string, limit: number) =>
    acquireParts(db, { reader: 'r', owner, wanted: 4, held: [], limit, now });
  await take('a', 3);
  const [some] = await checkParts(db, { FANOUT_PARTITIONS: '4' });
  assert.deepEqual([some?.state, some?.found], ['warn', 'divided into 4 parts, 3 of them held by 1 processes']);
  await take('b', 1);
  const [all] = await checkParts(db, { FANOUT_PARTITIONS: '1' });
  assert.equal(all?.state, 'ok');
  assert.match(all.found, /^divided into 4 parts, 4 of them held by 2 processes; FANOUT_PARTITIONS=1 changes nothing/);
});
