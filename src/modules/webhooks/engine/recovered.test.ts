import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7 } from '../../../lib/ids.ts';
import { Recovered } from './recovered.ts';

const { db } = await withDatabase();
const events = [1, 2, 3, 4, 5].map((position) => ({ position, id: uuidv7(Date.now()) }));

test('events are looked up together when the first is not known; else a reader goes as far as is known', async () => {
  let queries = 0;
  const recovered = new Recovered(
    db.withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      transformResult: async (r) => r.result,
    }),
  );
  assert.equal(await recovered.lookUp(1, []), Number.POSITIVE_INFINITY);
  assert.equal(queries, 0);
  assert.equal(await recovered.lookUp(1, events.slice(0, 3)), Number.POSITIVE_INFINITY);
  assert.equal(await recovered.lookUp(1, events.slice(1, 5)), 3);
  assert.equal(queries, 1);
  assert.equal(await recovered.lookUp(1, events.slice(3)), Number.POSITIVE_INFINITY);
  assert.equal(queries, 2);
  recovered.passed(2);
  assert.equal(await recovered.lookUp(1, events.slice(2)), Number.POSITIVE_INFINITY);
  assert.equal(queries, 2, 'what is not passed is known');
  await recovered.lookUp(1, events.slice(1));
  assert.equal(queries, 3, 'what is passed is not kept');
  await recovered.lookUp(2, events.slice(1));
  assert.equal(queries, 4, 'nor what is of another epoch');
});
