import { hostname } from 'node:os';
import { PosthornError } from '../../../client/src/index.ts';
import type { Connection } from '../connection/connect.ts';
import { lingering } from '../interrupt.ts';
import { createOfEitherKind, type EndpointCalls, findEndpoint } from '../connection/endpoints.ts';

/** Never resolved by anybody (RFC 2606): what would be sent before the pause reaches no one. */
const NOWHERE = 'https://posthorn-listen.invalid/';

/** How long the service may take to answer for what was made, after Ctrl-C. Milliseconds. */
const GRACE_MS = 5000;

/** An endpoint whose feed is read. */
export interface Listening {
  id: string;
  accountId: string;
  calls: EndpointCalls;
  isTemporary: boolean;
  /** Removes it when it was made for this run. */
  release(signal: AbortSignal): Promise<void>;
}

/**
 * A new endpoint that is paused at once: it is only there to be read. Its feed begins with its creation, so nothing that
 * is published from now on is missed.
 */
export async function temporaryEndpoint(
  { client }: Connection,
  { accountId, events }: { accountId?: string | undefined; events?: readonly string[] | undefined },
): Promise<Listening> {
  const body = {
    url: NOWHERE,
    description: `posthorn listen on ${hostname()}, process ${process.pid}; deleted when it ends`.slice(0, 200),
    ...(events === undefined ? {} : { events: [...events] }),
  };
  const input = { ...(accountId === undefined ? {} : { accountId }), body };
  // Broken off, it might be there all the same, and nobody would know its id.
  const { endpoint, calls } = await createOfEitherKind(client, input, { signal: lingering(GRACE_MS) });
  const release = async (signal: AbortSignal): Promise<void> => {
    await calls.remove(endpoint.id, { signal }).catch((error: unknown) => {
      // Somebody else was faster.
      if (!(error instanceof PosthornError && error.code === 'NOT_FOUND')) throw error;
    });
  };
  const listening = { id: endpoint.id, accountId: endpoint.accountId, calls, isTemporary: true, release };
  try {
    await calls.pause(endpoint.id);
  } catch (error) {
    await release(AbortSignal.timeout(5000));
    throw error;
  }
  return listening;
}

/** The endpoint of `--endpoint`, which stays as it is. */
export async function existingEndpoint({ client }: Connection, id: string): Promise<Listening> {
  const { endpoint, calls } = await findEndpoint(client, id, 'endpoint');
  return { id, accountId: endpoint.accountId, calls, isTemporary: false, release: async () => undefined };
}
