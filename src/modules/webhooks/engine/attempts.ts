import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { loadOf } from '../../../lib/loop-load.ts';
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
  /** Whether the thread that makes attempts for this endpoint is about to have more than it can do. */
  isBusy(endpointId: string): boolean;
  /** What is under way ends as SHUTDOWN. */
  close(): Promise<void>;
}

/** An event loop that does something for more than this part of its time is about to be full: what comes at once waits for what came before. */
export const BUSY_LOAD = 0.85;

/** In this thread; `close` ends the sender, so that what is under way has an outcome before the leases are given back. */
export function attemptsHere(attempt: MakeAttempt, close: () => Promise<void>): Attempts {
  const load = loadOf(() => performance.eventLoopUtilization());
  return {
    warm: () => undefined,
    run: (ticket, _id, endpoint, keys) => attempt(ticket, endpoint, keys),
    isBusy: () => load() > BUSY_LOAD,
    close,
  };
}

/**
 * Per delivery the main thread works about as long as the one that sends (bench, plain HTTP at fan-out 10; HTTPS costs
 * the sender more), so beyond a few the main thread is what is full.
 */
const MAX_THREADS = 4;

/** One core is for requests and the database; a machine with one core sends in the same thread. */
export const defaultThreads = (): number => Math.min(MAX_THREADS, availableParallelism() - 1);
