import type { Db } from './types.ts';

const wholes = new WeakMap<Db, Db>();

/** A connection of a database that is used by itself. */
export function connectionOf(whole: Db, connection: Db): Db {
  wholes.set(connection, whole);
  return connection;
}

/** What stays the same for all connections of one database, to remember by what was learnt of it. */
export const databaseOf = (db: Db): Db => wholes.get(db) ?? db;
