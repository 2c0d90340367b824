import { AuthorizationError, type NatsConnection, UserAuthenticationExpiredError } from '@nats-io/transport-node';

/** What is told of a connection. */
export interface Watching {
  lost(): void;
  back(): void;
  /** The server is there, and refuses who asks. */
  refused?(error: Error): void;
}

/** Whether a server refused who asks: it is reached, so this is no matter of networks. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError;

/**
 * Tells of a connection that is opened again for ever, until it is closed. It is lost once, and refused once, until it is back: each
 * try that a server refuses is another connection that is lost, one a second.
 */
export async function watchConnection(connection: Pick<NatsConnection, 'status'>, watching: Watching): Promise<void> {
  let [isLost, isRefused] = [false, false];
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' && !isLost) {
      isLost = true;
      watching.lost();
    } else if (status.type === 'error' && isRefusal(status.error) && !isRefused) {
      isRefused = true;
      watching.refused?.(status.error);
    } else if (status.type === 'reconnect') {
      [isLost, isRefused] = [false, false];
      watching.back();
    }
  }
}
