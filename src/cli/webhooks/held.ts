import type { Delivery, WebhookEndpoint } from '../../../client/src/index.ts';

type State = Pick<WebhookEndpoint, 'id' | 'accountId' | 'status' | 'statusReason'>;

/** What kept it when it was held; it may have ended since, and another may have come: only what is sent is looked at again. */
const HINDRANCES: Readonly<Record<string, string>> = {
  NO_SIGNING_SECRET: 'the account had no valid key to sign with',
  UNREADABLE_HEADERS: 'the endpoint’s own headers could not be read',
};

/** Why a HELD delivery is kept, and by which commands it is sent. */
export function heldBecause({ errorClass }: Pick<Delivery, 'errorClass'>, endpoint: State): string {
  const { id, accountId, status } = endpoint;
  const hindrance = HINDRANCES[errorClass ?? ''];
  if (status !== 'ACTIVE') {
    const reason = endpoint.statusReason === null ? '' : `, ${endpoint.statusReason}`;
    const besides = hindrance === undefined ? '' : `; when it was held, ${hindrance}`;
    return `the endpoint is ${status}${reason}${besides}: posthorn endpoints resume ${id}`;
  }
  const soon = 'it is sent within half a minute';
  if (errorClass === 'UNREADABLE_HEADERS')
    return `${hindrance}: ${soon} once posthorn endpoints update ${id} --headers … has set them again`;
  if (errorClass === 'NO_SIGNING_SECRET')
    return `${hindrance}: ${soon} once it has one (posthorn keys create <name> --scope webhooks:manage --account ${accountId})`;
  return `the endpoint was not open; it is now, and ${soon} if the account has a valid key (posthorn keys list --account ${accountId})`;
}
