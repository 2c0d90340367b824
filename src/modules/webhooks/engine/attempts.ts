import { availableParallelism } from 'node:os';
import type { AttemptEndpoint, AttemptOutcome, AttemptTicket, MakeAttempt, SigningKeys } from './types.ts';

/** Where attempts are made: in this thread, or on threads of their own. */
export interface Attempts {
  /** Attempts are to be expected. */
  warm(): void;
  /** Rejects only on a fault of ours; the delivery may have arrived all the same. */
  run(
    ticket: AttemptTicket,
    endpointId: string,
    endpoint: AttemptEndpoint,
    keys: readonly SigningKeys[],
  ): Promise<AttemptOutcome>;
  /** What is under way ends as SHUTDOWN. */
  close(): Promise<void>;
}

/** In this thread; `close` ends the sender, so that what is under way has an outcome before the leases are given back. */
export const attemptsHere = (attempt: MakeAttempt, close: () => Promise<void>): Attempts => ({
  warm: () => undefined,
  run: (ticket, _id, endpoint, keys) => attempt({ ...ticket, bytes: Buffer.from(ticket.body) }, endpoint, keys),
  close,
});

/**
 * Per delivery the main thread works about half as long as the one that sends (bench, plain HTTP at fan-out 10; HTTPS costs
 * the sender more), so beyond a few the main thread is what is full.
 */
const MAX_THREADS = 4;

/** One core is for requests and the database; a machine with one core sends in the same thread. */
export const defaultThreads = (): number => Math.min(MAX_THREADS, availableParallelism() - 1);
