import type { WebhookEvent } from '../generated.ts';
import { bytesOf, hmacKey, type RawBody, signedBytes } from './sign.ts';

/** Why a request is not believed. */
export type VerificationFault =
  | 'MISSING_HEADER'
  | 'MALFORMED_HEADER'
  | 'OUTSIDE_TOLERANCE'
  | 'WRONG_SIGNATURE'
  | 'MALFORMED_BODY';

const MESSAGES: Readonly<Record<VerificationFault, string>> = {
  MISSING_HEADER: 'the request has no signature',
  MALFORMED_HEADER: 'the signature header cannot be read',
  OUTSIDE_TOLERANCE: 'the request is older than it may be, or from the future',
  WRONG_SIGNATURE: 'no signature fits the body and the secret',
  MALFORMED_BODY: 'the body is not the JSON of an event',
};

/** The request is not one of the service, or not a fresh one. Answer 400 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly fault: VerificationFault;

  constructor(fault: VerificationFault, message: string = MESSAGES[fault]) {
    super(message);
    this.fault = fault;
  }
}

export interface VerifyOptions {
  /** How far the timestamp may be from now, in either direction. Default 300 s (interface.md, section 6.5). */
  toleranceSeconds?: number;
  /** Milliseconds since the epoch. */
  now?: number;
}

const TOLERANCE_SECONDS = 300;
/** Beyond what the service sends: one signature for each valid secret, of which an account has 20 at most, and as many that are being replaced. */
const MAX_HEADER = 8192;
const MAX_SIGNATURES = 64;

const fault = (name: VerificationFault, message?: string): WebhookVerificationError =>
  new WebhookVerificationError(name, message);

interface Header {
  timestamp: number;
  signatures: Uint8Array<ArrayBuffer>[];
}

function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[0-9a-f]{64}$/i.test(text)) return null;
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
}

function readHeader(header: string): Header {
  if (header.length > MAX_HEADER) throw fault('MALFORMED_HEADER');
  let timestamp: number | null = null;
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const part of header.split(',')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === 't') {
      if (timestamp !== null || !/^\d{1,12}$/.test(value)) throw fault('MALFORMED_HEADER');
      timestamp = Number(value);
    } else if (name === 'v1') {
      const bytes = bytesOfHex(value);
      if (bytes) signatures.push(bytes);
    }
    // Other schemes may come along one day; a receiver of today passes over them.
  }
  if (timestamp === null || signatures.length === 0 || signatures.length > MAX_SIGNATURES)
    throw fault('MALFORMED_HEADER');
  return { timestamp, signatures };
}

function checkAge(timestamp: number, { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions): void {
  if (!(Math.abs(now / 1000 - timestamp) <= toleranceSeconds)) throw fault('OUTSIDE_TOLERANCE');
}

/** As it came in, or nothing can be checked: parsed, it is other bytes when it is written again. */
function checkBody(body: unknown): void {
  // Of whatever realm.
  const isBuffer = Object.prototype.toString.call(body) === '[object ArrayBuffer]';
  const isRaw = typeof body === 'string' || isBuffer || ArrayBuffer.isView(body);
  if (!isRaw)
    throw fault('WRONG_SIGNATURE', 'the body is neither text nor bytes: give it as it came in, before it is parsed');
}

/** Throws unless one of the secrets made one of the signatures; `crypto.subtle.verify` compares in constant time. */
async function checkSignature(
  prefix: string,
  body: RawBody,
  secrets: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<void> {
  checkBody(body);
  if (secrets.length === 0)
    throw fault('WRONG_SIGNATURE', 'there is no secret to check the signature with: it is empty, or cannot be read');
  const signed = signedBytes(prefix, body);
  for (const secret of secrets) {
    const key = await hmacKey(secret, 'verify');
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return;
  }
  throw fault('WRONG_SIGNATURE');
}

function eventOf(body: RawBody): WebhookEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(body)));
  } catch {
    throw fault('MALFORMED_BODY');
  }
  const isEvent =
    typeof value === 'object' && value !== null && typeof (value as { event?: unknown }).event === 'string';
  if (!isEvent) throw fault('MALFORMED_BODY');
  return value as WebhookEvent;
}

const secretsOf = (secret: string | readonly string[]): readonly string[] =>
  (typeof secret === 'string' ? [secret] : secret).filter((s) => s !== '');

/**
 * The event of a request, once its `X-Service-Signature` is found to be made over exactly this body with one of the
 * secrets, within the tolerance. Give the body as it came in, not parsed and written again; while a secret is being
 * rotated give both. Throws WebhookVerificationError, and nothing else, on any input.
 */
export async function verify(
  rawBody: RawBody,
  header: string | null | undefined,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (header == null || header === '') throw fault('MISSING_HEADER');
  const { timestamp, signatures } = readHeader(header);
  checkAge(timestamp, options);
  const secrets = secretsOf(secret).map((s) => new TextEncoder().encode(s));
  await checkSignature(`${timestamp}.`, rawBody, secrets, signatures);
  return eventOf(rawBody);
}

/** The three headers of Standard Webhooks. */
export interface StandardHeaders {
  'webhook-id'?: string | null;
  'webhook-timestamp'?: string | null;
  'webhook-signature'?: string | null;
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The same by the headers of Standard Webhooks, which the service sends along. */
export async function verifyStandard(
  rawBody: RawBody,
  headers: StandardHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': value } = headers;
  if (!id || !time || !value) throw fault('MISSING_HEADER');
  if (!/^\d{1,12}$/.test(time) || value.length > MAX_HEADER || id.length > MAX_HEADER) throw fault('MALFORMED_HEADER');
  checkAge(Number(time), options);
  const signatures = value
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [bytesOfBase64(one.slice(3))] : []))
    .filter((bytes) => bytes !== null);
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) throw fault('MALFORMED_HEADER');
  const secrets = secretsOf(secret)
    .map((s) => bytesOfBase64(s.replace(/^whsec_/, '')))
    .filter((bytes) => bytes !== null && bytes.length > 0) as Uint8Array<ArrayBuffer>[];
  await checkSignature(`${id}.${time}.`, rawBody, secrets, signatures);
  return eventOf(rawBody);
}
