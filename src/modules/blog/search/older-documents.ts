import { monotonicNow } from '../../../lib/clock.ts';
import { type Db, databaseOf } from '../../../platform/db/index.ts';
import { INDEX_VERSION } from './document.ts';
import { oldestIndexVersion } from './upkeep-store.ts';

/**
 * The answer may be this old. What a node of an older version writes meanwhile is found by fewer words until then, or until
 * `upkeep` makes it anew. Milliseconds.
 */
const KEPT_MS = 30_000;

const kept = new WeakMap<Db, { until: number; older: Promise<boolean> }>();

async function ask(db: Db): Promise<boolean> {
  return ((await oldestIndexVersion(db)) ?? INDEX_VERSION) < INDEX_VERSION;
}

/** Whether some search documents are of an older version: `upkeep` has yet to make them anew. */
export function hasOlder(db: Db): Promise<boolean> {
  const database = databaseOf(db);
  const known = kept.get(database);
  if (known && known.until > monotonicNow()) return known.older;
  const older = ask(db);
  kept.set(database, { until: monotonicNow() + KEPT_MS, older });
  older.catch(() => kept.delete(database));
  return older;
}
