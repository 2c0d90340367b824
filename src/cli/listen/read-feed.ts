import type { FeedItem } from '../../../client/src/index.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { untilBack } from '../connection/until-back.ts';
import { interruption } from '../interrupt.ts';
import type { Listening } from './temporary-endpoint.ts';

/** How long the service holds a question while there is nothing. Seconds. */
const WAIT_SECONDS = 25;
/** Longest wait for its answer beyond that. Milliseconds. */
const TIMEOUT_MS = 15_000;
/** Where to begin: behind a cursor, or as the service has it. */
export type Start = { cursor: string } | { from: 'start' | 'now' } | Record<string, never>;

/** A page is signed as a whole when it is given. Older than this it is asked for again, well within the 300 s of a verifier. Milliseconds. */
const FRESH_MS = 60_000;

/**
 * The webhooks of an endpoint as they come, without end, each with a signature that is no older than a minute however long
 * the one before took. A service that is away is waited for. Ends by throwing.
 */
export async function* readFeed(
  { id, calls }: Pick<Listening, 'id' | 'calls'>,
  start: Start,
  clock: Clock = systemClock,
): AsyncGenerator<FeedItem> {
  for (let place: Start = start; ; ) {
    const query = { id, ...place, limit: 100, wait: WAIT_SECONDS };
    const page = await untilBack(() => calls.feed(query, { signal: interruption, timeoutMs: TIMEOUT_MS }));
    // Not the monotonic clock, which may stand still while the machine sleeps: verifiers have this one.
    const readAt = clock.now();
    let isFresh = true;
    for (const item of page.data) {
      isFresh = clock.now() - readAt <= FRESH_MS;
      if (!isFresh) break;
      yield item;
      place = { cursor: item.cursor };
    }
    if (isFresh) place = { cursor: page.nextCursor };
  }
}
