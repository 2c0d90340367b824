import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { leastUuidv7, uuidv7 } from '../src/lib/ids.ts';
import { withDatabase } from './helpers/database.ts';
import { startNode, type TestNode } from './helpers/engine.ts';

const DAY_MS = 86_400_000;
const LOOPS = ['changes.purge', 'notifications.purge-mails', 'trades.purge-reports', 'webhook-jobs.purge'];
const database = await withDatabase();
const [forMonth, forEver] = [
  await startNode({ database, settings: { RECORD_RETENTION_DAYS: '30' } }),
  await startNode({ database, settings: { RECORD_RETENTION_DAYS: '0' } }),
];
const { db } = forMonth;
const tenant = await forMonth.tenant();

async function purge({ service }: TestNode): Promise<void> {
  const all = service.modules.all.flatMap((module) => module.loops ?? []);
  const loops = all.filter(({ name }) => LOOPS.includes(name));
  assert.equal(loops.length, LOOPS.length);
  for (const loop of loops) while (await loop.step(true));
}

/** One record of each kind, made so many days ago. */
async function write(days: number): Promise<void> {
  const at = new Date(Date.now() - days * DAY_MS);
  const newId = (): string => leastUuidv7(at.getTime()).slice(0, 14) + uuidv7(Date.now()).slice(14);
  const name = `of ${days}`;
  for (const verdict of ['ACCEPTED', 'REFUSED', 'REPEATED']) {
    await sql`insert into inbound_reports (id, account_id, trade_session_id, side, event, body, verdict, event_ids, request_id, received_at)
      values (${newId()}, ${tenant.id}, ${name}, 'INITIATOR', 'item.sold', '{}', ${verdict}, '{}', 'r', ${at})`.execute(
      db,
    );
  }
  await sql`insert into changes (id, at, action, actor_kind, thing_kind, thing_name, before, after)
    values (${newId()}, ${at}, 'account.renamed', 'SERVICE', 'ACCOUNT', ${name}, '{}', '{}')`.execute(db);
  for (const state of ['RUNNING', 'COMPLETED', 'FAILED']) {
    await sql`insert into webhook_jobs (id, kind, state, filter, total, total_is_exact, next_at, request_id, created_at, ended_at)
      values (${newId()}, 'REPLAY', ${state}, '{"status":"DEAD"}', 0, true, now(), ${name}, ${at},
        case when ${state} <> 'RUNNING' then ${at}::timestamptz end)`.execute(db);
  }
  for (const [state, next] of [
    ['GIVEN UP', null],
    ['WAITING', at],
  ] as const) {
    const id = newId();
    await sql`insert into notifications (id, event_id, user_id, event, text, created_at)
      values (${id}, ${id}, ${name}, ${state}, '', ${at})`.execute(db);
    await sql`insert into notification_mails (notification_id, attempts, next_attempt_at, updated_at)
      values (${id}, 6, ${next}, ${at})`.execute(db);
  }
}

const left = async (): Promise<string[]> =>
  (
    await sql<{ record: string }>`
      select verdict || ' ' || trade_session_id as record from inbound_reports
      union all select state || ' ' || request_id from webhook_jobs
      union all select 'CHANGE ' || thing_name from changes where action = 'account.renamed'
      union all select event || ' ' || user_id from notification_mails join notifications on id = notification_id
      order by 1`.execute(db)
  ).rows.map(({ record }) => record);

test('what only tells of the past goes after its time; what something depends on, and what is not over, stays', async () => {
  await write(31);
  await write(29);
  const before = await left();
  assert.equal(before.length, 18);
  await purge(forEver);
  assert.deepEqual(await left(), before, '0 is for ever');
  // By the database's clock: that of the node may be wrong by years.
  forMonth.clock.advance(1000 * DAY_MS);
  await purge(forMonth);
  const stays = ['ACCEPTED of 31', 'RUNNING of 31', 'WAITING of 31'];
  assert.deepEqual(
    await left(),
    before.filter((record) => record.endsWith('29') || stays.includes(record)),
  );
});
