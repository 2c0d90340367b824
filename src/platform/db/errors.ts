/** The server has ended a statement that took too long (`statement_timeout`, see open.ts). */
const QUERY_CANCELED = '57014';
/** What the address leads to takes no writes: after a failover a connection may still reach the old primary, which is a standby now. */
const READ_ONLY = '25006';
/** There is no database of that name: it was renamed, as for a restore. */
const NO_DATABASE = '3D000';
/** The server, database or role bounds how long a transaction is idle or lasts, and the server ended one with its connection. */
const TRANSACTION_TIMEOUTS = ['25P03', '25P04'];
/** It bounds how long a lock is waited for. */
const NO_LOCK = '55P03';
/**
 * SQLSTATE classes (PostgreSQL appendix A) that mean "not now": connection, resources, shutdown, and authorization, since a node whose role
 * was given another password opens no connection until it has that one.
 */
const AWAY_CLASSES = [
  '08',
  '28',
  '53',
  '57P',
  NO_DATABASE,
  QUERY_CANCELED,
  READ_ONLY,
  ...TRANSACTION_TIMEOUTS,
  NO_LOCK,
];
const AWAY_NODE = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH']);
/** All that node-postgres says without a code, in full: an error of our own may quote what somebody wrote. */
const AWAY_MESSAGES =
  /^(?:Connection terminated(?: unexpectedly| due to connection timeout)?|Query read timeout|timeout exceeded when trying to connect|Client (?:has encountered a connection error|was closed) and is not queryable)$/;

/** What no connection could be had for, whatever that was: a name that is not looked up, a certificate, a database that takes none. */
const REFUSALS = new WeakSet<Error>();

/** Marks why no connection was had, and gives it back. */
export function refusedBy(error: Error): Error {
  REFUSALS.add(error);
  return error;
}

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

/** The database cannot be reached or refuses work; the same statement may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof Error && REFUSALS.has(error)) return true;
  const code = codeOf(error);
  const isOfNode = (error as { syscall?: string } | null)?.syscall !== undefined;
  // First: EPIPE has the form of an SQLSTATE.
  if (isOfNode && AWAY_NODE.has(code)) return true;
  const fromDatabase = /^[0-9A-Z]{5}$/.test(code);
  if (fromDatabase) return AWAY_CLASSES.some((c) => code.startsWith(c));
  return AWAY_MESSAGES.test((error as Error | null)?.message ?? '');
}

/**
 * A row was on its way into a part of a table that takes its like no more, since another one was added meanwhile: a check that has no name
 * (PostgreSQL, ExecPartitionCheckEmitError; those of our tables have one).
 */
const isPartChanged = (error: unknown): boolean =>
  codeOf(error) === '23514' && (error as { constraint?: string }).constraint === undefined;

/** Deadlock, serialisation failure, or a part of a table that changed: the transaction left no trace and is run again. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes(codeOf(error)) || isPartChanged(error);

/** A statement that writes came to a server that takes no writes. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === READ_ONLY;

/** The role may not do it: it lacks a privilege, or does not own what it would change. */
export const isNotAllowed = (error: unknown): boolean => codeOf(error) === '42501';

/** A lock was not to be had within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === NO_LOCK;

/** It ran into a bound of the server, database or role: of a statement, a transaction, or the wait for a lock. */
export const isCutShort = (error: unknown): boolean =>
  [QUERY_CANCELED, NO_LOCK, ...TRANSACTION_TIMEOUTS].includes(codeOf(error));

/** The statement ran into `statement_timeout`. */
export const isCancelled = (error: unknown): boolean => codeOf(error) === '57014';

/** A unique constraint or index was violated; `constraint` names it. */
export function uniqueViolation(error: unknown): string | null {
  return codeOf(error) === '23505' ? ((error as { constraint?: string }).constraint ?? '') : null;
}
