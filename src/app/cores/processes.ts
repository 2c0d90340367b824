import { availableParallelism } from 'node:os';
import { type Config, ConfigError } from '../../platform/config/index.ts';
import type { Role } from '../role.ts';

/** As the setting allows; a machine with more cores has several nodes. */
const MOST = 64;

/**
 * How many processes serve HTTP here. Throws ConfigError for a worker with more than one: it serves nobody, and one process at
 * a time sends, on however many machines (docs/adr/0022).
 */
export function processesOf(
  { WEB_CONCURRENCY: wanted, DATABASE_URL: url }: Pick<Config, 'WEB_CONCURRENCY' | 'DATABASE_URL'>,
  role: Role,
  cores = availableParallelism(),
): number {
  if (wanted === 'auto') return role === 'worker' || url === undefined ? 1 : Math.min(cores, MOST);
  if (role === 'worker' && wanted > 1) {
    throw new ConfigError([
      'WEB_CONCURRENCY of more than 1 is for the roles all and api: of all workers one sends at a time, so take it out, or set 1 or auto',
    ]);
  }
  return wanted;
}

/** The role of one of them: the loops run in the first (docs/adr/0032). */
export const roleOfProcess = (role: Role, process: number): Role => (process === 0 ? role : 'api');
