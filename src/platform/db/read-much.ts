import { sql } from 'kysely';
import { AppError } from '../../contracts/errors.ts';
import { createGate, GateFullError } from '../../lib/gate.ts';
import { readWithin } from './read-within.ts';
import type { Reads } from './replica/reads.ts';
import type { Db } from './types.ts';

/** A statement that counts millions of rows takes a second or two; what takes this long is asked too much. Milliseconds. */
const PATIENCE_MS = 10_000;
/** Processes that the server starts for a count besides its own: PostgreSQL's default. Its `max_parallel_workers` is the bound of all. */
const WORKERS = '2';
/** Counts of a process at once: each may keep several cores of the database busy. More wait, up to so many. */
const AT_ONCE = 2;
const WAITING = 20;

const gate = createGate(AT_ONCE, WAITING);
const headers = { 'retry-after': '5' };

/**
 * Reads that go over many rows, such as counts over time: few at once, so that they do not hold up everything else, and
 * none for long. `read` gets a transaction for all that it reads. Throws UNAVAILABLE when too many wait already, and when
 * a statement takes longer than 10 s.
 */
export async function readMuch<T>(reads: Reads, read: (db: Db) => Promise<T>): Promise<T> {
  const unhindered = (): Promise<{ value: T } | null> =>
    // Who waits at the gate holds no connection.
    reads((db) =>
      readWithin(db, PATIENCE_MS, async (trx) => {
        // Compiling the statement takes longer than it saves (measured: 0.3 s of a count that takes one). Other processes do not.
        await sql`select set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', ${WORKERS}, true)`.execute(
          trx,
        );
        return { value: await read(trx) };
      }),
    );
  const found = await gate(unhindered).catch((error: unknown) => {
    if (!(error instanceof GateFullError)) throw error;
    throw new AppError('UNAVAILABLE', { message: 'Too many counts are waiting.', headers, cause: error });
  });
  if (found === null) {
    throw new AppError('UNAVAILABLE', { message: 'There is too much to count; ask for a shorter time.', headers });
  }
  return found.value;
}
