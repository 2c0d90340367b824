import { Client, type Pool, type PoolConfig } from 'pg';
import { Column } from './columns.ts';
import { refusedBy } from './errors.ts';
import { FittingPool, type TellFull } from './fitting-pool.ts';
import { UNHURRIED } from './migrate.ts';
import { settingsOf } from './statement-settings.ts';

/** A statement that begins so is prepared once per connection under that name, and not parsed and planned again. */
const NAMED = /^\s*\/\*named:([\w-]+)\*\//;
/** Longest that node-postgres can wait: 24 days. Milliseconds. */
const NO_TIMEOUT = 2_147_483_647;

/** A client that waits for a statement as long as that needs, and lets go of a connection on which nothing is answered. */
class PatientClient extends Client {
  /** Whether what is asked is sent before what was asked earlier is answered. */
  declare pipeline: boolean;

  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of the base class are passed on as they are
  override connect(callback?: any): any {
    if (callback) return super.connect((error: Error | null) => callback(error && refusedBy(error), this));
    return super.connect().catch((error: Error) => {
      throw refusedBy(error);
    });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of the base class are passed on as they are
  override query(...args: any[]): any {
    const [text, given, ...rest] = args;
    // Here and not where node-postgres asks for it, in the middle of what it sends: a value that is refused there leaves the statement
    // unprepared at the server and prepared for the client, so that it fails from then on.
    const values = Array.isArray(given) ? given.map((v: unknown) => (v instanceof Column ? v.toPostgres() : v)) : given;
    const name = typeof text === 'string' ? this.nameOf(text) : undefined;
    const set = typeof text === 'string' ? settingsOf(text) : null;
    if (set) return this.#queryWith(set.sets, set.statement, values);
    const query = super.query.bind(this) as (...a: unknown[]) => unknown;
    const isUnhurried = typeof text === 'string' && text.startsWith(UNHURRIED);
    const result =
      name === undefined && !isUnhurried
        ? query(text, values, ...rest)
        : query({ text, values, ...(isUnhurried ? { query_timeout: NO_TIMEOUT } : { name }) }, ...rest);
    if (result instanceof Promise) result.catch((error: Error) => this.#giveUpAfterTimeout(error));
    return result;
  }

  /**
   * In a transaction of its own, so that it holds through a pooler too, and nothing of it is left. All of it is sent at
   * once, and waited for once: each answer of a connection that rests takes 0.6 ms (measured at 50 a second).
   */
  async #queryWith(sets: readonly string[], statement: string, values: unknown): Promise<unknown> {
    const { stream } = this.connection;
    const asked: Promise<unknown>[] = [];
    this.pipeline = true;
    stream.cork();
    try {
      asked.push(this.query(['begin', ...sets].join('; ')));
      asked.push(this.query(statement, values));
    } finally {
      // Of what failed, a rollback.
      asked.push(this.query('commit'));
      stream.uncork();
    }
    // Nothing else is asked on this connection before the last one is answered.
    const [begun, read] = await Promise.allSettled(asked);
    this.pipeline = false;
    for (const one of [begun, read]) if (one?.status === 'rejected') throw one.reason;
    return (read as PromiseFulfilledResult<unknown>).value;
  }

  /** Under which name the statement is prepared; undefined: under none. */
  protected nameOf(_text: string): string | undefined {
    return undefined;
  }

  /** The server has not answered in time. Whatever it is doing, nothing more can be asked on this connection. */
  #giveUpAfterTimeout(error: Error): void {
    if (error.message === 'Query read timeout') this.connection.stream.destroy();
  }
}

/**
 * Kysely has no way to name a prepared statement, so the name travels in the statement's first comment. Only for
 * statements whose plan does not depend on the data (bulk inserts, reads by key, searches, which are planned without reads of whole tables): a kept plan of any
 * other goes stale as tables grow (measured: a claim that read 90,800 rows).
 */
class NamingClient extends PatientClient {
  protected override nameOf(text: string): string | undefined {
    return NAMED.exec(text)?.[1];
  }
}

/**
 * The server ends a statement itself a little before the client gives up: else it would work on for nobody, and each
 * repetition would add a backend. A share of the query timeout.
 */
const STATEMENT_SHARE = 29 / 30;

/**
 * Statements of ours are short, and some look dear to the planner. It then has them compiled, which was a quarter of the server's CPU
 * while events were published and delivered, or starts other processes for them, which took ten times as long as what they
 * were to read (both measured). Counts over many rows have these all the same: `readMuch`.
 */
const FOR_SHORT_STATEMENTS = { jit: 'off', max_parallel_workers_per_gather: '0' } as const;
/** Times are read in this form only: in another one, which a server, a database or a role may be set to, they would be null. */
const FORM_OF_TIMES = 'ISO';
const OPTIONS = Object.entries({ ...FOR_SHORT_STATEMENTS, datestyle: FORM_OF_TIMES }).map(
  ([name, value]) => `-c ${name}=${value}`,
);

/**
 * A connection is used for about so long, and no longer than until it is free again. What it has prepared was planned for tables as they were when it began, and is planned
 * anew only when the server looks at them anew (autovacuum, which may be off).
 */
const LIFETIME_SECONDS = 1800;

