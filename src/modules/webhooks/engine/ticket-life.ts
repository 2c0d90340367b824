import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import type { Log } from '../../../platform/log/log.ts';
import { Seldom } from '../../../platform/log/seldom.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import { waiting } from './attempt.ts';
import type { Signal } from './pace.ts';
import type { EndpointRegistry } from './registry.ts';
import { faultWait, HINDRANCES, isPoison, POISON } from './rules.ts';
import type { SendSigned } from './sign-anew.ts';
import type { AttemptOutcome, EngineEndpoint, EventProgress, Result, Ticket } from './types.ts';

export interface TicketLifeDeps {
  clock: Clock;
  log: Log;
  registry: Pick<EndpointRegistry, 'get'>;
  /** Makes an attempt with the secrets that are known. */
  send: SendSigned;
  /** As known now; undefined: not loaded, or dropped since to make room. */
  secretsOf: (accountId: string) => readonly SigningSecret[] | undefined;
  loadedSecrets: (accountId: string) => Promise<readonly SigningSecret[]>;
  /** Whether this ticket's event still belongs to what this node fans out. */
  holds: (progress: EventProgress) => boolean;
  /** Whether this node is the one that sends to this account now. */
  maySend: (accountId: string) => boolean;
  /** Our own code failed on an attempt. */
  failedByUs: () => void;
  /** Nothing is to be written of this ticket. */
  dropped: (ticket: Ticket) => void;
  /** A promise when the result means something for the endpoint, which is decided before the outcome is written. */
  finish: (result: Result) => Promise<void> | undefined;
}

/** Whether its endpoint takes it. A replay or a test is sent whatever the endpoint's status: somebody asked for it. So is a probe. */
export const mayGo = ({ endpoint, isReplay, isTest, deliveryId }: Ticket): boolean =>
  endpoint.status === 'ACTIVE' ||
  isReplay ||
  isTest ||
  (endpoint.status === 'DISABLED' && endpoint.probeId === deliveryId);

/** Whether what hinders is no matter of the endpoint's status. */
export const isHindered = (errorClass: string | null): boolean => HINDRANCES.some((why) => why === errorClass);

/** Classes of failures from which a receiver does not suffer: it answers, though it does not want what it gets. */
const UNWANTED: readonly (string | null)[] = ['HTTP_3XX', 'HTTP_4XX', 'HTTP_410'];
const signalOf = ({ log, errorClass }: Result): Signal => {
  if (log === null) return 'none';
  return errorClass === null || UNWANTED.includes(errorClass) ? 'good' : 'bad';
};

/** Without an attempt: kept for a paused or disabled endpoint, else due again at once. */
export function putOffResult(ticket: Ticket, now: number): Result {
  return { ticket, ...waiting(mayGo(ticket) ? 'PENDING' : 'HELD', ticket.attempt - 1, now, null) };
}

/** Our own code failed on it, which costs the receiver no attempt. */
function faultResult(ticket: Ticket, now: number): Result {
  if (isPoison(ticket.faults)) return { ticket, ...waiting('DEAD', ticket.attempt - 1, now, 'INTERNAL') };
  const result = { ...putOffResult(ticket, now), errorClass: 'INTERNAL' };
  return result.status === 'PENDING' ? { ...result, nextAttemptAt: now + faultWait(ticket.faults) } : result;
}

/**
 * What becomes of a ticket whose turn it is: sent, kept, discarded with its endpoint, or left to the node that has taken over.
 * Returns the function that the dispatcher calls; it never rejects, and resolves when the outcome is on its way to its row.
 */
export function ticketLife(deps: TicketLifeDeps): (ticket: Ticket) => Promise<Signal> {
  const { clock, log, registry, send, loadedSecrets } = deps;
  /** Why nothing is sent to it with these secrets. */
  const hindrance = (
    ticket: Ticket,
    { accountId, isSealed }: EngineEndpoint,
    secrets: readonly SigningSecret[],
  ): AttemptOutcome | null => {
    const held = (why: (typeof HINDRANCES)[number]): AttemptOutcome =>
      waiting('HELD', ticket.attempt - 1, clock.now(), why);
    if (secrets.length === 0) return held('NO_SIGNING_SECRET');
    if (isSealed) return held('UNREADABLE_HEADERS');
    return deps.maySend(accountId) ? null : putOffResult(ticket, clock.now());
  };
  // Where this machine has no room for connections, all that is due fails at once: a thousand a second, each with the same words.
  const faults = new Seldom(monotonicNow);
  const failed = (ticket: Ticket, error: unknown): Result => {
    const untold = faults.due(String(error));
    if (untold !== null)
      log.error(
        { err: error, deliveryId: ticket.deliveryId, ...(untold === 0 ? {} : { untold }) },
        'an attempt failed by a fault of ours; it does not count',
      );
    deps.failedByUs();
    const result = faultResult(ticket, clock.now());
    if (result.status === 'DEAD') log.error({ deliveryIds: [ticket.deliveryId] }, POISON);
    return result;
  };
  // One function from end to end: each that is awaited costs every delivery a promise and a turn.
  return async (ticket) => {
    if (ticket.progress && !deps.holds(ticket.progress)) {
      // Another node has taken over and sends it.
      deps.dropped(ticket);
      return 'none';
    }
    // By the endpoint as it is now, not as it was when it was queued.
    const endpoint = registry.get(ticket.endpoint.id);
    if (endpoint) ticket.endpoint = endpoint;
    let result: Result;
    if (!endpoint) result = { ticket, ...waiting('DISCARDED', ticket.attempt - 1, clock.now(), 'ENDPOINT_DELETED') };
    else if (!mayGo(ticket)) result = putOffResult(ticket, clock.now());
    else
      try {
        const secrets = deps.secretsOf(endpoint.accountId) ?? (await loadedSecrets(endpoint.accountId));
        const outcome = hindrance(ticket, endpoint, secrets) ?? (await send(ticket, endpoint, secrets));
        result = { ticket, ...outcome };
      } catch (error) {
        result = failed(ticket, error);
      }
    // It is under way until then: a shutdown waits for it.
    const settled = deps.finish(result);
    if (settled) await settled;
    return signalOf(result);
  };
}
