import type { FeedItem } from '../../../client/src/index.ts';
import { untilBack } from '../connection/until-back.ts';
import { interruption } from '../interrupt.ts';
import type { Listening } from './temporary-endpoint.ts';

/** How long the service holds a question while there is nothing. Seconds. */
const WAIT_SECONDS = 25;
/** Longest wait for its answer beyond that. Milliseconds. */
const TIMEOUT_MS = 15_000;
/** Where to begin: behind a cursor, or as the service has it. */
export type Start = { cursor: string } | { from: 'start' | 'now' } | Record<string, never>;

/** The webhooks of an endpoint as they come, without end. A service that is away is waited for. Ends by throwing. */
export async function* readFeed({ id, calls }: Listening, start: Start): AsyncGenerator<FeedItem> {
  for (let place: Start = start; ; ) {
    const query = { id, ...place, limit: 100, wait: WAIT_SECONDS };
    const page = await untilBack(() => calls.feed(query, { signal: interruption, timeoutMs: TIMEOUT_MS }));
    yield* page.data;
    place = { cursor: page.nextCursor };
  }
}
