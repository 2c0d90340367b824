import type { Delivery, WebhookEndpoint } from '@posthorn/client';

type Waiting = Pick<Delivery, 'status' | 'nextAttemptAt' | 'isTest' | 'replayOf'>;

/**
 * What a delivery waits for in place of a time: it is held only when its turn comes. A paused endpoint is resumed by somebody; a
 * disabled one opens when a delivery arrives that it is tried with, by itself or since somebody resumed it. Tests and replays are
 * sent all the same, and the one that it is tried with, which is due at once (`now`, in milliseconds). Null: for nothing but its
 * time, also where the endpoint is not known.
 */
export function waitsFor(
  { status, nextAttemptAt, isTest, replayOf }: Waiting,
  endpoint: Pick<WebhookEndpoint, 'status' | 'isProbing'> | undefined,
  now: number,
): 'RESUME' | 'OPENING' | null {
  if (endpoint === undefined || endpoint.status === 'ACTIVE') return null;
  const closed = endpoint.status === 'PAUSED' ? 'RESUME' : 'OPENING';
  if (status === 'HELD') return closed;
  if (status !== 'PENDING' || nextAttemptAt === null || isTest || replayOf !== null) return null;
  return endpoint.isProbing && Date.parse(nextAttemptAt) <= now ? null : closed;
}
