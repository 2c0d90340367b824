import { availableParallelism } from 'node:os';
import { type Config, ConfigError } from '../../platform/config/index.ts';
import type { Role } from '../role.ts';

/** As the setting allows; a machine with more cores has several nodes. */
const MOST = 64;

type Settings = Pick<Config, 'WEB_CONCURRENCY' | 'DATABASE_URL' | 'FANOUT_PARTITIONS'>;

/** Whether workers share the sending (docs/adr/0034). */
const sharesSending = ({ FANOUT_PARTITIONS: parts }: Settings): boolean => Number(parts) > 1;

/**
 * How many processes serve HTTP here. Throws ConfigError for a worker with more than one: it serves nobody, and one process at
 * a time sends, on however many machines (docs/adr/0022), unless the sending is divided.
 */
export function processesOf(config: Settings, role: Role, cores = availableParallelism()): number {
  const { WEB_CONCURRENCY: wanted, DATABASE_URL: url } = config;
  const isAlone = role === 'worker' && !sharesSending(config);
  if (wanted === 'auto') return isAlone || url === undefined ? 1 : Math.min(cores, MOST);
  if (isAlone && wanted > 1) {
    throw new ConfigError([
      'WEB_CONCURRENCY of more than 1 is for the roles all and api: of all workers one sends at a time, so take it out, or set 1 or auto, or divide the sending by FANOUT_PARTITIONS',
    ]);
  }
  return wanted;
}

/** The role of one of them: the loops run in the first (docs/adr/0032), or in all that share the sending. */
export const roleOfProcess = (config: Settings, role: Role, process: number): Role =>
  process === 0 || sharesSending(config) ? role : 'api';
