/** A key that nobody else has, such as an Idempotency-Key. Not `crypto.randomUUID()`: browsers give no page that one which is served by http. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
