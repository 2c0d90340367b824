import type { Registry } from 'prom-client';
import type { Log } from '../../log/log.ts';
import type { Db } from '../types.ts';
import { readIdentity } from './position.ts';
import { Replica } from './replica.ts';
import { registerReplicaMetrics } from './replica-metrics.ts';

export interface OpenReplicaOptions {
  primary: Db;
  /** Connections. */
  size: number;
  /** Whether the address is that of a pooler in transaction mode; undefined: that is found out. */
  pooled: boolean | undefined;
  /** How long a read waits for a replica that is late. Milliseconds. */
  waitMs: number;
  log: Log;
  metrics: Registry;
}

/**
 * The replica of a primary; the primary reads until a probe has found it. Throws when what answers there is no copy of the
 * primary. One that does not answer may be one.
 */
export async function openReplica(url: string, options: OpenReplicaOptions): Promise<Replica> {
  const { primary, size, pooled, waitMs, log, metrics } = options;
  const identity = await readIdentity(primary).catch((error: unknown) => {
    const message = `READ_DATABASE_URL cannot be used, since DATABASE_URL does not tell which system it is: ${(error as Error).message}`;
    throw new Error(message, { cause: error });
  });
  const replica = new Replica({ primary, identity, at: { url, size, pooled }, waitMs, log });
  try {
    await replica.refuseForeign();
  } catch (error) {
    await replica.close();
    throw error;
  }
  registerReplicaMetrics(replica, metrics);
  return replica;
}
