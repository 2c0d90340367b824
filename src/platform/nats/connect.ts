import { setTimeout as pause } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { natsServersOf } from './servers.ts';

const RETRY_MS = 1000;
const TIMEOUT_MS = 5000;
/** After two of these without an answer a connection counts as broken: the other end may be gone without a word. */
const PING_MS = 10_000;

/**
 * A connection that is opened again for ever; waits until there is one. Rejects when `signal` is aborted. `onFailure` is
 * told why each try came to nothing; what it is told holds no credentials.
 */
export async function connectTo(
  url: string,
  name: string,
  signal: AbortSignal,
  onFailure: (error: unknown) => void = () => undefined,
): Promise<NatsConnection> {
  const servers = natsServersOf(url);
  for (;;) {
    signal.throwIfAborted();
    const options = { ...servers, name, timeout: TIMEOUT_MS, pingInterval: PING_MS, maxPingOut: 2 };
    // A server that is overrun or loads its settings anew refuses for a moment those that it knows.
    const forEver = { maxReconnectAttempts: -1, reconnectTimeWait: RETRY_MS, ignoreAuthErrorAbort: true };
    const opened = await connect({ ...options, ...forEver }).catch((error: unknown) => {
      onFailure(error);
      return null;
    });
    if (opened && !signal.aborted) return opened;
    await opened?.close();
    await pause(RETRY_MS, undefined, { signal });
  }
}
