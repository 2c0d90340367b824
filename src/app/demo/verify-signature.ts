import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older (or newer) than this is refused (interface.md §6.5.3). Seconds. */
const WINDOW_SECONDS = 5 * 60;

/**
 * What a receiver does with `X-Service-Signature: t=<unix>,v1=<hex>[,v1=<hex>]` (interface.md §6.5), written without a
 * library on purpose: it is an example. Returns null for a genuine request, else what is wrong with it. `rawBody` is the
 * body as it came; parsed and written again it may differ by a space. `now` in seconds.
 */
export function signatureFault(
  header: string | undefined,
  rawBody: string,
  secret: string,
  now: number,
): string | null {
  const fields = (header ?? '').split(',').map((field) => field.split('=', 2) as [string, string | undefined]);
  const timestamp = fields.find(([name]) => name === 't')?.[1];
  if (timestamp === undefined || !/^\d+$/.test(timestamp)) return 'no signature';
  if (Math.abs(now - Number(timestamp)) > WINDOW_SECONDS) return 'outside of the 5-minute window';
  const expected = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest();
  const matches = fields.some(([name, hex]) => {
    const given = Buffer.from(name === 'v1' ? (hex ?? '') : '', 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matches ? null : 'wrong signature';
}