/** What a pooler answers that was not told to pass over the settings with which a connection begins. */
const REFUSED_SETTING = /unsupported startup parameter/;

interface PoolOptions {
  /** How the server is reached, and how many connections there may be. */
  base: PoolConfig & { query_timeout: number; max: number; connectionTimeoutMillis: number };
  /** Whether there is a pooler in transaction mode; undefined: that is found out. */
  pooled: boolean | undefined;
  /** Told when the server gave no further connection. */
  tellFull?: TellFull | undefined;
  /** For tests. */
  now?: (() => number) | undefined;
}

interface OpenedPool {
  pool: FittingPool;
  /** Major version of the server. */
  major: number;
  /** Of the database, as PostgreSQL names it: `UTF8`. */
  encoding: string;
  /** Whether the pool does without what lasts longer than a transaction: statements by name, settings of the session. */
  isPooled: boolean;
  /** Whether something that is not PostgreSQL answered. */
  isThroughPooler: boolean;
  /** What an administrator has to set, since it cannot go with the start of a connection: statements of SQL. */
  unset: readonly string[];
}

function createPool({ base: given, tellFull, now }: PoolOptions, isPooled: boolean): FittingPool {
  // Processes that were started together must not connect anew together.
  const base = { ...given, maxLifetimeSeconds: Math.round(LIFETIME_SECONDS * (0.8 + 0.4 * Math.random())) };
  const own = {
    // Both go with the start of the connection, which is sooner than a SET and costs no round trip.
    options: OPTIONS.join(' '),
    statement_timeout: Math.floor(base.query_timeout * STATEMENT_SHARE),
  };
  const pool = new FittingPool(
    isPooled
      ? { config: base, Client: PatientClient, tellFull, now }
      : { config: { ...base, ...own }, Client: NamingClient, tellFull, now },
  );
  // A connection that the server closes must not end the process, neither an idle one nor one that is held between two
  // statements (the pool stops listening while it is held). The next statement on it fails, and the pool replaces it.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

interface Reached {
  version: string;
  pid: number;
  role: string;
  /** Of `FOR_SHORT_STATEMENTS`, those that are set otherwise. */
  otherwise: string[];
  /** `ISO, MDY`: the form of times, and the order of what is written in another one. */
  datestyle: string;
  encoding: string;
  /** Milliseconds. */
  statement_timeout: string;
}

/**
 * Asks over the first connection. PostgreSQL says at its start which process of the server answers on a connection, and a
 * pooler has to make up a number, since the processes change: where the two differ there is one. Throws where times would not be read.
 */
async function look(pool: Pool, queryTimeoutMs: number): Promise<Omit<OpenedPool, 'pool' | 'isPooled'>> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<Reached>(
      `select current_setting('server_version_num') as version, pg_backend_pid() as pid,
         format('alter role %I in database %I', session_user, current_database()) as role,
         (select coalesce(array_agg(name order by name), '{}') from json_each_text($1) as due (name, value)
          where current_setting(name) <> value) as otherwise,
         current_setting('datestyle') as datestyle, current_setting('server_encoding') as encoding,
         (select setting from pg_settings where name = 'statement_timeout') as statement_timeout`,
      [JSON.stringify(FOR_SHORT_STATEMENTS)],
    );
    const [found] = rows as [Reached];
    if (!found.datestyle.startsWith(FORM_OF_TIMES)) {
      const advice = `run this SQL once: ${found.role} set datestyle = ${FORM_OF_TIMES}`;
      throw new Error(
        `it gives times in another form than ${FORM_OF_TIMES} (DateStyle is ${found.datestyle}); ${advice}`,
      );
    }
    const timeout = Number(found.statement_timeout);
    const seconds = Math.floor((queryTimeoutMs * STATEMENT_SHARE) / 1000);
    return {
      major: Math.floor(Number(found.version) / 10_000),
      encoding: found.encoding,
      isThroughPooler: (client as unknown as { processID: number }).processID !== found.pid,
      unset: [
        ...Object.entries(FOR_SHORT_STATEMENTS).flatMap(([name, value]) =>
          found.otherwise.includes(name) ? [`${found.role} set ${name} = ${value}`] : [],
        ),
        ...(timeout > 0 && timeout < queryTimeoutMs ? [] : [`${found.role} set statement_timeout = '${seconds}s'`]),
      ],
    };
  } finally {
    client.release();
  }
}

/**
 * A pool whose first connection has been used. Through a pooler in transaction mode each transaction may run on another
 * connection of PostgreSQL: then nothing is prepared by name, and no setting is sent. Throws what the server or the
 * pooler says.
 */
export async function openPool(options: PoolOptions): Promise<OpenedPool> {
  const open = async (isPooled: boolean): Promise<OpenedPool> => {
    const pool = createPool(options, isPooled);
    try {
      return { pool, isPooled, ...(await look(pool, options.base.query_timeout)) };
    } catch (error) {
      await pool.end();
      throw error;
    }
  };
  if (options.pooled !== undefined) return open(options.pooled);
  const opened = await open(false).catch((error: Error) => {
    if (!REFUSED_SETTING.test(error.message)) throw error;
    return null;
  });
  if (opened?.isThroughPooler === false) return opened;
  await opened?.pool.end();
  return open(true);
}
