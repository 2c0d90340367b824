import { testDb } from './database.ts';

/**
 * Whether this is the run on PGlite of two: scripts/test.ts runs the same file on PostgreSQL then, which has all of what is only spread here.
 * By hand, or where there is no PostgreSQL, nothing is left out.
 */
export const isSpread = testDb === 'pglite' && process.env.TEST_SPREAD === '1';

/** Of what PostgreSQL is tried with in full, every `nth` on PGlite, beginning with the first. */
export const spread = <T>(all: readonly T[], nth: number): T[] =>
  isSpread ? all.filter((_, i) => i % nth === 0) : [...all];
