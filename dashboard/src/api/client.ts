import { createClient } from '@posthorn/client';
import { listeningFetch } from './clock.ts';
import { userGuard } from './user-guard.ts';

/** Changes are sent only as long as the cookie is that of who is shown. */
const guardedFetch: typeof fetch = async (input, init) => {
  if ((init?.method ?? 'GET') !== 'GET') await userGuard.beforeChange();
  return listeningFetch(input, init);
};

/**
 * Calls of the signed-in user. There is no credential here: the browser sends the session's cookie along, which no script
 * can read. Waits for the service's `Retry-After` only as long as a person would.
 */
export const posthorn = createClient({ baseUrl: '', maxRetryWaitMs: 5000, fetch: guardedFetch });

/** Calls that tell themselves who it is: who signs in is not asked for before, since whose session ended would be nobody. */
export const visitor = createClient({ baseUrl: '', maxRetryWaitMs: 5000, fetch: listeningFetch });
