import { StringDecoder } from 'node:string_decoder';
import type { BodyLimits } from './types.ts';

const MAX_HEADERS = 64;
const MAX_HEADER_VALUE = 1024;

/** Headers in which a receiver may hand out a credential; they have no place in a log that its owner's staff can read. */
const SECRET_HEADERS = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'x-api-key',
  'x-auth-token',
  'x-csrf-token',
]);

/** Response headers for the log of attempts: at most 64, values at most 1 KiB, credentials redacted. */
export function keptHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const kept: Record<string, string> = {};
  let count = 0;
  for (const name in headers) {
    const value = headers[name];
    // `__proto__` would set the prototype of the object instead of a field.
    if (value === undefined || name === '__proto__') continue;
    if (++count > MAX_HEADERS) break;
    if (SECRET_HEADERS.has(name)) kept[name] = '[redacted]';
    else kept[name] = (typeof value === 'string' ? value : value.join(', ')).slice(0, MAX_HEADER_VALUE);
  }
  return kept;
}

/** Collects a response body up to its limits. */
export class BodyCollector {
  readonly #limits: BodyLimits;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** @returns false when nothing more should be read. */
  add(chunk: Buffer): boolean {
    const room = this.#limits.keep - this.#bytes;
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
    return this.#bytes < this.#limits.read;
  }

  /** How many came, in the coding in which they came. */
  get bytes(): number {
    return this.#bytes;
  }

  get truncated(): boolean {
    return this.#bytes > this.#limits.keep;
  }

  /**
   * The kept bytes as text that every database and JSON parser takes: invalid UTF-8 and NUL become U+FFFD, a character cut by the
   * limit is dropped. Compressed bodies are not expanded (a few KiB can become gigabytes) and would be noise, so they are named.
   */
  text(contentEncoding: string | undefined): string {
    if (this.#bytes === 0) return '';
    if (contentEncoding && contentEncoding !== 'identity') return `[compressed body, ${this.#bytes} bytes read]`;
    const first = this.#chunks[0];
    const bytes = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    const text = this.truncated ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
    return text.includes('\0') ? text.replaceAll('\0', '\u{FFFD}') : text;
  }
}
