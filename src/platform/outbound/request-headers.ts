/** Headers of the connection and of the message's framing: the sender's business, never that of who writes the other headers. */
const RESERVED = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
  'proxy-authorization',
  'proxy-connection',
]);

/** Whether a header is the sender's business. */
export const isReserved = (name: string): boolean => RESERVED.has(name.toLowerCase());

/** A token (RFC 9110, section 5.6.2) and visible ASCII with inner spaces (section 5.5, without obs-text, which peers read differently). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VALUE = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Why a header that a user chose cannot be sent, fit to show to them; null when it can. */
export function refusalOfHeader(name: string, value: string): string | null {
  if (!NAME.test(name)) return 'is not a valid header name';
  if (isReserved(name)) return 'is a header that is set by the connection';
  if (!VALUE.test(value)) return 'has a value with other than visible ASCII characters';
  return null;
}

/** Whether a flat list (name, value, …) has a Host header: undici would take the TLS server name from it. */
export function hasHostHeader(headers: readonly string[]): boolean {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') return true;
  }
  return false;
}
