import type { Database } from '../../../platform/db/index.ts';
import { fail, type Finding, warn } from '../finding.ts';
import { spill } from './store.ts';

/** PostgreSQL has no room for what it would write: SQLSTATE disk_full. */
const DISK_FULL = '53100';
/** A limit of the role that the sorting ran into (configuration_limit_exceeded, query_canceled): the disk was not asked. */
const LIMITS: readonly unknown[] = ['53400', '57014'];

/** What a server answers that cannot be used, as people are told to mend it. */
const HINTS: readonly [codes: readonly string[], todo: string][] = [
  [[DISK_FULL], 'free space on the disk of the database server'],
  [['28P01', '28000'], 'check user and password in DATABASE_URL, and pg_hba.conf of the server'],
  [['3D000'], 'make the database, or name another in DATABASE_URL'],
  [['53300'], 'close other connections, or raise max_connections of the server'],
  [
    ['ENOTFOUND', 'EAI_AGAIN'],
    'check the name of the host in DATABASE_URL; in a password write @ : / ? # as %40 %3A %2F %3F %23',
  ],
];

/** The code of an error, or of what caused it. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code ?? (cause === undefined || cause === null ? undefined : codeOf(cause));
}

/** What to do about a server that cannot be used. */
export const hintOf = (error: unknown): string =>
  HINTS.find(([codes]) => codes.includes(codeOf(error) ?? ''))?.[1] ??
  'check DATABASE_URL, and that the server runs: its log says why not, such as a full disk';

/** Whether the disk of PostgreSQL is full: it answers what is read then, and is ready, while nothing can be written. Nothing where there is room. */
export async function checkSpace({ db, kind }: Pick<Database, 'db' | 'kind'>): Promise<Finding[]> {
  if (kind !== 'postgres') return [];
  try {
    await spill(db);
    return [];
  } catch (error) {
    const [code, { message }] = [codeOf(error), error as Error];
    if (LIMITS.includes(code)) return [];
    if (code === DISK_FULL) return [fail('database disk', message, hintOf(error))];
    // Reads may go on all the same (an input/output error, a quota): a warning, which hides no other finding.
    return [warn('database disk', message, 'look at the disk and the log of the database server')];
  }
}
