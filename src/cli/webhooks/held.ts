import { type Delivery, PosthornError, type WebhookEndpoint } from '../../../client/src/index.ts';

type State = Pick<WebhookEndpoint, 'id' | 'accountId' | 'status' | 'statusReason'>;

/** What kept it when it was held; it may have ended since, and another may have come: only what is sent is looked at again. */
const HINDRANCES: Readonly<Record<string, string>> = {
  NO_SIGNING_SECRET: 'the account had no key that could be used to sign',
  UNREADABLE_HEADERS: 'the endpoint’s own headers could not be read',
};

/**
 * Why a HELD delivery is kept, and by which commands it is sent. What hinders it first is all that the service says of it, so of one whose
 * endpoint is open all that may hinder it is told: a promise that names one thing is broken by another.
 */
export function heldBecause({ errorClass }: Pick<Delivery, 'errorClass'>, endpoint: State): string {
  const { id, accountId, status } = endpoint;
  const hindrance = HINDRANCES[errorClass ?? ''];
  if (status !== 'ACTIVE') {
    const reason = endpoint.statusReason === null ? '' : `, ${endpoint.statusReason}`;
    const besides = hindrance === undefined ? '' : `; when it was held, ${hindrance}`;
    return `the endpoint is ${status}${reason}${besides}: posthorn endpoints resume ${id}`;
  }
  const key = `posthorn keys create signing --scope webhooks:manage --account ${accountId}`;
  const headers = `posthorn endpoints update ${id} --headers …`;
  return (
    `${hindrance ?? 'the endpoint was not open; it is now'}: it is sent within half a minute once the account has a key that can be used ` +
    `to sign (a new one: ${key}) and the endpoint’s own headers, if any, can be read (to set them again: ${headers})`
  );
}

/** The line of what is shown that tells it; none where `because` has nothing to tell, or what it asks the service for is refused: the rest is shown all the same. */
export async function heldLine(because: () => Promise<string | null>): Promise<[string, string][]> {
  try {
    const why = await because();
    return why === null ? [] : [['held because', why]];
  } catch (error) {
    if (error instanceof PosthornError) return [];
    throw error;
  }
}
