import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { uuidv7 } from '../../../lib/ids.ts';
import { inTransaction } from '../../../platform/db/index.ts';
import { saveRetention } from '../retention/store.ts';
import { DAY_MS, storageFixture } from './fixtures.ts';

const { db, NOW, keeper, keep, write } = await storageFixture();
/** Of endpoints that need not be there any more. */
const [FIRST, SECOND, THIRD] = [uuidv7(NOW), uuidv7(NOW), uuidv7(NOW)].toSorted() as [string, string, string];

/** An address of an endpoint, which ended so many days ago. */
const ended = async (endpoint: string, days: number, url: string): Promise<void> => {
  await sql`insert into webhook_endpoint_former (endpoint_id, until, url)
    values (${endpoint}, ${new Date(NOW - days * DAY_MS)}, ${url})`.execute(db);
};
const left = async (endpoint: string): Promise<(string | null)[]> => {
  const { rows } = await sql<{ url: string | null }>`
    select url from webhook_endpoint_former where endpoint_id = ${endpoint} order by until`.execute(db);
  return rows.map(({ url }) => url);
};

beforeEach(async () => {
  await sql`delete from webhook_endpoint_former`.execute(db);
  await sql`delete from webhook_deliveries`.execute(db);
});

test('former addresses go with the deliveries that went there, portion by portion', async () => {
  for (const days of [100, 99, 98, 97, 92]) await ended(FIRST, days, `/${days}`);
  for (const days of [90, 10]) await ended(SECOND, days, `/${days}`);
  for (const days of [95, 50, 1]) await ended(THIRD, days, `/${days}`);
  const one = keeper({ time: () => NOW, portion: 2, rest: async () => undefined });
  assert.ok((await keep(one)) >= 5);
  // What is asked of the time before is not known, instead of told with what came next.
  assert.deepEqual(await left(FIRST), [null]);
  assert.deepEqual(await left(SECOND), ['/90', '/10']);
  assert.deepEqual(await left(THIRD), [null, '/50', '/1']);
  await ended(FIRST, 91.5, '/again');
  await keep(one);
  assert.deepEqual(await left(FIRST), [null], 'the next time it begins anew');
});

test('the longest time of all accounts counts', async () => {
  const account = uuidv7(NOW);
  await sql`insert into accounts (id, name, type, created_at) values (${account}, 'Shop', 'MERCHANT', now())`.execute(
    db,
  );
  await inTransaction(db, (trx) => saveRetention(trx, account, 400, new Date(NOW)));
  await ended(FIRST, 402, '/402');
  await ended(FIRST, 300, '/300');
  await keep(keeper({ time: () => NOW }));
  assert.deepEqual(await left(FIRST), [null, '/300']);
  await inTransaction(db, (trx) => saveRetention(trx, account, null, new Date(NOW)));
});

test('where deliveries are kept for ever, so is where they went, and nothing older', async () => {
  await write({ at: NOW - 10 * DAY_MS, status: 'DELIVERED' });
  for (const days of [12, 11.5, 10, 1]) await ended(FIRST, days, `/${days}`);
  const forever = keeper({ time: () => NOW, retentionDays: 0, deadLetterDays: 0 });
  await keep(forever);
  assert.deepEqual(await left(FIRST), [null, '/10', '/1']);
  await sql`delete from webhook_deliveries`.execute(db);
  await keep(forever);
  assert.deepEqual(await left(FIRST), [null, '/1']);
});
