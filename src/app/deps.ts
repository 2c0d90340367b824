import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { RedisClientType } from '@redis/client';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Cipher, createCipher } from '../lib/cipher.ts';
import { uuidv7Maker } from '../lib/ids.ts';
import type { Bus } from '../platform/bus/bus.ts';
import { localBus } from '../platform/bus/local-bus.ts';
import { postgresBus } from '../platform/bus/postgres-bus.ts';
import { type Config, masterKeyOf } from '../platform/config/index.ts';
import {
  type Database,
  followDatabaseClock,
  openPglite,
  openPostgres,
  latestTime,
  leastTime,
  openReplica,
  postgresOptions,
  type Replica,
  readsOf,
} from '../platform/db/index.ts';
import type { Log } from '../platform/log/log.ts';
import { mailerOf } from '../platform/mail/index.ts';
import { createSender, type OutboundPolicy, policyOf } from '../platform/outbound/index.ts';
import { sealBy } from '../platform/nats/sealed.ts';
import type { WorkQueue } from '../platform/nats/work-queue.ts';
import type { Platform } from '../platform/platform.ts';
import { openRedis } from './open-redis.ts';

/** What is opened at start and closed at the end. */
export interface Opened {
  platform: Platform;
  policy: OutboundPolicy;
  redis: RedisClientType | undefined;
  close(): Promise<void>;
}

/** Whatever tests replace. */
export interface Overrides {
  /** Takes the place of the database's clock, too, where something must be over by both. */
  clock?: Clock;
  /** An open, migrated database; it is not closed by `close`. */
  database?: Database;
  metrics?: Registry;
}

/**
 * How often is measured how late the event loop is. Every ten milliseconds, which is the library's own, is a sixth of what a process
 * costs that has nothing to do (measured). A loop that is never late has this as its lag. Milliseconds.
 */
const LAG_EVERY_MS = 50;

/** The database of the settings. Does not migrate it. */
export const openDatabase = (config: Config, log: Log): Promise<Database> =>
  config.DATABASE_URL === undefined
    ? openPglite(config.POSTHORN_DATA_DIR)
    : openPostgres(config.DATABASE_URL, config.DATABASE_POOL, {
        ...postgresOptions(config),
        tellFull(reason, open) {
          log.warn(
            { reason, open, DATABASE_POOL: config.DATABASE_POOL },
            'PostgreSQL gives fewer connections than DATABASE_POOL: what needs one waits for one that is open. Raise the limit that the reason names, or lower DATABASE_POOL',
          );
        },
      });

// The clients of NATS and Redis are a fifth of all modules of the service: loaded only where the settings name a server.

async function openBus(config: Config, database: Database, nodeId: string, log: Log): Promise<Bus> {
  if (config.NATS_URL !== undefined) {
    const { natsBus } = await import('../platform/bus/nats-bus.ts');
    return natsBus(config.NATS_URL, nodeId, log);
  }
  if (database.connect) {
    return postgresBus(database.connect, nodeId, log, database.isConnectSure === true ? undefined : database.db);
  }
  if (database.kind === 'postgres') {
    log.warn(
      'DATABASE_URL is the address of a pooler, which cannot carry LISTEN: what other nodes do is found by asking, up to a second later, due deliveries up to three, changed keys up to five, paused endpoints up to ten, probes that are asked for up to thirteen, what was held for a resumed endpoint up to half a minute. Set DATABASE_LISTEN_URL to the address of PostgreSQL itself, or NATS_URL',
    );
  }
  return localBus();
}

async function openWorkQueue(config: Config, cipher: Cipher, nodeId: string, log: Log): Promise<WorkQueue | null> {
  const { NATS_URL: url, NATS_STREAM: name, NATS_REPLICAS: replicas } = config;
  if (config.WEBHOOK_DISPATCH !== 'jetstream' || url === undefined) return null;
  const { jetStreamQueue } = await import('../platform/nats/jetstream-queue.ts');
  const seal = sealBy(cipher.mac(`messages of ${name}`));
  return jetStreamQueue({ url, name, replicas: Number(replicas), nodeId, seal, log });
}

/** What cannot be set for a session behind a pooler: somebody who may has to set it for the role. */
function adviseOn({ pooler }: Database, log: Log): void {
  if (pooler !== undefined && pooler.unset.length > 0) {
    log.warn(
      { sql: pooler.unset },
      'behind a pooler the role of the database needs settings of its own: run this SQL once',
    );
  }
}

/** The replica of the settings, not yet in use. Throws when it is none of this database. */
const openReads = async (config: Config, { db }: Database, log: Log, metrics: Registry): Promise<Replica | null> =>
  config.READ_DATABASE_URL === undefined
    ? null
    : openReplica(config.READ_DATABASE_URL, {
        primary: db,
        size: config.DATABASE_POOL,
        pooled: config.READ_DATABASE_POOLED,
        waitMs: config.READ_DATABASE_WAIT_MS,
        log,
        metrics,
      });

/** Opens everything that the modules stand on. On a failure what was opened is closed again. */
export async function openPlatform(config: Config, log: Log, overrides: Overrides = {}): Promise<Opened> {
  const nodeId = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const database = overrides.database ?? (await openDatabase(config, log));
  const closing: (() => Promise<void>)[] = overrides.database ? [] : [() => database.close()];
  const close = async (): Promise<void> => {
    for (const fn of closing.splice(0).toReversed()) await fn();
  };
  try {
    const metrics = overrides.metrics ?? new Registry();
    if (!overrides.metrics)
      collectDefaultMetrics({ register: metrics, prefix: 'posthorn_', eventLoopMonitoringPrecision: LAG_EVERY_MS });
    let clock = overrides.clock ?? systemClock;
    // The embedded one has the clock of this machine.
    if (!overrides.clock && database.kind === 'postgres') {
      const followed = await followDatabaseClock(database.db, log, metrics);
      closing.push(async () => followed.stop());
      clock = followed.clock;
    }
    adviseOn(database, log);
    const cipher = createCipher(await masterKeyOf(config));
    const bus = await openBus(config, database, nodeId, log);
    closing.push(() => bus.close());
    const workQueue = await openWorkQueue(config, cipher, nodeId, log);
    if (workQueue) closing.push(() => workQueue.close());
    const redis = config.REDIS_URL === undefined ? undefined : await openRedis(config.REDIS_URL, log);
    if (redis) closing.push(async () => redis.destroy());
    const policy = policyOf(config);
    const sender = createSender(policy, {
      // Merchants behind one address must not wait for each other: the caps per endpoint and per process are enough.
      connectionsPerOrigin: config.WEBHOOK_WORKER_IN_FLIGHT,
    });
    closing.push(() => sender.close());
    const mailer = await mailerOf(config);
    closing.push(async () => mailer?.close());
    const newUuid = uuidv7Maker();
    const replica = await openReads(config, database, log, metrics);
    if (replica) closing.push(() => replica.close());
    const platform: Platform = {
      config,
      log,
      clock,
      ownClock: overrides.clock ?? systemClock,
      leastTime: async (within) => (overrides.clock ? clock.now() : leastTime(within ?? database.db, clock)),
      latestTime: async (within) => (overrides.clock ? clock.now() : latestTime(within, clock)),
      database,
      db: database.db,
      reads: replica?.read ?? readsOf(database.db),
      replica,
      bus,
      workQueue,
      metrics,
      cipher,
      sender,
      mailer,
      nodeId,
      newId: () => newUuid(clock.now()),
    };
    return { platform, policy, redis, close };
  } catch (error) {
    await close();
    throw error;
  }
}
