import { type Client, createClient } from '../../client/src/index.ts';
import type { SeenReply } from './contract.ts';

/** What holds a reply against openapi.json, and throws for one that is not declared. */
export type CheckReply = (seen: SeenReply) => void;

const checkedFetch =
  (check: CheckReply): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const type = response.headers.get('content-type');
    // A stream may have no end; those who read one look at its lines.
    if (type !== null && !type.startsWith('application/json')) return response;
    const text = await response.clone().text();
    const { pathname: path } = new URL(response.url);
    const { status, headers } = response;
    check({ method: init?.method ?? 'GET', path, status, headers, body: text === '' ? undefined : JSON.parse(text) });
    return response;
  };

/**
 * The client library, as a program of a user has it. It does not repeat what fails: a test wants to see the first
 * answer. A reply that is not declared comes as CONNECTION_FAILED with the reason as its `cause`.
 */
export const checkedClient = (baseUrl: string, credential: string | undefined, check: CheckReply): Client =>
  createClient({
    baseUrl,
    maxRetries: 0,
    fetch: checkedFetch(check),
    ...(credential === undefined ? {} : { credential }),
  });
