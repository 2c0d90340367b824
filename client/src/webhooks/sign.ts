const encoder = new TextEncoder();

/** What is signed or verified: text, or the bytes of it. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** The bytes of a body as it was sent. */
export const bytesOf = (body: RawBody): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);

/** `<timestamp>.<rawBody>`: what the signature is over (interface.md, section 6.5). */
export function signedBytes(prefix: string, body: RawBody): Uint8Array<ArrayBuffer> {
  const [head, tail] = [encoder.encode(prefix), bytesOf(body)];
  const all = new Uint8Array(head.length + tail.length);
  all.set(head);
  all.set(tail, head.length);
  return all;
}

/** A key for HMAC-SHA256. */
export const hmacKey = (secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);

const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

/**
 * The value of `X-Service-Signature` for a body: for inbound reports, and to try a receiver. `timestamp` in whole
 * seconds since the epoch, default now.
 */
export async function sign(
  body: RawBody,
  secret: string,
  { timestamp = Math.floor(Date.now() / 1000) }: { timestamp?: number } = {},
): Promise<string> {
  const key = await hmacKey(encoder.encode(secret), 'sign');
  const signature = await crypto.subtle.sign('HMAC', key, signedBytes(`${timestamp}.`, body));
  return `t=${timestamp},v1=${hex(new Uint8Array(signature))}`;
}
