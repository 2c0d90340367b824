import type { WebhookName } from '../../../contracts/events/index.ts';
import type { TargetUrl } from '../../../platform/outbound/index.ts';
import type { DeliveryStatus } from './rules.ts';

export type EndpointStatus = 'ACTIVE' | 'PAUSED' | 'DISABLED';

/** An endpoint as the engine holds it in memory. Replaced as a whole when it changes. */
export interface EngineEndpoint {
  id: string;
  accountId: string;
  url: string;
  /** null: the stored address is refused by the present policy. */
  target: TargetUrl | null;
  /** null: every webhook of its kind. */
  events: ReadonlySet<WebhookName>;
  /** Flat list of custom header names and values. */
  headers: readonly string[];
  maxInFlight: number;
  ratePerSecond: number | null;
  status: EndpointStatus;
  afterPosition: number;
}

/** One attempt to make. */
export interface Ticket {
  deliveryId: string;
  endpoint: EngineEndpoint;
  eventId: string;
  eventPosition: number | null;
  webhook: WebhookName;
  body: string;
  requestId: string;
  /** 1..5 */
  attempt: number;
  isReplay: boolean;
  createdAt: number;
  /** Milliseconds on the monotonic clock: how long it has waited here. */
  queuedAt: number;
  /** Fresh: no row yet, the first outcome writes it. Claimed: the row is ours until this lease ends. */
  lease: { until: string } | null;
  /** The event in the fan-out's window that waits for this ticket's row. */
  progress: EventProgress | null;
}

/** An event that is being fanned out; done when every delivery of it has a row. */
export interface EventProgress {
  position: number;
  open: number;
  /** Which holding of the reader's lease it belongs to; what is left of an earlier one is forgotten. */
  generation: number;
}

export interface AttemptRecord {
  attempt: number;
  at: string;
  durationMs: number;
  /** Values of `X-Service-Signature` and `webhook-signature`. */
  signature: string;
  standardSignature: string;
  responseStatus: number | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
  errorClass: string | null;
  errorMessage: string | null;
}

/** What is to be written of a ticket. Without a record no attempt was made (held, or put off to later). */
export interface Result {
  ticket: Ticket;
  status: DeliveryStatus;
  attempts: number;
  nextAttemptAt: number | null;
  errorClass: string | null;
  /** Why the endpoint must not be called any more. */
  disable: string | null;
  record: AttemptRecord | null;
  at: number;
}
