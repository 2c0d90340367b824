import type { WebhookName } from '../../../contracts/events/index.ts';
import { OUTBOUND_ERROR_CLASSES, type OutboundOutcome } from '../../../platform/outbound/index.ts';

/** interface.md §6.6: 5 attempts over about 24 hours. */
export const MAX_ATTEMPTS = 5;
/** Waits before attempts 2..5: 2.5 min × 8^n, about 24 h in all (contract: "Outbound webhooks"). Milliseconds. */
export const WAITS_MS = [150_000, 1_200_000, 9_600_000, 76_800_000] as const;
/**
 * No delivery is put off for longer by a clock that is right: twice the last wait is the most that a `Retry-After` is honoured, and a day is
 * to spare. A clock that was ahead is noticed from about three days on. Milliseconds.
 */
export const TOO_LONG_MS = 2 * WAITS_MS[3] + 86_400_000;
/** ±10 %, so that what failed together does not come back together. */
const JITTER = 0.1;

/** So much later than it is made may a change of an endpoint be heard of by who sends (docs/operations.md). Milliseconds. */
export const HEARD_WITHIN_MS = 10_000;
/** What the clocks of two nodes may differ by besides. Milliseconds. */
const CLOCKS_WITHIN_MS = 5000;

/**
 * Whether somebody else may still send to the endpoint as it was before. An attempt of which nothing but its time is kept was then made by one
 * who had not heard of the change, or by an earlier version.
 */
export const isJustChanged = (changedAt: number | undefined, now: number): boolean =>
  changedAt !== undefined && now < changedAt + HEARD_WITHIN_MS + CLOCKS_WITHIN_MS;

export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'DEAD' | 'HELD' | 'DISCARDED';

/** What is recorded of an attempt that was answered or failed. */
export interface Verdict {
  status: 'DELIVERED' | 'PENDING' | 'DEAD' | 'HELD';
  /** Milliseconds since the epoch; only for PENDING. */
  nextAttemptAt: number | null;
  /** Why it failed: a class of the sender, or `HTTP_3XX`, `HTTP_4XX`, `HTTP_410`, `HTTP_429`, `HTTP_5XX`. */
  errorClass: string | null;
  /** The endpoint must not be called any more, for this reason. */
  disable: string | null;
}

/** Classes of attempts that failed, as `errorClassOf` tells them. What our shutdown broke off is no attempt. */
export const ATTEMPT_ERROR_CLASSES: readonly string[] = [
  ...OUTBOUND_ERROR_CLASSES.filter((name) => name !== 'SHUTDOWN'),
  'HTTP_3XX',
  'HTTP_4XX',
  'HTTP_410',
  'HTTP_429',
  'HTTP_5XX',
];

/** Why nothing is sent to an endpoint that is open: to open it changes nothing about these. */
export const HINDRANCES = ['NO_SIGNING_SECRET', 'UNREADABLE_HEADERS'] as const;

/** Classes that tell of no attempt: a fault of ours, what hinders, our shutdown. */
export const WITHOUT_ATTEMPT: readonly string[] = ['INTERNAL', ...HINDRANCES, 'SHUTDOWN'];

const isSuccess = (outcome: OutboundOutcome): boolean =>
  outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300;

/** The class of a failure, for dead letters grouped by cause. */
export function errorClassOf(outcome: OutboundOutcome): string | null {
  if (outcome.kind === 'failure') return outcome.errorClass;
  if (isSuccess(outcome)) return null;
  if (outcome.status === 410 || outcome.status === 429) return `HTTP_${outcome.status}`;
  // A status that HTTP does not know (600 to 999, which some proxies send) counts as 5xx: RFC 9110 §15.
  return `HTTP_${Math.min(5, Math.floor(outcome.status / 100))}XX`;
}

/** As much of an address as is told in a sentence. UTF-16 units. */
const TOLD_MAX = 500;
/** Where a redirect leads, whole: most often to the address that should have been given. Null: it is none, or says nothing. */
export function redirectText(status: number, location: string | undefined, from: string): string | null {
  if (status < 300 || status > 399 || location === undefined) return null;
  const to = URL.parse(location, from)?.href ?? location;
  return `redirects to ${to.slice(0, TOLD_MAX)}, and redirects are not followed`;
}

