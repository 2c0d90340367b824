export { lines, texts, times, tokens } from './array-literal.ts';
export { bumpVersion, changeStamp, onVersionBumped, readStamp, readVersions } from './change-versions.ts';
export { isCancelled, isDatabaseAway, isLockTimeout, isRetryable, uniqueViolation } from './errors.ts';
export { loadMigrations, migrate } from './migrate.ts';
export { type Database, openPglite, openPostgres } from './open.ts';
export { readWithin } from './read-within.ts';
export { answeredWithin, isReachable } from './reachable.ts';
export { afterCommit, inTransaction } from './transaction.ts';
export type { Db, Env, Trx } from './types.ts';
