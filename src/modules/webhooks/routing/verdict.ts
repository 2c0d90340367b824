import type { WebhookName } from '../../../contracts/events/index.ts';
import { BY_REQUEST, PULLED, REPLAYED } from '../deliveries/ending-store.ts';
import type { DeliveryRow } from '../deliveries/store.ts';
import { subscribedTo, webhooksOf } from '../endpoints/schemas.ts';
import { type DeliveryStatus, MAX_ATTEMPTS, mismatch } from '../engine/rules.ts';
import type { RoutingCode } from './schemas.ts';
import type { AudienceEndpoint } from './store.ts';

export interface Finding {
  code: RoutingCode;
  message: string;
}

/** The event, as far as it matters here. */
export interface RoutedEvent {
  position: number;
  recordedAt: Date;
  /** The fan-out has passed it: what has no row gets none. */
  fannedOut: boolean;
  /** What was sent of it to the endpoint's account so long ago is not kept. */
  isPastRetention: boolean;
}

const found = (code: RoutingCode, message: string): Finding => ({ code, message });
const at = (time: Date): string => time.toISOString();

type OfDelivery = Pick<DeliveryRow, 'status' | 'attempts' | 'next_attempt_at' | 'error_class' | 'discard_reason'>;

const STATUS_SAYS: { [S in DeliveryStatus]: (delivery: OfDelivery) => string } = {
  DELIVERED: () => 'It was delivered.',
  PENDING: ({ attempts, next_attempt_at: next, error_class: error }) =>
    attempts === 0
      ? 'Its first attempt is to come.'
      : `${attempts} of ${MAX_ATTEMPTS} attempts failed, the last with ${error ?? 'an error'}; the next is due at ${next === null ? 'once' : at(next)}.`,
  HELD: ({ error_class: error }) => {
    if (error === 'NO_SIGNING_SECRET') return 'It is kept: the account had no key that could be used to sign.';
    if (error === 'UNREADABLE_HEADERS')
      return 'It is kept: the custom headers of the endpoint could not be read; set them again.';
    return 'It is kept: the endpoint is paused or disabled.';
  },
  DEAD: ({ attempts, error_class: error }) =>
    `It is a dead letter: ${attempts} attempts failed, the last with ${error ?? 'an error'}.`,
  DISCARDED: ({ error_class: error, discard_reason: reason }) => {
    if (error === REPLAYED) return 'It was ended when it was replayed.';
    if (error === PULLED) return 'It was ended: it was read from the feed of the endpoint.';
    return error === BY_REQUEST ? `It was discarded: ${reason ?? ''}` : 'It was discarded: its endpoint was deleted.';
  },
};

/** Of several deliveries (replays), newest first: one that has arrived says it all, else the newest one does. */
export function findingOf(deliveries: readonly OfDelivery[], arrived: boolean): Finding {
  const newest = deliveries[0] as OfDelivery;
  return arrived
    ? found('DELIVERED', STATUS_SAYS.DELIVERED(newest))
    : found(newest.status, STATUS_SAYS[newest.status](newest));
}

/** Whether an endpoint takes the webhook as both are now. */
export const takesNow = (endpoint: AudienceEndpoint, webhook: WebhookName): boolean =>
  endpoint.deleted_at === null && subscribedTo(endpoint).includes(webhook);

/** What an endpoint was like at an earlier time is not kept, so this says what is known and no more. */
function notSubscribed(endpoint: AudienceEndpoint, { recordedAt, fannedOut }: RoutedEvent): Finding {
  if (!fannedOut) return found('NOT_SUBSCRIBED', 'The events of the endpoint do not have it, as they are now.');
  return found(
    'NOT_SUBSCRIBED',
    endpoint.updated_at < recordedAt
      ? 'The events of the endpoint do not have it, and the endpoint was not changed since the event.'
      : `The events of the endpoint do not have it. The endpoint was changed at ${at(endpoint.updated_at)}, after the event; what it was like before is not kept, but nothing was sent.`,
  );
}

function deleted(deletedAt: Date, { recordedAt, fannedOut }: RoutedEvent): Finding {
  const when = `The endpoint was deleted at ${at(deletedAt)}`;
  if (deletedAt < recordedAt) return found('ENDPOINT_DELETED', `${when}, before the event.`);
  return found(
    'ENDPOINT_DELETED',
    fannedOut
      ? `${when}, after the event was recorded. When the event was fanned out, the endpoint was gone or had not subscribed to it; which of the two is not kept.`
      : `${when}.`,
  );
}

/** Why an endpoint has no delivery of a webhook of an event. */
export function findingWithout(endpoint: AudienceEndpoint, webhook: WebhookName, event: RoutedEvent): Finding {
  const own = { events: new Set(subscribedTo(endpoint)), afterPosition: endpoint.after_position };
  const why = mismatch(own, webhook, event.position);
  if (why === 'ENDPOINT_CREATED_LATER') {
    return found(
      why,
      `The endpoint was created at ${at(endpoint.created_at)}, when the event had its place in the log already.`,
    );
  }
  if (!webhooksOf(endpoint.kind).includes(webhook)) {
    return found('WRONG_KIND', `An endpoint of kind ${endpoint.kind} never takes this webhook.`);
  }
  const wasGone = endpoint.deleted_at !== null && endpoint.deleted_at < event.recordedAt;
  if (event.isPastRetention && event.fannedOut && !wasGone) {
    return found('EXPIRED', 'Deliveries of that time are not kept any more, so what was sent is not known.');
  }
  if (endpoint.deleted_at !== null) return deleted(endpoint.deleted_at, event);
  if (why !== null) return notSubscribed(endpoint, event);
  return event.fannedOut
    ? found('SUBSCRIBED_LATER', 'The endpoint takes it now, but did not when the event was fanned out.')
    : found(
        'NOT_REACHED_YET',
        'The endpoint takes it: it is about to be sent, or its first attempt is under way. What comes of that is shown when it ends.',
      );
}
