import { setTimeout as wait } from 'node:timers/promises';
import { type FeedItem, PosthornError } from '../../../client/src/index.ts';
import { interruption } from '../interrupt.ts';
import { remark } from '../output/print.ts';
import type { Listening } from './temporary-endpoint.ts';

/** How long the service holds a question while there is nothing. Seconds. */
const WAIT_SECONDS = 25;
/** Longest wait for its answer. Milliseconds. */
const TIMEOUT_MS = (WAIT_SECONDS + 15) * 1000;
/** Before the next try while the service is away. Milliseconds. */
const AWAY_MS = 2000;

const AWAY: readonly string[] = ['CONNECTION_FAILED', 'TIMEOUT', 'UNAVAILABLE', 'UNEXPECTED_REPLY', 'RATE_LIMITED'];

const isAway = (error: unknown): error is PosthornError => error instanceof PosthornError && AWAY.includes(error.code);

/** Where to begin: behind a cursor, or as the service has it. */
export type Start = { cursor: string } | { from: 'start' | 'now' } | Record<string, never>;

/** Asks until the service is there: one that is away is waited for. Every other failure is the caller's. */
export async function untilBack<T>(ask: () => Promise<T>): Promise<T> {
  for (let wasAway = false; ; wasAway = true) {
    try {
      const answer = await ask();
      if (wasAway) remark('The service is back.');
      return answer;
    } catch (error) {
      if (!isAway(error)) throw error;
      if (!wasAway) remark(`The service is away (${error.code}); waiting for it.`);
      await wait(AWAY_MS, undefined, { signal: interruption });
    }
  }
}

/** The webhooks of an endpoint as they come, without end. A service that is away is waited for. Ends by throwing. */
export async function* readFeed({ id, calls }: Listening, start: Start): AsyncGenerator<FeedItem> {
  for (let place: Start = start; ; ) {
    const query = { id, ...place, limit: 100, wait: WAIT_SECONDS };
    const page = await untilBack(() => calls.feed(query, { signal: interruption, timeoutMs: TIMEOUT_MS }));
    yield* page.data;
    place = { cursor: page.nextCursor };
  }
}
