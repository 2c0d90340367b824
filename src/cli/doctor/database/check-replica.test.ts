import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../test/helpers/engine.ts';
import { inDatabase, needsReplica, newDatabase, run, startReplica } from '../../../../test/helpers/replica.ts';
import { MASTER_KEY } from '../../../../test/helpers/service.ts';
import { parseConfig } from '../../../platform/config/index.ts';
import { loadMigrations, migrate, openPostgres } from '../../../platform/db/index.ts';
import { checkDatabase } from './check-database.ts';

test('a replica is told, with how it stands', needsReplica, async () => {
  const url = await newDatabase('doctored');
  const database = await openPostgres(url, 1);
  await migrate(database.db, await loadMigrations());
  await database.close();
  const server = await startReplica();
  const examined = async (readUrl?: string): Promise<string> => {
    const config = parseConfig({
      POSTHORN_MASTER_KEY: MASTER_KEY,
      DATABASE_URL: url,
      ...(readUrl === undefined ? {} : { READ_DATABASE_URL: readUrl }),
    });
    const found = (await checkDatabase(config)).filter(({ what }) => what === 'replica');
    return found.map(({ state, found }) => `${state}: ${found}`).join();
  };
  const readUrl = inDatabase(server, 'doctored');
  assert.equal(await examined(), '');
  await until('it has caught up', async () => (await examined(readUrl)).startsWith('ok: it shows all'));
  await run(server.url, 'select pg_wal_replay_pause()');
  await run(url, 'create table more (id integer)');
  assert.match(await examined(readUrl), /^warn: it is late by \d+ bytes/);
  await run(server.url, 'select pg_wal_replay_resume()');
  assert.match(await examined(url), /^warn: what answers is no replica/);
  assert.match(await examined(await newDatabase('another')), /^fail: READ_DATABASE_URL is no replica/);
  await server.kill();
  assert.match(await examined(readUrl), /^warn: .*the primary answers in its place/);
});
