import { type ErrorDetail, invalid } from '../../../contracts/errors.ts';
import { refusalOfHeader } from '../../../platform/outbound/index.ts';

/** Headers that we set ourselves; a custom one would confuse the receiver or forge a signature. */
const OURS = new Set([
  'accept-encoding',
  'content-encoding',
  'content-type',
  'traceparent',
  'tracestate',
  'user-agent',
]);
const OUR_PREFIXES = ['x-service-', 'webhook-'];
/** Many servers drop names with an underscore, or take it for a hyphen, and with it the header for one of ours. */
const NAME = /^[A-Za-z0-9-]{1,64}$/;

function refusal(name: string, value: string): string | null {
  if (!NAME.test(name)) return 'is not a name of up to 64 letters, digits and hyphens';
  const lower = name.toLowerCase();
  if (OURS.has(lower) || OUR_PREFIXES.some((p) => lower.startsWith(p))) return 'is reserved';
  return refusalOfHeader(name, value);
}

/** Throws VALIDATION_ERROR naming each header that may not be set. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const taken = new Set<string>();
  const faults: ErrorDetail[] = Object.entries(headers).flatMap(([name, value]) => {
    // Case makes no other name (RFC 9110 §5.1), and of two lines each receiver takes the one it likes.
    const message = taken.has(name.toLowerCase()) ? 'is given twice, whatever its case' : refusal(name, value);
    taken.add(name.toLowerCase());
    return message === null ? [] : [{ path: `body.headers.${name}`, message }];
  });
  if (faults.length > 0) throw invalid(...faults);
}

/** A clock that is further ahead is wrong, and what it wrote is not kept. Milliseconds. */
export const MOST_AHEAD_MS = 300_000;

/**
 * When an endpoint was changed: not before its last change, by which is told what was sent until then, also where that was made by a node whose clock
 * is ahead of this one's.
 */
export const changedAt = (before: Date, now: Date): Date =>
  before > now && before.getTime() - now.getTime() < MOST_AHEAD_MS ? before : now;
