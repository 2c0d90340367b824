import type { Client, Operations, WebhookEndpoint, WebhookEndpointHealth } from '@posthorn/client';
import { queryOptions } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { given } from '../lib/given.ts';

/** MERCHANT: endpoints for trades and listings. BUSINESS: subscriptions to space bookings. Both work alike. */
export type EndpointKind = 'MERCHANT' | 'BUSINESS';

export interface EndpointSettings {
  url: string;
  /** null: every event of the kind, also those to come. */
  events: string[] | null;
  description: string;
  /** Undefined: as they are. */
  headers?: Record<string, string>;
  maxInFlight: number | null;
  ratePerSecond: number | null;
}

interface Kind {
  /** Where the list is in the dashboard, and one of them. */
  all: '/a/$accountId/endpoints' | '/a/$accountId/subscriptions';
  one: '/a/$accountId/endpoints/$id' | '/a/$accountId/subscriptions/$id';
  /** "endpoint", as it stands in sentences. */
  noun: string;
  title: string;
  text: string;
}

export const KINDS: Readonly<Record<EndpointKind, Kind>> = {
  MERCHANT: {
    all: '/a/$accountId/endpoints',
    one: '/a/$accountId/endpoints/$id',
    noun: 'endpoint',
    title: 'Endpoints',
    text: 'Where your systems receive events about offers, trades, checkouts and listings.',
  },
  BUSINESS: {
    all: '/a/$accountId/subscriptions',
    one: '/a/$accountId/subscriptions/$id',
    noun: 'subscription',
    title: 'Booking subscriptions',
    text: 'Where your systems receive events about the space bookings of your business.',
  },
};

type Bodies = Operations['createEndpoint']['input']['body'] & Operations['createBusinessSubscription']['input']['body'];

/** The operations of a kind under one set of names. */
export interface EndpointCalls {
  list: (
    input: { accountId?: string; page?: number; limit?: number },
    signal?: AbortSignal,
  ) => Promise<Operations['listEndpoints']['reply']>;
  get: (id: string, signal?: AbortSignal) => Promise<WebhookEndpoint>;
  health: (id: string, signal?: AbortSignal) => Promise<WebhookEndpointHealth>;
  create: (accountId: string | undefined, settings: EndpointSettings) => Promise<WebhookEndpoint>;
  update: (id: string, settings: EndpointSettings) => Promise<WebhookEndpoint>;
  remove: (id: string) => Promise<unknown>;
  pause: (id: string) => Promise<WebhookEndpoint>;
  resume: (id: string) => Promise<WebhookEndpoint>;
  test: (id: string, event: string | undefined) => Promise<Operations['testEndpoint']['reply']>;
  /** An event of the past, as this webhook. */
  send: (id: string, eventId: string, event: string) => Promise<Operations['sendEventToEndpoint']['reply']>;
}

const withSignal = (signal: AbortSignal | undefined) => (signal ? { signal } : {});

/** The names of events come from the catalogue of the kind, so the service takes them. */
function created({ events, ...rest }: EndpointSettings): Bodies {
  return { ...rest, ...(events === null ? {} : { events }) } as Bodies;
}

function callsOf(api: Client, kind: EndpointKind): EndpointCalls {
  const merchant = kind === 'MERCHANT';
  const id = (value: string) => ({ id: value });
  return {
    list: (input, signal) => api[merchant ? 'listEndpoints' : 'listBusinessSubscriptions'](input, withSignal(signal)),
    get: (key, signal) => api[merchant ? 'getEndpoint' : 'getBusinessSubscription'](id(key), withSignal(signal)),
    health: (key, signal) =>
      api[merchant ? 'getEndpointHealth' : 'getBusinessSubscriptionHealth'](id(key), withSignal(signal)),
    create: (accountId, settings) =>
      api[merchant ? 'createEndpoint' : 'createBusinessSubscription']({
        ...given({ accountId }),
        body: created(settings),
      }),
    update: (key, settings) =>
      api[merchant ? 'updateEndpoint' : 'updateBusinessSubscription']({ id: key, body: settings as Bodies }),
    remove: (key) => api[merchant ? 'deleteEndpoint' : 'deleteBusinessSubscription'](id(key)),
    pause: (key) => api[merchant ? 'pauseEndpoint' : 'pauseBusinessSubscription'](id(key)),
    resume: (key) => api[merchant ? 'resumeEndpoint' : 'resumeBusinessSubscription'](id(key)),
    test: (key, event) =>
      api[merchant ? 'testEndpoint' : 'testBusinessSubscription']({
        id: key,
        body: given({ event }),
      }),
    send: (key, eventId, event) =>
      api[merchant ? 'sendEventToEndpoint' : 'sendEventToBusinessSubscription']({ id: key, body: { eventId, event } }),
  };
}

export const ENDPOINTS: Readonly<Record<EndpointKind, EndpointCalls>> = {
  MERCHANT: callsOf(posthorn, 'MERCHANT'),
  BUSINESS: callsOf(posthorn, 'BUSINESS'),
};

/** How often what is shown of an endpoint is renewed. Milliseconds. */
const HEALTH_EVERY_MS = 15_000;

export const endpointQuery = (kind: EndpointKind, id: string) =>
  queryOptions({
    queryKey: ['endpoints', kind, id],
    queryFn: ({ signal }) => ENDPOINTS[kind].get(id, signal),
    refetchInterval: HEALTH_EVERY_MS,
  });

export const healthQuery = (kind: EndpointKind, id: string) =>
  queryOptions({
    queryKey: ['endpoints', kind, id, 'health'],
    queryFn: ({ signal }) => ENDPOINTS[kind].health(id, signal),
    refetchInterval: HEALTH_EVERY_MS,
  });

export const endpointsQuery = (kind: EndpointKind, accountId: string | undefined, page = 1, limit = 20) =>
  queryOptions({
    queryKey: ['endpoints', kind, 'list', accountId ?? null, page, limit],
    queryFn: ({ signal }) => ENDPOINTS[kind].list(given({ accountId, page, limit }), signal),
    refetchInterval: HEALTH_EVERY_MS,
  });

/** Which kind of endpoint an account has; undefined: several accounts, or none that is known. */
export const kindOfAccount = (account: { type: string } | undefined): EndpointKind =>
  account?.type === 'BUSINESS' ? 'BUSINESS' : 'MERCHANT';

/** Which kind of endpoint takes a webhook (interface.md, sections 6.1 and 6.2). */
export const kindOf = (webhook: string): EndpointKind =>
  webhook.startsWith('space_booking.') ? 'BUSINESS' : 'MERCHANT';
