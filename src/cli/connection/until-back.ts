import { setTimeout as wait } from 'node:timers/promises';
import { PosthornError } from '../../../client/src/index.ts';
import { interruption } from '../interrupt.ts';
import { remark } from '../output/print.ts';

/** Before the first further try while the service is away, and the longest wait before one. Milliseconds. */
const FIRST_MS = 1000;
const LONGEST_MS = 15_000;

/** UNEXPECTED_REPLY: a proxy answers for a service that is away. */
const AWAY: readonly string[] = ['CONNECTION_FAILED', 'TIMEOUT', 'UNAVAILABLE', 'UNEXPECTED_REPLY', 'RATE_LIMITED'];

const isAway = (error: unknown): error is PosthornError => error instanceof PosthornError && AWAY.includes(error.code);

/**
 * Asks until the service is there: one that is away is waited for, and that is told. For what goes on for ever, behind a
 * first answer: a wrong address is no service that comes back. Every other failure is the caller's; Ctrl-C ends it.
 */
export async function untilBack<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await ask();
      if (tries > 0) remark('The service answers again.');
      return answer;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (tries === 0) {
        const status = error.status === null ? '' : `, status ${error.status}`;
        const what =
          error.code === 'RATE_LIMITED' ? 'The service takes no more requests for now' : 'The service is away';
        remark(`${what} (${error.code}${status}); waiting for it.`);
      }
      await wait(Math.min(FIRST_MS * 2 ** tries, LONGEST_MS), undefined, { signal: interruption });
    }
  }
}
