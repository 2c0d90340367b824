import { createHmac, type KeyLike, timingSafeEqual } from 'node:crypto';

/** Older (or newer) than this is refused (interface.md §6.5.3). Seconds. */
const WINDOW_SECONDS = 5 * 60;

/** The fault of a signature that is not of now by the clock that it was held against, which may be the one that is wrong. */
export const OUTSIDE_WINDOW = 'outside of the 5-minute window: t is in seconds, by a clock that is right';

/**
 * What a receiver does with `X-Service-Signature: t=<unix>,v1=<hex>[,v1=<hex>]` (interface.md §6.5). Returns null for a request
 * that one of the secrets has signed, else what is wrong with it. `rawBody` is the body as it came; parsed and written
 * again it may differ by a space. `now` in seconds.
 */
export function signatureFault(
  header: string | undefined,
  rawBody: string,
  secrets: readonly KeyLike[],
  now: number,
): string | null {
  if (!header) return 'no signature';
  const fields = header.split(',').map((field) => field.trim().split('=', 2) as [string, string | undefined]);
  const timestamp = fields.find(([name]) => name === 't')?.[1];
  const given = fields
    .filter(([name, hex]) => name === 'v1' && /^[0-9a-f]{64}$/i.test(hex ?? ''))
    .map(([, hex]) => Buffer.from(hex as string, 'hex'));
  if (timestamp === undefined || !/^\d+$/.test(timestamp) || given.length === 0) {
    return 'must be of the form t=<unix seconds>,v1=<64 hex digits>';
  }
  if (Math.abs(now - Number(timestamp)) > WINDOW_SECONDS) return OUTSIDE_WINDOW;
  const matches = secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest();
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  return matches
    ? null
    : 'wrong signature: it is over <t>.<body as sent>, by the whole signing secret as text, whsec_ included';
}
