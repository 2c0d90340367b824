import type { PGlite, Results } from '@electric-sql/pglite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { Column } from './columns.ts';
import { settingsOf } from './statement-settings.ts';

/** How long a caller waits for the one connection before it is told that something holds it. Milliseconds. */
const ACQUIRE_TIMEOUT_MS = 60_000;

/** What the embedded database is worked with. */
export type EmbeddedServer = Pick<PGlite, 'waitReady' | 'query' | 'dumpDataDir' | 'close' | 'closed'>;

/**
 * PGlite has one connection. Kysely's own PGlite dialect (0.29.9) shares it without a lock, so a query of one request
 * would run inside the open transaction of another, and two concurrent transactions would commit each other. This one
 * hands the connection out to one holder at a time, in order of asking. See docs/adr/0003.
 */
class PgliteDriver implements Driver {
  readonly #pglite: EmbeddedServer;
  #tail: Promise<void> = Promise.resolve();
  readonly #release = new WeakMap<DatabaseConnection, () => void>();

  constructor(pglite: EmbeddedServer) {
    this.#pglite = pglite;
  }

  async init(): Promise<void> {
    await this.#pglite.waitReady;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = before.then(() => promise);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error('the embedded database was held for 60 s: is `db` used inside a transaction?')),
        ACQUIRE_TIMEOUT_MS,
      ).unref();
    });
    try {
      await Promise.race([before, late]);
    } catch (error) {
      resolve();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    const connection = new PgliteConnection(this.#pglite);
    this.#release.set(connection, resolve);
    return connection;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'));
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }
  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#release.get(connection)?.();
  }
  async destroy(): Promise<void> {
    await this.#tail;
    if (!this.#pglite.closed) await this.#pglite.close();
  }
}

class PgliteConnection implements DatabaseConnection {
  readonly #pglite: EmbeddedServer;
  constructor(pglite: EmbeddedServer) {
    this.#pglite = pglite;
  }
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters.map((p) => (p instanceof Column ? p.toLiteral() : p));
    const set = settingsOf(query.sql);
    const result = await (set ? this.#queryWith<R>(set, parameters) : this.#pglite.query<R>(query.sql, parameters));
    return {
      rows: result.rows,
      ...(result.affectedRows === undefined ? {} : { numAffectedRows: BigInt(result.affectedRows) }),
    };
  }

  /** In a transaction of its own, as on a server. */
  async #queryWith<R>(
    { sets, statement }: { sets: readonly string[]; statement: string },
    parameters: unknown[],
  ): Promise<Results<R>> {
    await this.#pglite.query('begin');
    try {
      for (const set of sets) await this.#pglite.query(set);
      return await this.#pglite.query<R>(statement, parameters);
    } finally {
      // Of what failed, a rollback.
      await this.#pglite.query('commit');
    }
  }

  // oxlint-disable-next-line require-yield -- the interface asks for a generator; PGlite has no cursors
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('PGlite has no streaming: page instead');
  }
}

export const pgliteDialect = (pglite: EmbeddedServer): Dialect => ({
  createDriver: () => new PgliteDriver(pglite),
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
});
