import type { Delivery, WebhookEndpoint } from '../../../client/src/index.ts';

type State = Pick<WebhookEndpoint, 'id' | 'status' | 'statusReason'>;

/** Why a HELD delivery is kept, and by which command it is sent. */
export function heldBecause({ errorClass }: Pick<Delivery, 'errorClass'>, endpoint: State): string {
  if (errorClass === 'NO_SIGNING_SECRET')
    return 'the account has no valid key to sign with: posthorn keys create, and it is sent within half a minute';
  if (errorClass === 'UNREADABLE_HEADERS')
    return `the endpoint’s own headers cannot be read: posthorn endpoints update ${endpoint.id} --headers … sets them again`;
  if (endpoint.status === 'ACTIVE') return 'the endpoint was not open; it is now, and it is sent within half a minute';
  const reason = endpoint.statusReason === null ? '' : `, ${endpoint.statusReason}`;
  return `the endpoint is ${endpoint.status}${reason}: posthorn endpoints resume ${endpoint.id}`;
}
