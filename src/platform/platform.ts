import type { Registry } from 'prom-client';
import type { Cipher } from '../lib/cipher.ts';
import type { Clock } from '../lib/clock.ts';
import type { Bus } from './bus/bus.ts';
import type { Config } from './config/index.ts';
import type { Database, Db, Reads, Replica, Trx } from './db/index.ts';
import type { PageSet } from './http/pages/page.ts';
import type { AnyRoute } from './http/route.ts';
import type { Log } from './log/log.ts';
import type { Loop } from './loop/loop.ts';
import type { Mailer } from './mail/index.ts';
import type { WorkQueue } from './nats/work-queue.ts';
import type { Sender } from './outbound/index.ts';

/** What every module may use: built once by app/deps.ts, given to each module's `create…` function. */
export interface Platform {
  config: Config;
  log: Log;
  /** The time of all nodes, which is the database's (docs/adr/0045). */
  clock: Clock;
  /** That of this machine, for where the other one is in doubt. */
  ownClock: Clock;
  /**
   * By this is told what is over where that cannot be taken back: the earlier of the clock's time and the database's, so that a clock that
   * jumps ahead ends and removes nothing. One round trip, by the connection of `within` if that is given. Milliseconds since the epoch.
   */
  leastTime: (within?: Trx) => Promise<number>;
  /**
   * By this begins what ends of itself after a while and cannot be taken back then: the later of both, so that a clock that is behind does
   * not let it end early. One round trip. Milliseconds since the epoch.
   */
  latestTime: (within: Trx) => Promise<number>;
  /** A new UUID v7 of the clock's time. */
  newId: () => string;
  database: Database;
  /** `database.db`. */
  db: Db;
  /** For what only reads, and may take the replica's time instead of the primary's. */
  reads: Reads;
  /** null: none is set. */
  replica: Replica | null;
  bus: Bus;
  /** null: each worker makes the attempts of what it holds. */
  workQueue: WorkQueue | null;
  metrics: Registry;
  cipher: Cipher;
  sender: Sender;
  /** null: no mail server is set. */
  mailer: Mailer | null;
  /** Unique to this process; owner of leases. */
  nodeId: string;
}

/** What a module gives to the composition, besides the functions that other modules call. */
export interface Module {
  name: string;
  routes: readonly AnyRoute[];
  /** What people read in a browser. */
  pages?: PageSet;
  /** Run on nodes that do background work (role `all` or `worker`). */
  loops: readonly Loop[];
  /** The service is about to stop: requests that wait for something are answered now. */
  leave?(): void;
  /** After the loops have stopped: finish what is under way within `ms`, release leases. */
  stop?(ms: number): Promise<void>;
}