/** The oldest form of a date in HTTP (RFC 9110 §5.6.7). It names no zone, and is in UTC: `Sun Nov  6 08:49:37 1994`. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/** `Retry-After` (RFC 9110 §10.2.3) in milliseconds from now: seconds, or a date; null when absent or unreadable. */
export function retryAfterMs(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  // Of any length: a number that no clock reaches is a long time all the same.
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), 1e9) * 1000;
  const at = Date.parse(ASCTIME.test(text) ? `${text} GMT` : text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** The wait after failed attempt `n` (1..4): the schedule with jitter, or a longer Retry-After up to twice the wait. */
export function waitAfter(n: number, retryAfter: number | null, random: number): number {
  const wait = WAITS_MS[n - 1] ?? WAITS_MS[WAITS_MS.length - 1] ?? 0;
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  return Math.round(retryAfter !== null && retryAfter > jittered ? Math.min(retryAfter, 2 * wait) : jittered);
}

/** How long a delivery is put off that our own code failed on, at first and at most. Milliseconds. */
const FAULT_WAIT_MIN_MS = 60_000;
const FAULT_WAIT_MAX_MS = 3_600_000;
/** Twice as long after each fault. `faults`: those before this one, without an attempt in between. */
export const faultWait = (faults: number): number =>
  Math.min(FAULT_WAIT_MAX_MS, FAULT_WAIT_MIN_MS * 2 ** Math.min(faults, 6));

/** Faults whose waits come to two days, which is twice what the schedule of attempts takes: 63 minutes, then 47 hours. */
const MOST_FAULTS = 53;

/**
 * Whether our own code fails on a delivery whatever it does. It is a dead letter then, for people to see and to replay once it is mended,
 * with the attempts that it had. Counted and not timed: what was held, or a service that was down, has nothing to do with it.
 */
export const isPoison = (faults: number): boolean => faults >= MOST_FAULTS;
/** As it is logged. */
export const POISON = 'dead letters: our own code failed on them for two days';

/**
 * What becomes of a delivery after attempt `attempt` (1..5). `random` in [0, 1). A 3xx is a failure like any other and
 * never followed; 410 says that nobody listens there any more: the endpoint is disabled and the delivery is kept.
 */
export function judge(attempt: number, outcome: OutboundOutcome, now: number, random: number): Verdict {
  if (isSuccess(outcome)) return { status: 'DELIVERED', nextAttemptAt: null, errorClass: null, disable: null };
  const errorClass = errorClassOf(outcome);
  const gone = outcome.kind === 'response' && outcome.status === 410;
  const disable = gone ? 'the receiver answered 410 Gone' : null;
  if (attempt >= MAX_ATTEMPTS) return { status: 'DEAD', nextAttemptAt: null, errorClass, disable };
  if (gone) return { status: 'HELD', nextAttemptAt: null, errorClass, disable };
  const retryAfter = outcome.kind === 'response' ? retryAfterMs(outcome.headers['retry-after'], now) : null;
  return { status: 'PENDING', nextAttemptAt: now + waitAfter(attempt, retryAfter, random), errorClass, disable };
}

/** Why an endpoint does not take a webhook. */
export type Mismatch = 'ENDPOINT_CREATED_LATER' | 'NOT_SUBSCRIBED';

/**
 * Null: the endpoint takes this webhook of an event at this position. It is both what the fan-out goes by and what is
 * told afterwards (routing/explain-routing.ts), so the two cannot differ.
 */
export function mismatch(
  { events, afterPosition }: { events: ReadonlySet<WebhookName>; afterPosition: number },
  webhook: WebhookName,
  position: number,
): Mismatch | null {
  if (afterPosition >= position) return 'ENDPOINT_CREATED_LATER';
  return events.has(webhook) ? null : 'NOT_SUBSCRIBED';
}
