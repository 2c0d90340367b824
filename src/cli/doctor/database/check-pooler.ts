import { postgresBus } from '../../../platform/bus/postgres-bus.ts';
import type { Config } from '../../../platform/config/index.ts';
import type { Database } from '../../../platform/db/index.ts';
import { createLog } from '../../../platform/log/log.ts';
import { fail, type Finding, ok, warn } from '../finding.ts';

async function wakeUps({ connect, db }: Database): Promise<Finding> {
  const what = 'wake-ups';
  if (!connect) {
    const todo = 'set DATABASE_LISTEN_URL to the address of PostgreSQL itself, or NATS_URL';
    return warn(
      what,
      'a pooler cannot carry LISTEN: nodes ask for what others did, mostly up to five seconds later (what was held for a resumed endpoint up to half a minute)',
      todo,
    );
  }
  try {
    await (await postgresBus(connect, 'doctor', createLog('silent'), db)).close();
    return ok(what, 'LISTEN works (DATABASE_LISTEN_URL)');
  } catch (error) {
    return fail(what, (error as Error).message, 'check DATABASE_LISTEN_URL');
  }
}

/** What is made up for behind a pooler in transaction mode, and what is not. Nothing where there is none, and no address for LISTEN. */
export async function checkPooler(database: Database, config: Config): Promise<Finding[]> {
  const { pooler } = database;
  const findings: Finding[] = [];
  if (pooler) {
    const [what, between] = ['pooler', 'one is between here and PostgreSQL'];
    findings.push(
      pooler.unset.length === 0
        ? ok(what, `${between}, and the role has the settings that it needs`)
        : warn(what, `${between}, and the role lacks settings`, `run once, as SQL: ${pooler.unset.join('; ')}`),
    );
  }
  const listens = pooler !== undefined || config.DATABASE_LISTEN_URL !== undefined;
  if (listens && config.NATS_URL === undefined) findings.push(await wakeUps(database));
  return findings;
}
