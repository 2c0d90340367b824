import type { Delivery, WebhookEndpoint } from '@posthorn/client';

type Waiting = Pick<Delivery, 'status' | 'nextAttemptAt' | 'isTest' | 'replayOf'>;

/**
 * Whether a delivery is not sent before its endpoint is resumed, whatever its time: it is held only when its turn comes. Tests
 * and replays are sent all the same, and the one that probes a disabled endpoint. False where the endpoint is not known.
 */
export function waitsForResume(
  { status, nextAttemptAt, isTest, replayOf }: Waiting,
  endpoint: Pick<WebhookEndpoint, 'status' | 'isProbing'> | undefined,
): boolean {
  if (endpoint === undefined || endpoint.status === 'ACTIVE') return false;
  if (status === 'HELD') return true;
  const isAnyway = isTest || replayOf !== null || endpoint.isProbing;
  return status === 'PENDING' && nextAttemptAt !== null && !isAnyway;
}
