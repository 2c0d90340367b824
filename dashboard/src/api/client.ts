import { createClient } from '@posthorn/client';
import { listeningFetch } from './clock.ts';

/**
 * Calls of the signed-in user. There is no credential here: the browser sends the session's cookie along, which no script
 * can read. Waits for the service's `Retry-After` only as long as a person would.
 */
export const posthorn = createClient({ baseUrl: '', maxRetryWaitMs: 5000, fetch: listeningFetch });
