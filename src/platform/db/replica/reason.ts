import { isDatabaseAway, isReadOnly, isRetryable } from '../errors.ts';

/**
 * Why the primary has read. `starting`: no probe has ended yet; `conflict`: recovery has cancelled the read; `primary`: it did
 * not say where its log ends; `error`: whatever else.
 */
export const REASONS = ['starting', 'away', 'late', 'promoted', 'foreign', 'conflict', 'primary', 'error'] as const;
export type Reason = (typeof REASONS)[number];

/** The replica has not read. */
export class NotRead extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(`the replica was not read from: ${reason}`);
    this.reason = reason;
  }
}

/** Why a read on the replica failed. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof NotRead) return error.reason;
  // Recovery cancels by these codes, also where it ends the connection.
  if (isRetryable(error)) return 'conflict';
  // What writes is no read, and belongs to the primary.
  return isDatabaseAway(error) && !isReadOnly(error) ? 'away' : 'error';
}
