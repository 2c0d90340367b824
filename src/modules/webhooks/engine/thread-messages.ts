import type { WebhookName } from '../../../contracts/events/index.ts';
import type { DeliveryStatus } from './rules.ts';
import type { AttemptEndpoint, AttemptOutcome, Heading, SigningKeys } from './types.ts';

/**
 * Messages between the engine and its threads. Attempts and outcomes are flat lists of plain values, and what many share is
 * said once: cloning an object per delivery costs several times as much.
 */

type Plain = string | number | boolean | null;

export interface ToThread {
  /** Everything that it was told before. */
  forget: boolean;
  /** New or changed, by the number that attempts name it by. */
  endpoints: [number: number, endpoint: AttemptEndpoint][];
  /** New or changed, by account id. */
  keys: [accountId: string, keys: readonly SigningKeys[]][];
  /** What endpoints get, each once: body, webhook, event id; and so on. */
  contents: string[];
  /** Id, number of the endpoint, index of the content, delivery id, attempt, what it is; and so on. */
  attempts: Plain[];
}

export interface FromThread {
  /** The usual outcome in short. Id, at, duration, log; and so on. */
  delivered: Plain[];
  /** Id, status, attempts, next attempt at, error class, disable, log, duration, at; and so on. A status of null is a fault of ours, named in `log`. */
  others: Plain[];
}

/** What an attempt is, as one number: the sum of these. */
const REPLAY = 1;
const TEST = 2;
/** Values per content. */
const CONTENT_FIELDS = 3;
/** Values per attempt. */
const ATTEMPT_FIELDS = 6;
/** Values per outcome. */
const DELIVERED_FIELDS = 4;
const OTHER_FIELDS = 9;

/** Adds an attempt; its content only when it is not the one before. */
export function writeAttempt(
  to: ToThread,
  id: number,
  endpoint: number,
  { body, webhook, eventId, deliveryId, attempt, isReplay, isTest }: Heading & { body: string },
): void {
  const { contents } = to;
  const last = contents.length - CONTENT_FIELDS;
  if (last < 0 || contents[last] !== body || contents[last + 1] !== webhook || contents[last + 2] !== eventId)
    contents.push(body, webhook, eventId);
  to.attempts.push(
    id,
    endpoint,
    contents.length - CONTENT_FIELDS,
    deliveryId,
    attempt,
    (isReplay ? REPLAY : 0) + (isTest ? TEST : 0),
  );
}

/** Each attempt of a message, in order. */
export function readAttempts(
  { attempts, contents }: ToThread,
  fn: (id: number, endpoint: number, heading: Heading, body: string) => void,
): void {
  for (let i = 0; i < attempts.length; i += ATTEMPT_FIELDS) {
    const at = attempts[i + 2] as number;
    const is = attempts[i + 5] as number;
    const heading: Heading = {
      webhook: contents[at + 1] as WebhookName,
      eventId: contents[at + 2] as string,
      deliveryId: attempts[i + 3] as string,
      attempt: attempts[i + 4] as number,
      isReplay: (is & REPLAY) !== 0,
      isTest: (is & TEST) !== 0,
    };
    fn(attempts[i] as number, attempts[i + 1] as number, heading, contents[at] as string);
  }
}

/** No outcomes yet. */
export const noOutcomes = (): FromThread => ({ delivered: [], others: [] });

export function writeOutcome(to: FromThread, id: number, o: AttemptOutcome): void {
  if (o.status === 'DELIVERED') to.delivered.push(id, o.at, o.durationMs, o.log);
  else to.others.push(id, o.status, o.attempts, o.nextAttemptAt, o.errorClass, o.disable, o.log, o.durationMs, o.at);
}

/** An attempt that our own code failed on. */
export function writeFault(to: FromThread, id: number, message: string): void {
  to.others.push(id, null, 0, null, null, null, message, 0, 0);
}

/** Each outcome of a message; an error in its place where our own code failed. `attemptOf`: which attempt an id is. */
export function readOutcomes(
  { delivered, others }: FromThread,
  attemptOf: (id: number) => number,
  fn: (id: number, outcome: AttemptOutcome | Error) => void,
): void {
  for (let i = 0; i < delivered.length; i += DELIVERED_FIELDS) {
    const id = delivered[i] as number;
    fn(id, {
      status: 'DELIVERED',
      attempts: attemptOf(id),
      nextAttemptAt: null,
      errorClass: null,
      disable: null,
      log: delivered[i + 3] as string,
      durationMs: delivered[i + 2] as number,
      at: delivered[i + 1] as number,
    });
  }
  for (let i = 0; i < others.length; i += OTHER_FIELDS) {
    const id = others[i] as number;
    const status = others[i + 1] as DeliveryStatus | null;
    if (status === null) {
      fn(id, new Error(others[i + 6] as string));
      continue;
    }
    fn(id, {
      status,
      attempts: others[i + 2] as number,
      nextAttemptAt: others[i + 3] as number | null,
      errorClass: others[i + 4] as string | null,
      disable: others[i + 5] as string | null,
      log: others[i + 6] as string | null,
      durationMs: others[i + 7] as number,
      at: others[i + 8] as number,
    });
  }
}
