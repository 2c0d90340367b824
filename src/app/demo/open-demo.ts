import type { Accounts } from '../../modules/accounts/index.ts';
import type { DemoPlatform } from './create-demo.ts';
import { type Demo, readDemo } from './demo-file.ts';
import { wantsDemo } from './wants-demo.ts';

/**
 * The demo of this database: created now if the database is empty, read from the data folder if it is the one that was
 * created here before. Null when the settings want none, and for a database that somebody else has filled.
 */
export async function openDemo(
  platform: DemoPlatform,
  accounts: Pick<Accounts, 'createApiKey' | 'isFresh' | 'missingAccounts' | 'operatorExists'>,
): Promise<Demo | null> {
  const { config, database, db } = platform;
  if (!wantsDemo(config) || database.kind !== 'pglite') return null;
  // An installation where somebody has become the operator is somebody's, although it is fresh.
  if ((await accounts.isFresh(db)) && !(await accounts.operatorExists(db))) {
    const { createDemo } = await import('./create-demo.ts');
    return createDemo(platform, accounts);
  }
  const demo = await readDemo(config.POSTHORN_DATA_DIR);
  if (!demo) return null;
  // A file that tells of another database (one that was removed or replaced) would print keys that open nothing.
  const missing = await accounts.missingAccounts(
    db,
    demo.accounts.map((a) => a.id),
  );
  return missing.length === 0 ? demo : null;
}
