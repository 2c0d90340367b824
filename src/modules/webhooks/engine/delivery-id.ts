import { hash } from 'node:crypto';
import type { WebhookName } from '../../../contracts/events/index.ts';

/** Up to here an id of version 7 is time and counter: 48 bits of milliseconds, the version, 12 bits that ascend within one. */
export const TIME_LENGTH = '00000000-0000-7000-'.length;
const VARIANT = ['8', '9', 'a', 'b'] as const;

/**
 * The id of an event's first delivery of this webhook to this endpoint: always the same one, so that its row can be
 * written twice without harm, and a first attempt that is repeated after a crash says that it is a repetition. A UUID of
 * version 7 with time and counter of the event's id; its 62 random bits are those of a SHA-256 over all three. Two
 * deliveries can only meet in one id if their events share a millisecond and a counter: of a million deliveries of one
 * event, with a probability of 1 in 9 million.
 */
export function deliveryIdOf(eventId: string, endpointId: string, webhook: WebhookName): string {
  const digest = hash('sha256', `${eventId} ${endpointId} ${webhook}`, 'hex');
  const variant = VARIANT[Number.parseInt(digest[0] as string, 16) & 3];
  return `${eventId.slice(0, TIME_LENGTH)}${variant}${digest.slice(1, 4)}-${digest.slice(4, 16)}`;
}

/** Where the first deliveries of an event are in the order of ids: from the one id to the other, both included. */
export function idRangeOf(eventId: string): { from: string; to: string } {
  const time = eventId.slice(0, TIME_LENGTH);
  return { from: `${time}8000-000000000000`, to: `${time}bfff-ffffffffffff` };
}
