import type { Config } from '../../../platform/config/index.ts';
import { type Database, lookAtReplica, type LookedAt } from '../../../platform/db/index.ts';
import { fail, type Finding, ok, warn } from '../finding.ts';

const WHAT = 'replica';

/** Whether the replica of the settings is one of this database, and up to date; nothing where none is set. */
export async function checkReplica({ db }: Database, config: Config): Promise<Finding[]> {
  const { READ_DATABASE_URL: url, READ_DATABASE_POOLED: pooled, READ_DATABASE_WAIT_MS: waitMs } = config;
  if (url === undefined) return [];
  try {
    const looked = await lookAtReplica({ url, pooled }, { primary: db, waitMs });
    const { unset } = looked;
    const lacks = warn(WHAT, 'its role lacks settings behind a pooler', `run once on the primary: ${unset.join('; ')}`);
    return [findingOf(looked), ...(unset.length > 0 ? [lacks] : [])];
  } catch (error) {
    const found = `${(error as Error).message || 'not reachable'}: the primary answers in its place`;
    return [warn(WHAT, found, 'check READ_DATABASE_URL, and that the server runs')];
  }
}

function findingOf({ verdict, behind }: LookedAt): Finding {
  if (verdict === 'foreign') {
    return fail(
      WHAT,
      'READ_DATABASE_URL is no replica of the database of DATABASE_URL',
      'mend it: no node starts with it',
    );
  }
  if (verdict === 'ahead') {
    const found = 'it has more than the primary ever wrote, which was restored since: the primary answers in its place';
    return fail(WHAT, found, 'make the replica anew from the primary');
  }
  if (verdict === 'promoted') {
    return warn(WHAT, 'what answers is no replica: the primary answers in its place', 'check READ_DATABASE_URL');
  }
  if (verdict === 'late' && behind !== 0) {
    const todo = 'reads go to the primary until it has caught up; READ_DATABASE_WAIT_MS says how long they wait for it';
    return warn(WHAT, `it is late by ${behind ?? 'an unknown number of'} bytes of the log`, todo);
  }
  return ok(WHAT, 'it shows all that was committed (READ_DATABASE_URL)');
}
