import { EVENTS } from '../../../contracts/events/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { OutboundOutcome, Sender } from '../../../platform/outbound/index.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import { judge } from './rules.ts';
import { type Signatures, sign } from './sign.ts';
import type { Result, Ticket } from './types.ts';

export interface AttemptDeps {
  sender: Sender;
  clock: Clock;
  random: () => number;
  secretsOf: (accountId: string) => readonly SigningSecret[];
  timeoutMs: number;
  userAgent: string;
}

/** Signatures of the last body: endpoints of one account get the same within a second. */
interface Memo {
  body: string;
  eventId: string;
  timestamp: number;
  secrets: readonly SigningSecret[];
  value: Signatures;
}

/** What a request's headers say about it. */
export type Heading = Pick<Ticket, 'webhook' | 'eventId' | 'deliveryId' | 'attempt' | 'isReplay'>;

/**
 * The id by which a Standard Webhooks receiver deduplicates. One event may cause two webhooks (the same-named one and a
 * derived one); with the bare event id the second would be taken for a repetition of the first.
 */
const standardId = ({ webhook, eventId }: Pick<Ticket, 'webhook' | 'eventId'>): string =>
  EVENTS[webhook].internal ? eventId : `${eventId}-derived`;

/** The headers of one attempt, without the endpoint's own (contract: "Outbound webhooks"). Flat list of names and values. */
export function headersOf(ticket: Heading, timestamp: number, signatures: Signatures, userAgent: string): string[] {
  const traceId = ticket.eventId.replaceAll('-', '');
  const headers = [
    'content-type',
    'application/json',
    'user-agent',
    userAgent,
    'X-Service-Signature',
    signatures.service,
    'X-Service-Event-Id',
    ticket.eventId,
    'X-Service-Delivery-Id',
    ticket.deliveryId,
    'X-Service-Attempt',
    String(ticket.attempt),
    'webhook-id',
    standardId(ticket),
    'webhook-timestamp',
    String(timestamp),
    'webhook-signature',
    signatures.standard,
    'traceparent',
    `00-${traceId}-${ticket.deliveryId.replaceAll('-', '').slice(-16)}-01`,
  ];
  if (ticket.isReplay) headers.push('X-Service-Replay', 'true');
  return headers;
}

const putOffBecause = (ticket: Ticket, now: number, errorClass: string, waitMs: number): Result => ({
  ticket,
  status: 'PENDING',
  attempts: ticket.attempt - 1,
  nextAttemptAt: now + waitMs,
  errorClass,
  disable: null,
  record: null,
  at: now,
});

function resultOf(
  ticket: Ticket,
  outcome: OutboundOutcome,
  startedAt: number,
  now: number,
  signatures: Signatures,
  random: number,
): Result {
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

const BLOCKED: OutboundOutcome = {
  kind: 'failure',
  errorClass: 'BLOCKED_TARGET',
  message: 'the address of the endpoint may not be reached',
  reusedConnection: false,
  timings: { totalMs: 0 },
};

/**
 * One POST. A kept connection that the receiver closed in that very moment (its keep-alive time ran out) says nothing
 * about the receiver, so the same request goes once more, over another connection.
 */
async function post(deps: AttemptDeps, ticket: Ticket, headers: string[]): Promise<OutboundOutcome> {
  const { target } = ticket.endpoint;
  if (!target) return BLOCKED;
  const request = { url: target, headers, body: ticket.body, deadlineMs: deps.timeoutMs };
  const outcome = await deps.sender.send(request);
  const wasStale = outcome.kind === 'failure' && outcome.errorClass === 'RESET' && outcome.reusedConnection;
  if (!wasStale) return outcome;
  return deps.sender.send({ ...request, deadlineMs: Math.max(1, request.deadlineMs - outcome.timings.totalMs) });
}

/** Makes one attempt: a new timestamp and signature, one POST, a verdict. Never rejects. */
export function createAttempt(deps: AttemptDeps): (ticket: Ticket) => Promise<Result> {
  let memo: Memo | undefined;
  return async (ticket) => {
    const { endpoint } = ticket;
    const startedAt = deps.clock.now();
    const secrets = deps.secretsOf(endpoint.accountId);
    if (secrets.length === 0)
      return { ...putOffBecause(ticket, startedAt, 'NO_SIGNING_SECRET', 0), status: 'HELD', nextAttemptAt: null };
    const timestamp = Math.floor(startedAt / 1000);
    if (
      memo?.body !== ticket.body ||
      memo.eventId !== ticket.eventId ||
      memo.timestamp !== timestamp ||
      memo.secrets !== secrets
    ) {
      memo = {
        body: ticket.body,
        eventId: ticket.eventId,
        timestamp,
        secrets,
        value: sign(secrets, timestamp, standardId(ticket), ticket.body),
      };
    }
    const signatures = memo.value;
    const headers = headersOf(ticket, timestamp, signatures, deps.userAgent);
    if (endpoint.headers.length > 0) headers.push(...endpoint.headers);
    const outcome = await post(deps, ticket, headers);
    if (outcome.kind === 'failure' && outcome.errorClass === 'SHUTDOWN')
      return putOffBecause(ticket, deps.clock.now(), 'SHUTDOWN', 0);
    return resultOf(ticket, outcome, startedAt, deps.clock.now(), signatures, deps.random());
  };
}
