import type { Client, Operations, WebhookEndpoint } from '../../../client/src/index.ts';
import { PosthornError } from '../../../client/src/index.ts';
import { Failure } from '../failure.ts';
import { calledAs } from '../option-names.ts';

/** MERCHANT: endpoints for trades and listings. BUSINESS: subscriptions to space bookings. */
export type EndpointKind = 'MERCHANT' | 'BUSINESS';

type Body = Omit<Operations['createEndpoint']['input']['body'], 'events'> & { events?: string[] };
type Change = Omit<Operations['updateEndpoint']['input']['body'], 'events'> & { events?: string[] | null };
type Call = { signal?: AbortSignal; timeoutMs?: number };

/** The operations of both kinds under one set of names. */
export interface EndpointCalls {
  kind: EndpointKind;
  list(input: Operations['listEndpoints']['input']): ReturnType<Client['listEndpoints']>;
  get(id: string): Promise<WebhookEndpoint>;
  health(id: string): Promise<Operations['getEndpointHealth']['reply']>;
  create(input: { accountId?: string; body: Body }, call?: Call): Promise<WebhookEndpoint>;
  update(id: string, body: Change): Promise<WebhookEndpoint>;
  remove(id: string, call?: Call): Promise<unknown>;
  pause(id: string): Promise<WebhookEndpoint>;
  resume(id: string): Promise<WebhookEndpoint>;
  test(id: string, event: string | undefined): Promise<Operations['testEndpoint']['reply']>;
  send(id: string, body: Operations['sendEventToEndpoint']['input']['body']): ReturnType<EndpointCalls['test']>;
  feed(input: Operations['getEndpointFeed']['input'], call?: Call): Promise<Operations['getEndpointFeed']['reply']>;
  ack(id: string, cursor: string): Promise<unknown>;
}

/** Names of events are checked by the service. */
type Both = Operations['createEndpoint']['input']['body'] & Operations['createBusinessSubscription']['input']['body'];
type BothChanges = Operations['updateEndpoint']['input']['body'] &
  Operations['updateBusinessSubscription']['input']['body'];

export function endpointCalls(client: Client, kind: EndpointKind): EndpointCalls {
  const isMerchant = kind === 'MERCHANT';
  return {
    kind,
    list: (input) => client[isMerchant ? 'listEndpoints' : 'listBusinessSubscriptions'](input),
    get: (id) => client[isMerchant ? 'getEndpoint' : 'getBusinessSubscription']({ id }),
    health: (id) => client[isMerchant ? 'getEndpointHealth' : 'getBusinessSubscriptionHealth']({ id }),
    create: ({ body, ...rest }, call) =>
      client[isMerchant ? 'createEndpoint' : 'createBusinessSubscription']({ ...rest, body: body as Both }, call),
    update: (id, body) =>
      client[isMerchant ? 'updateEndpoint' : 'updateBusinessSubscription']({ id, body: body as BothChanges }),
    remove: (id, call) => client[isMerchant ? 'deleteEndpoint' : 'deleteBusinessSubscription']({ id }, call),
    pause: (id) => client[isMerchant ? 'pauseEndpoint' : 'pauseBusinessSubscription']({ id }),
    resume: (id) => client[isMerchant ? 'resumeEndpoint' : 'resumeBusinessSubscription']({ id }),
    test: (id, event) =>
      client[isMerchant ? 'testEndpoint' : 'testBusinessSubscription']({
        id,
        body: event === undefined ? {} : { event },
      }),
    send: (id, body) => client[isMerchant ? 'sendEventToEndpoint' : 'sendEventToBusinessSubscription']({ id, body }),
    feed: (input, call) => client[isMerchant ? 'getEndpointFeed' : 'getBusinessSubscriptionFeed'](input, call),
    ack: (id, cursor) =>
      client[isMerchant ? 'ackEndpointFeed' : 'ackBusinessSubscriptionFeed']({ id, body: { cursor } }),
  };
}

/** The first that an attempt with each kind gives; `passes` says after which failure the other kind is worth a try. */
async function eitherKind<T>(
  client: Client,
  attempt: (calls: EndpointCalls) => Promise<T>,
  passes: (error: PosthornError) => boolean,
): Promise<T> {
  try {
    return await attempt(endpointCalls(client, 'MERCHANT'));
  } catch (error) {
    if (!(error instanceof PosthornError) || !passes(error)) throw error;
    return attempt(endpointCalls(client, 'BUSINESS')).catch((second: unknown) => {
      // Of two refusals the first one is about what was meant.
      throw second instanceof PosthornError && second.code === error.code ? error : second;
    });
  }
}

/** An endpoint by its id, which the argument or option of this name gave, and the operations of its kind. */
export const findEndpoint = (
  client: Client,
  id: string,
  givenBy: 'id' | 'endpoint' = 'id',
): Promise<{ endpoint: WebhookEndpoint; calls: EndpointCalls }> =>
  calledAs(
    { 'path.id': givenBy },
    eitherKind(
      client,
      async (calls) => ({ endpoint: await calls.get(id), calls }),
      ({ code }) => code === 'NOT_FOUND',
    ),
  );

/** Fails for the endpoint of `--endpoint` when there is none: a list of nothing would say that it is well. */
export async function checkEndpoint(client: Client, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  await findEndpoint(client, id, 'endpoint').catch((error: unknown) => {
    if (!(error instanceof PosthornError && error.code === 'NOT_FOUND')) throw error;
    throw new Failure(`there is no endpoint ${id}: see "posthorn endpoints list"`);
  });
}

/** An endpoint of the kind that the account takes. */
export const createOfEitherKind = (
  client: Client,
  input: { accountId?: string; body: Body },
  call?: Call,
): Promise<{ endpoint: WebhookEndpoint; calls: EndpointCalls }> =>
  eitherKind(
    client,
    async (calls) => ({ endpoint: await calls.create(input, call), calls }),
    // An account of the other kind, or names of events of the other kind.
    ({ code, details }) => code === 'FORBIDDEN' || details.some(({ path }) => path.startsWith('body.events')),
  );
