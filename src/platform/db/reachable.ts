import { sql } from 'kysely';
import type { Db } from './types.ts';

/** A load balancer asks every few seconds and waits about as long: a database that takes longer is away. Milliseconds. */
const ANSWER_MS = 2000;

/** Whether the database answers now. Throws or is false when it does not; on one that hangs it takes as long as a query may. */
export const isReachable = async (db: Db): Promise<boolean> => (await sql`select 1`.execute(db)).rows.length === 1;

/**
 * Makes a question that is answered within `withinMs`, with false when `ask` has no answer by then or fails. Whoever asks
 * meanwhile gets the same answer: the callers of /readyz must not use up the connections of a database that hangs.
 */
export function answeredWithin(ask: () => Promise<boolean>, withinMs = ANSWER_MS): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  const askOnce = async (): Promise<boolean> => {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, withinMs, false);
    try {
      return await Promise.race([ask().catch(() => false), late]);
    } finally {
      clearTimeout(timer);
      asking = undefined;
    }
  };
  return () => (asking ??= askOnce());
}
