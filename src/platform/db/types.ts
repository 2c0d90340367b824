import type { Kysely, Transaction } from 'kysely';
import type { Caller } from '../../contracts/caller.ts';

/**
 * Tables that the platform itself owns. Each module adds its own with `db.withTables<ItsTables>()` in its `store.ts`,
 * so no module sees another's tables.
 */
export interface PlatformTables {
  idempotency_keys: {
    scope: string;
    key: string;
    request_hash: string;
    status: number;
    body: string | null;
    headers: string | null;
    created_at: Date;
  };
  change_versions: { topic: string; version: number };
  schema_migrations: { name: string; checksum: string; applied_at: Date };
}

/** Outside a transaction: reads, and single statements that are atomic in themselves. */
export type Db = Kysely<PlatformTables>;
/** Inside a transaction. A function that must be atomic takes this, never `Db`. */
export type Trx = Transaction<PlatformTables>;
export type DbKind = 'pglite' | 'postgres';

/** What a use case may know of the world: the time of the request, who makes it, and a source of ids. */
export interface Env {
  now: Date;
  /** How long ago `now` was: a request may have waited for a connection or a lock. Milliseconds; absent: not at all. */
  waitedMs?: () => number;
  /** A new UUID v7. */
  newId: () => string;
  /** Written to the events and deliveries that this request causes. */
  requestId: string;
  /** Who asks for it, for the record of changes; what a caller may do is not decided by this. Absent: nobody is signed in, or the service does it by itself. */
  by?: Caller;
}
