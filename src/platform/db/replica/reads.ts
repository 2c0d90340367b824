import type { Db } from '../types.ts';

/**
 * Reads from a database that shows all that was committed before: the primary, or a replica that has caught up
 * (docs/adr/0035-read-replica.md). `read` may be run twice, so it changes nothing; all of it sees one server. Throws what
 * `read` throws on the primary, and its AppErrors on either.
 */
export type Reads = <T>(read: (db: Db) => Promise<T>) => Promise<T>;

/** Always from this one. */
export const readsOf =
  (db: Db): Reads =>
  (read) =>
    read(db);
