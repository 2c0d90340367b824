import type { EngineEndpoint, Ticket } from '../../src/modules/webhooks/engine/types.ts';

/** An endpoint as the engine knows it, without a limit that a test would meet by accident. */
export const engineEndpoint = (id: string, more: Partial<EngineEndpoint> = {}): EngineEndpoint => ({
  id,
  accountId: 'a',
  url: '',
  target: null,
  events: new Set(),
  headers: [],
  maxInFlight: 100,
  ratePerSecond: null,
  status: 'ACTIVE',
  failingSince: null,
  disabledFor: null,
  probeId: null,
  probes: 0,
  openedAt: null,
  afterPosition: 0,
  version: 1,
  ...more,
});

/** A first attempt that waits for its turn. */
export const ticketOf = (endpoint: EngineEndpoint, deliveryId: string): Ticket => ({
  deliveryId,
  endpoint,
  eventId: 'e',
  eventPosition: 1,
  webhook: 'offer.created',
  body: '{}',
  requestId: 'r',
  attempt: 1,
  isReplay: false,
  isTest: false,
  createdAt: 0,
  queuedAt: 0,
  lease: null,
  progress: null,
  faults: 0,
});
