import type { Clock } from '../../../lib/clock.ts';
import type { OutboundOutcome, Sender } from '../../../platform/outbound/index.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import { judge } from './rules.ts';
import { type Signatures, sign } from './sign.ts';
import type { Result, Ticket } from './types.ts';

/** A delivery that cannot be signed waits this long for a key. Milliseconds. */
const NO_SECRET_WAIT_MS = 60_000;

export interface AttemptDeps {
  sender: Sender;
  clock: Clock;
  random(): number;
  secretsOf(accountId: string): readonly SigningSecret[];
  timeoutMs: number;
  userAgent: string;
}

/** Signatures of the last body: endpoints of one account get the same within a second. */
interface Memo {
  body: string;
  timestamp: number;
  secrets: readonly SigningSecret[];
  value: Signatures;
}

/** What a request's headers say about it. */
export type Heading = Pick<Ticket, 'eventId' | 'deliveryId' | 'attempt' | 'isReplay'>;

/** The headers of one attempt, without the endpoint's own (contract: "Outbound webhooks"). Flat list of names and values. */
export function headersOf(ticket: Heading, timestamp: number, signatures: Signatures, userAgent: string): string[] {
  const traceId = ticket.eventId.replaceAll('-', '');
  const headers = [
    'content-type', 'application/json',
    'user-agent', userAgent,
    'X-Service-Signature', signatures.service,
    'X-Service-Event-Id', ticket.eventId,
    'X-Service-Delivery-Id', ticket.deliveryId,
    'X-Service-Attempt', String(ticket.attempt),
    'webhook-id', ticket.eventId,
    'webhook-timestamp', String(timestamp),
    'webhook-signature', signatures.standard,
    'traceparent', `00-${traceId}-${ticket.deliveryId.replaceAll('-', '').slice(-16)}-01`,
  ];
  if (ticket.isReplay) headers.push('X-Service-Replay', 'true');
  return headers;
}

const putOffBecause = (ticket: Ticket, now: number, errorClass: string, waitMs: number): Result => ({
  ticket, status: 'PENDING', attempts: ticket.attempt - 1, nextAttemptAt: now + waitMs, errorClass, disable: null, record: null, at: now,
});

function resultOf(ticket: Ticket, outcome: OutboundOutcome, startedAt: number, now: number, signatures: Signatures, random: number): Result {
  const verdict = judge(ticket.attempt, outcome, now, random);
  const response = outcome.kind === 'response' ? outcome : null;
  return {
    ticket,
    status: verdict.status,
    attempts: ticket.attempt,
    nextAttemptAt: verdict.nextAttemptAt,
    errorClass: verdict.errorClass,
    disable: verdict.disable,
    at: now,
    record: {
      attempt: ticket.attempt,
      at: new Date(startedAt).toISOString(),
      durationMs: Math.round(outcome.timings.totalMs * 10) / 10,
      signature: signatures.service,
      standardSignature: signatures.standard,
      responseStatus: response?.status ?? null,
      responseHeaders: response?.headers ?? null,
      responseBody: response ? response.body : null,
      errorClass: verdict.errorClass,
      errorMessage: outcome.kind === 'failure' ? outcome.message : null,
    },
  };
}

/** Makes one attempt: a new timestamp and signature, one POST, a verdict. Never rejects. */
export function createAttempt(deps: AttemptDeps): (ticket: Ticket) => Promise<Result> {
  let memo: Memo | undefined;
  return async (ticket) => {
    const { endpoint } = ticket;
    const startedAt = deps.clock.now();
    const secrets = deps.secretsOf(endpoint.accountId);
    if (secrets.length === 0) return putOffBecause(ticket, startedAt, 'NO_SIGNING_SECRET', NO_SECRET_WAIT_MS);
    const timestamp = Math.floor(startedAt / 1000);
    if (memo?.body !== ticket.body || memo.timestamp !== timestamp || memo.secrets !== secrets) {
      memo = { body: ticket.body, timestamp, secrets, value: sign(secrets, timestamp, ticket.eventId, ticket.body) };
    }
    const signatures = memo.value;
    const outcome: OutboundOutcome = endpoint.target
      ? await deps.sender.send({
          url: endpoint.target,
          headers: [...headersOf(ticket, timestamp, signatures, deps.userAgent), ...endpoint.headers],
          body: ticket.body,
          deadlineMs: deps.timeoutMs,
        })
      : { kind: 'failure', errorClass: 'BLOCKED_TARGET', message: 'the address of the endpoint may not be reached', reusedConnection: false, timings: { totalMs: 0 } };
    if (outcome.kind === 'failure' && outcome.errorClass === 'SHUTDOWN') return putOffBecause(ticket, deps.clock.now(), 'SHUTDOWN', 0);
    return resultOf(ticket, outcome, startedAt, deps.clock.now(), signatures, deps.random());
  };
}
