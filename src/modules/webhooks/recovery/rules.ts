import { MAX_ATTEMPTS } from '../engine/rules.ts';
import type { EngineEndpoint, Result } from '../engine/types.ts';

/** Why an endpoint is disabled: it answered 410, or nothing but failures came back for days. */
export type DisabledFor = 'GONE' | 'FAILING';

/**
 * What an outcome means for its endpoint. GONE, FAILING: it is to be disabled. RECOVERED: it fails no more. PROBE_…: the one
 * delivery that was sent to a disabled endpoint arrived, failed, or could not be sent.
 */
export type Meaning = DisabledFor | 'RECOVERED' | 'PROBE_GOOD' | 'PROBE_BAD' | 'PROBE_UNDECIDED';

/** No wait between probes is longer than this. Milliseconds. */
const MAX_PROBE_WAIT_MS = 24 * 3_600_000;
/** What is put off for longer was so by a clock that was ahead by a day or more. Milliseconds. */
export const TOO_LONG_MS = 2 * MAX_PROBE_WAIT_MS;

function ofProbe(endpoint: EngineEndpoint, { ticket, status, log }: Result): Meaning | null {
  if (log === null) return status === 'HELD' ? 'PROBE_UNDECIDED' : null;
  if (endpoint.url !== ticket.endpoint.url) return 'PROBE_UNDECIDED';
  return status === 'DELIVERED' ? 'PROBE_GOOD' : 'PROBE_BAD';
}

/**
 * See `Meaning`; null: nothing, as nearly always. `endpoint` is as it is now: what its old address answered says nothing, and
 * a 410 nothing at all about an endpoint that was changed since.
 */
export function meaningOf(endpoint: EngineEndpoint, result: Result, disableAfterMs: number): Meaning | null {
  const { ticket, status, log, disable, at } = result;
  if (endpoint.status === 'DISABLED') return endpoint.probeId === ticket.deliveryId ? ofProbe(endpoint, result) : null;
  if (log === null || endpoint.url !== ticket.endpoint.url) return null;
  if (status === 'DELIVERED') return endpoint.failingSince === null ? null : 'RECOVERED';
  if (disable !== null) return endpoint === ticket.endpoint ? 'GONE' : null;
  const { failingSince } = endpoint;
  const isOver = failingSince !== null && at - failingSince >= disableAfterMs;
  return isOver && endpoint.status === 'ACTIVE' ? 'FAILING' : null;
}

/** The wait before the probe after `failed` failed ones: each twice as long as the one before. Milliseconds. */
export const probeWait = (failed: number, firstMs: number): number =>
  Math.max(firstMs, Math.min(MAX_PROBE_WAIT_MS, firstMs * 2 ** Math.min(failed, 20)));

/**
 * A probe counts as an attempt of its delivery. By itself none takes the last one, which is for when the endpoint is open;
 * somebody who asks for it may.
 */
export const attemptsBeforeProbe = (isAsked: boolean): number => (isAsked ? MAX_ATTEMPTS - 1 : MAX_ATTEMPTS - 2);
