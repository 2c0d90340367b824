import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyPostgres, migratedPostgres } from '../../../../test/helpers/database.ts';
import { needsPooler, startPooler } from '../../../../test/helpers/pooler.ts';
import { MASTER_KEY } from '../../../../test/helpers/service.ts';
import { parseConfig } from '../../../platform/config/index.ts';
import { checkDatabase } from './check-database.ts';

test('a pooler is told, with what is missing behind it', needsPooler, async () => {
  const direct = await migratedPostgres();
  const url = (await startPooler(2)).through(direct);
  const examined = async (env: Record<string, string>): Promise<string[]> => {
    const config = parseConfig({ POSTHORN_MASTER_KEY: MASTER_KEY, ...env });
    return (await checkDatabase(config)).map(({ what, state }) => `${what} ${state}`).slice(0, 4);
  };
  const rest = ['migrations ok', 'master key ok'];
  assert.deepEqual(await examined({ DATABASE_URL: direct }), ['database ok', 'connections ok', ...rest]);
  assert.deepEqual(await examined({ DATABASE_URL: url }), [
    'database ok',
    'pooler warn',
    'wake-ups warn',
    'migrations ok',
  ]);
  const listening = (listenUrl: string): Promise<string[]> =>
    examined({ DATABASE_URL: url, DATABASE_LISTEN_URL: listenUrl });
  assert.equal((await listening(direct))[2], 'wake-ups ok');
  assert.equal((await listening(await emptyPostgres()))[2], 'wake-ups fail');
  assert.equal((await examined({ DATABASE_URL: url, NATS_URL: 'nats://127.0.0.1:4222' }))[2], 'migrations ok');
});
