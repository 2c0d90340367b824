import type { WebhookName } from '../../../contracts/events/index.ts';
import type { DeliveryStatus } from './rules.ts';
import type { AttemptEndpoint, AttemptInput, AttemptOutcome, SigningKeys } from './types.ts';

/**
 * Messages between the engine and its threads. Attempts and outcomes are flat lists of plain values: cloning an object per
 * delivery costs several times as much.
 */

type Plain = string | number | boolean | null;

export interface ToThread {
  /** Everything that it was told before. */
  forget: boolean;
  /** New or changed, by endpoint id. */
  endpoints: [id: string, endpoint: AttemptEndpoint][];
  /** New or changed, by account id. */
  keys: [accountId: string, keys: readonly SigningKeys[]][];
  /** Each once, however many endpoints get it. */
  bodies: string[];
  /** Id, endpoint id, index of the body, webhook, event id, delivery id, attempt, is replay; and so on. */
  attempts: Plain[];
}

/** Id, status, attempts, next attempt at, error class, disable, log, duration, at; and so on. A status of null is a fault of ours, named in `log`. */
export type FromThread = Plain[];

/** Values per attempt. */
export const INPUT_FIELDS = 8;
/** Values per outcome. */
const OUTCOME_FIELDS = 9;

/** Each attempt of a message, in order. */
export function readAttempts(
  { attempts, bodies }: ToThread,
  fn: (id: number, endpointId: string, input: AttemptInput) => void,
): void {
  for (let i = 0; i < attempts.length; i += INPUT_FIELDS) {
    fn(attempts[i] as number, attempts[i + 1] as string, {
      body: bodies[attempts[i + 2] as number] as string,
      webhook: attempts[i + 3] as WebhookName,
      eventId: attempts[i + 4] as string,
      deliveryId: attempts[i + 5] as string,
      attempt: attempts[i + 6] as number,
      isReplay: attempts[i + 7] as boolean,
    });
  }
}

export function writeOutcome(to: FromThread, id: number, o: AttemptOutcome): void {
  to.push(id, o.status, o.attempts, o.nextAttemptAt, o.errorClass, o.disable, o.log, o.durationMs, o.at);
}

/** An attempt that our own code failed on. */
export function writeFault(to: FromThread, id: number, message: string): void {
  to.push(id, null, 0, null, null, null, message, 0, 0);
}

/** Each outcome of a message, in order; an error in its place where our own code failed. */
export function readOutcomes(message: FromThread, fn: (id: number, outcome: AttemptOutcome | Error) => void): void {
  for (let i = 0; i < message.length; i += OUTCOME_FIELDS) {
    const id = message[i] as number;
    const status = message[i + 1] as DeliveryStatus | null;
    if (status === null) {
      fn(id, new Error(message[i + 6] as string));
      continue;
    }
    fn(id, {
      status,
      attempts: message[i + 2] as number,
      nextAttemptAt: message[i + 3] as number | null,
      errorClass: message[i + 4] as string | null,
      disable: message[i + 5] as string | null,
      log: message[i + 6] as string | null,
      durationMs: message[i + 7] as number,
      at: message[i + 8] as number,
    });
  }
}
