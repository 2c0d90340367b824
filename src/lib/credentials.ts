import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Part of an API key that says which kind of installation gave it out. */
export type KeyEnvironment = 'live' | 'test' | 'dev';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const API_KEY = /^(ph_(?:live|test|dev)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;
const SESSION_TOKEN = /^phs_[A-Za-z0-9_-]{43}$/;
const SECRET_PREFIX = 'whsec_';

/** Uniform: bytes that would favour the first characters of the alphabet are left out. */
function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 4 * 62 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** CRC-32 of the text before it, in base 62: six characters hold it (62^6 > 2^32). */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = (BASE62[rest % 62] as string) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/**
 * A new API key: `ph_live_` + 32 random characters (190 bits) + 6 of checksum (contract: "Callers"). The prefix lets
 * secret scanners find a leaked one, the checksum lets them and us refuse what only looks like one.
 */
export function newApiKey(environment: KeyEnvironment): string {
  const text = `ph_${environment}_${randomBase62(RANDOM_LENGTH)}`;
  return text + checksum(text);
}

/** Whether the text has the form and the checksum of an API key; whether the key exists is another question. */
export function isApiKey(text: string): boolean {
  const [, body, digits] = API_KEY.exec(text) ?? [];
  return body !== undefined && checksum(body) === digits;
}

/** The first characters of a key, by which people tell keys apart: prefix and four of the 32 random characters. */
export const keyHint = (key: string): string => key.slice(0, key.lastIndexOf('_') + 5);

/** A new access token of a session: `phs_` + 32 random bytes in base64url. */
export const newSessionToken = (): string => `phs_${randomBytes(32).toString('base64url')}`;

export const isSessionToken = (text: string): boolean => SESSION_TOKEN.test(text);

/** A new signing secret: `whsec_` + base64 of 32 random bytes, the form of Standard Webhooks and of Stripe. */
export const newSigningSecret = (): string => SECRET_PREFIX + randomBytes(32).toString('base64');

/** The bytes that a `whsec_…` secret stands for: the HMAC key of the Standard Webhooks headers. */
export const signingSecretBytes = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');

/** What is stored instead of a credential: its SHA-256 in hex. No salt: the credentials are random and long. */
export const credentialHash = (credential: string): string => createHash('sha256').update(credential).digest('hex');
