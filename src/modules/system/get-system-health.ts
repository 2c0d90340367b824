import { monotonicNow } from '../../lib/clock.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Db, Replica } from '../../platform/db/index.ts';
import type { Platform } from '../../platform/platform.ts';
import type { SystemHealth } from './schemas.ts';
import { ping, selectDatabase } from './store.ts';

export interface SystemDeps {
  platform: Pick<Platform, 'config' | 'database' | 'replica' | 'mailer' | 'nodeId'>;
  version: string;
  startedAt: Date;
}

const busOf = ({ NATS_URL }: Config, kind: 'pglite' | 'postgres'): SystemHealth['bus'] =>
  NATS_URL === undefined ? (kind === 'postgres' ? 'POSTGRES' : 'LOCAL') : 'NATS';

const replicaOf = ({ status: { reason, lagBytes, lagMs } }: Replica): SystemHealth['replica'] => ({
  used: reason === null,
  reason,
  lagBytes,
  lagMs: lagMs && Math.round(lagMs),
});

/** How this process and its database fare now. */
export async function getSystemHealth(db: Db, { platform, version, startedAt }: SystemDeps): Promise<SystemHealth> {
  const { config, database, replica, mailer, nodeId } = platform;
  const began = monotonicNow();
  await ping(db);
  const answerMs = monotonicNow() - began;
  const told = await selectDatabase(db);
  const memory = process.memoryUsage();
  return {
    version,
    environment: config.POSTHORN_ENV,
    node: nodeId,
    startedAt: startedAt.toISOString(),
    memory: { residentBytes: memory.rss, heapUsedBytes: memory.heapUsed },
    database: {
      kind: database.kind,
      version: told.version,
      answerMs: Math.round(answerMs * 100) / 100,
      sizeBytes: told.size,
      schema: told.schema,
    },
    replica: replica && replicaOf(replica),
    bus: busOf(config, database.kind),
    sharedRateLimits: config.REDIS_URL !== undefined,
    mail: mailer !== null,
  };
}
