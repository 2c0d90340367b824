import type { WebhookName } from '../../../contracts/events/index.ts';
import type { SigningSecret } from '../../accounts/index.ts';
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
  /** There are headers that the master key of this process does not open: nothing can be sent. */
  isSealed?: boolean;
  maxInFlight: number;
  ratePerSecond: number | null;
  status: EndpointStatus;
  /** Since when nothing but failures came back; null: the last that came back was a success. Milliseconds since the epoch. */
  failingSince: number | null;
  disabledFor: 'GONE' | 'FAILING' | null;
  /** The one delivery that is sent though the endpoint is disabled. */
  probeId: string | null;
  /** Failed probes since it was disabled. */
  probes: number;
  /** When it was last opened after it had been closed; null: never. Milliseconds since the epoch. */
  openedAt: number | null;
  afterPosition: number;
  /** The change version under which it was written. */
  version: number;
  /** When it was changed last; absent: not since it was made. Milliseconds since the epoch. */
  changedAt?: number;
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
  /** An invented example, of no event. */
  isTest: boolean;
  createdAt: number;
  /** Milliseconds on the monotonic clock: how long it has waited here. */
  queuedAt: number;
  /** Fresh: no row yet, the first outcome writes it. Claimed: the row is ours until this lease ends. */
  lease: { until: string } | null;
  /** The event in the fan-out's window that waits for this ticket's row. */
  progress: EventProgress | null;
  /** How often our own code failed on it since its last attempt. */
  faults: number;
}

/** What an endpoint is to the one who makes the attempt. */
export type AttemptEndpoint = Pick<EngineEndpoint, 'accountId' | 'target' | 'headers' | 'changedAt'>;

/** The HMAC keys of a signing secret. */
export type SigningKeys = Pick<SigningSecret, 'key' | 'rawKey'>;

/** What the headers of a request say about its delivery. */
export type Heading = Pick<Ticket, 'webhook' | 'eventId' | 'deliveryId' | 'attempt' | 'isReplay' | 'isTest'>;

/** One attempt, apart from where it goes and who signs it. */
export type AttemptTicket = Heading & Pick<Ticket, 'body'>;

/** Makes one attempt: a new timestamp and signature, one POST, a verdict. Rejects only on a fault of ours. */
export type MakeAttempt = (
  input: AttemptTicket,
  endpoint: AttemptEndpoint,
  keys: readonly SigningKeys[],
) => Promise<AttemptOutcome>;

/** An event that is being fanned out; done when every delivery of it has a row. */
export interface EventProgress {
  position: number;
  /** The position of the event before it, as far as the cursor goes while this one is not done. */
  before: number;
  open: number;
  /** Which holding of the reader's lease it belongs to; what is left of an earlier one is forgotten. */
  generation: number;
}

export interface AttemptRecord {
  attempt: number;
  at: string;
  durationMs: number;
  /** Name lookup, TCP and TLS; absent when a kept connection was used. Milliseconds. */
  connectMs?: number | undefined;
  /** From the start until the reply's headers were there; absent without a reply. Milliseconds. */
  firstByteMs?: number | undefined;
  /** Values of `X-Service-Signature` and `webhook-signature`. */
  signature: string;
  standardSignature: string;
  responseStatus: number | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
  errorClass: string | null;
  errorMessage: string | null;
  /**
   * Where it went, and the names of the endpoint's own headers, if there were any. Absent of a delivery that arrived by its first attempt, unless its
   * endpoint was changed just before (`isJustChanged`): nobody looks for its cause, and nearly all rows are of these. Where it went is known by its time
   * (endpoints/former-store.ts).
   */
  url?: string | undefined;
  headerNames?: readonly string[] | undefined;
}

/** What became of a delivery. */
export interface AttemptOutcome {
  status: DeliveryStatus;
  attempts: number;
  /** Milliseconds since the epoch; only for PENDING. */
  nextAttemptAt: number | null;
  errorClass: string | null;
  /** Why the endpoint must not be called any more. */
  disable: string | null;
  /** An AttemptRecord as a line of JSON; null when no attempt was made (held, or put off to later). */
  log: string | null;
  /** How long the attempt took; 0 when none was made. Milliseconds. */
  durationMs: number;
  at: number;
}

/** What is to be written of a ticket. */
export interface Result extends AttemptOutcome {
  ticket: Ticket;
}
