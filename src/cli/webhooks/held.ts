import { newer } from '../output/newer.ts';
import { type Operations, PosthornError, type WebhookEndpoint } from '../../../client/src/index.ts';

type Held = Pick<Operations['getDelivery']['reply'], 'heldBy'>;
type State = Pick<WebhookEndpoint, 'id' | 'accountId' | 'statusReason'>;

const closed = (status: string, { id, statusReason }: State): string =>
  `the endpoint is ${status}${statusReason === null ? '' : `, ${statusReason}`}: posthorn endpoints resume ${id}`;

const OBSTACLES: Readonly<Record<string, ((endpoint: State) => string) | undefined>> = {
  ENDPOINT_PAUSED: (endpoint) => closed('PAUSED', endpoint),
  ENDPOINT_DISABLED: (endpoint) => closed('DISABLED', endpoint),
  NO_SIGNING_SECRET: ({ accountId }) =>
    `the account has no key that can be used to sign: posthorn keys create signing --scope webhooks:manage --account ${accountId}`,
  UNREADABLE_HEADERS: ({ id }) =>
    `the endpoint’s own headers cannot be read: posthorn endpoints update ${id} --headers …`,
};

/** All that keeps a HELD delivery now, each with the command that ends it, or by its name where a newer service tells of another; null: an older one does not tell. */
export function heldBecause(delivery: Held, endpoint: State): string | null {
  const heldBy = newer(delivery.heldBy);
  if (heldBy === undefined) return null;
  if (heldBy.length === 0) return 'of what has ended: it is sent within half a minute';
  return heldBy.map((obstacle) => OBSTACLES[obstacle]?.(endpoint) ?? obstacle).join('; ');
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
