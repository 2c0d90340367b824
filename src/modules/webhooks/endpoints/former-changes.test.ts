import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase } from '../../../../test/helpers/database.ts';
import { uuidv7Maker } from '../../../lib/ids.ts';
import { databaseTime, loadMigrations, migrate } from '../../../platform/db/index.ts';
import { selectAddresses } from './former-store.ts';

const { db } = await emptyDatabase();
const migrations = await loadMigrations();
const upTo = (number: string) => migrations.slice(0, migrations.findIndex((m) => m.name.startsWith(`${number}-`)) + 1);
await migrate(db, upTo('0036'));
const now = await databaseTime(db);
const newId = uuidv7Maker();
const ACCOUNT = newId(now);
await sql`insert into accounts (id, name, type, created_at) values (${ACCOUNT}, 'Shop', 'MERCHANT', now())`.execute(db);

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** An endpoint that was made at this time with the address `/a`. */
async function made(at: number): Promise<string> {
  const id = newId(at);
  await sql`insert into webhook_endpoints (id, account_id, kind, url, status, after_position, version, created_at, updated_at)
    values (${id}, ${ACCOUNT}, 'MERCHANT', '/a', 'ACTIVE', 0, 1, ${new Date(at)}, ${new Date(at)})`.execute(db);
  return id;
}
/** A change at this time, by the clock of the node that made it; null: neither address nor headers. */
const change = (id: string, at: number, url: string | null): Promise<unknown> =>
  sql`update webhook_endpoints set url = coalesce(${url}, url), updated_at = ${new Date(at)} where id = ${id}`.execute(
    db,
  );
const otherHeaders = (id: string, at: number): Promise<unknown> =>
  sql`update webhook_endpoints set headers_sealed = gen_random_uuid()::text, updated_at = ${new Date(at)} where id = ${id}`.execute(
    db,
  );
/** As a node did it that got in between the rows of 0037 and its trigger. */
async function slipThrough(id: string, at: number, url: string): Promise<void> {
  await sql`alter table webhook_endpoints disable trigger user`.execute(db);
  await change(id, at, url);
  await sql`alter table webhook_endpoints enable trigger user`.execute(db);
}
const sentTo = async (id: string, ...at: number[]): Promise<(string | null)[]> =>
  (await selectAddresses(db, id, at)).map(({ url }) => url);
const rowsOf = async (id: string): Promise<number> =>
  (
    await sql<{ n: number }>`select count(*)::int as n from webhook_endpoint_former where endpoint_id = ${id}`.execute(
      db,
    )
  ).rows[0]?.n ?? 0;

test('what was changed while 0037 ran is told as not known, and nothing else', async () => {
  const [same, before, slipped, twice, quiet] = await Promise.all([1, 2, 3, 4, 5].map(() => made(now - HOUR)));
  await change(String(before), now - HOUR / 2, '/b');
  await migrate(db, upTo('0037'));
  const gap = await databaseTime(db);
  await slipThrough(String(slipped), gap, '/b');
  await slipThrough(String(twice), gap, '/b');
  await change(String(twice), gap + 5 * SECOND, '/c');
  await change(String(twice), gap + HOUR, '/d');
  // Made once the trigger was there: nothing of it can be missing.
  const later = await made(gap + 2 * HOUR);
  await change(later, gap + 3 * HOUR, null);
  await change(String(quiet), gap + 3 * HOUR, null);
  await migrate(db, migrations);
  assert.deepEqual(await sentTo(String(same), now, gap + HOUR), ['/a', '/a']);
  assert.deepEqual(await sentTo(String(before), now - HOUR + SECOND, now - SECOND), [null, '/b']);
  assert.deepEqual(await sentTo(String(slipped), now - SECOND, gap + 60 * SECOND), [null, '/b']);
  const times = [now - SECOND, gap + SECOND, gap + HOUR / 2, gap + 2 * HOUR];
  assert.deepEqual(await sentTo(String(twice), ...times), [null, null, '/c', '/d']);
  assert.deepEqual(await sentTo(later, gap + 2 * HOUR, gap + 4 * HOUR), ['/a', '/a']);
  // Whether it was its address, nobody knows; what came after that minute is certain.
  assert.deepEqual(await sentTo(String(quiet), now - SECOND, gap + 2 * 60 * SECOND), [null, '/a']);
});

describe('a change', () => {
  test('comes after the one before it, whatever the clocks of their nodes say', async () => {
    const id = await made(now);
    await change(id, now + HOUR + 50, '/b');
    await change(id, now + HOUR, '/c');
    await change(id, now + 2 * HOUR, '/d');
    await change(id, now + 2 * HOUR, '/e');
    assert.deepEqual(await sentTo(id, now + SECOND, now + 2 * HOUR - SECOND, now + 3 * HOUR), ['/a', '/c', '/e']);
  });

  test('of headers alone makes no further row, and hides no address', async () => {
    const id = await made(now);
    for (let i = 1; i <= 20; i++) await otherHeaders(id, now + i * HOUR);
    assert.equal(await rowsOf(id), 1);
    await change(id, now + 21 * HOUR, '/b');
    for (let i = 22; i <= 30; i++) await otherHeaders(id, now + i * HOUR);
    assert.equal(await rowsOf(id), 2);
    assert.deepEqual(await sentTo(id, now, now + 20.5 * HOUR, now + 21.5 * HOUR), ['/a', '/a', '/b']);
  });

  test('after another makes no further row as long as fewer than ten seconds lie between', async () => {
    const id = await made(now);
    for (let i = 1; i <= 50; i++) await change(id, now + HOUR + i * 9 * SECOND, `/${i}`);
    assert.equal(await rowsOf(id), 2);
    await change(id, now + 2 * HOUR, '/b');
    assert.equal(await rowsOf(id), 3);
    const times = [now, now + HOUR + 100 * SECOND, now + HOUR + 500 * SECOND, now + 3 * HOUR];
    assert.deepEqual(await sentTo(id, ...times), ['/a', null, '/50', '/b']);
  });
});
