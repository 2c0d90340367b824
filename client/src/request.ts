import { InvalidInputError } from './errors.ts';
import { OPERATIONS, type Operations } from './generated.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { randomKey } from './random-key.ts';
import type { Sendable } from './send.ts';
import { sign } from './webhooks/sign.ts';

/** What a method is given: parameters of path and query, and the body. */
export type Input = Readonly<Record<string, unknown>>;

/** What has a place of its own in a request. */
const ELSEWHERE = new Set(['body', 'ifMatch', 'signingSecret']);

/** What `make` gives. Throws InvalidInputError where it throws: half of a character, a body that is no JSON. */
function made<T>(name: string, value: unknown, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof InvalidInputError) throw error;
    throw new InvalidInputError(
      name,
      value,
      `cannot be sent: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Throws InvalidInputError for a value of other characters than a header can hold. It may be a credential: the error does not have it, as what the platform says would. */
function setHeader(headers: Headers, field: string, value: string, name: string = field): void {
  try {
    headers.set(field, value);
  } catch {
    throw new InvalidInputError(name, undefined, 'cannot be sent: it has characters that a header cannot hold');
  }
}

/** A parameter as text. Throws InvalidInputError for a number that is none: as JSON it would be `null`. */
function textOf(name: string, value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new InvalidInputError(name, value, `is ${value}`);
  return typeof value === 'string' ? value : made(name, value, () => JSON.stringify(value));
}

/** A parameter as one part of a path. Throws InvalidInputError for what would make another address of it. */
function segmentOf(name: string, value: unknown): string {
  if (value === undefined || value === null || value === '') throw new InvalidInputError(name, value, 'is missing');
  const text = textOf(name, value);
  // Whoever reads an address takes these out of it: `/deliveries/./discard` is `/deliveries/discard`.
  if (text === '.' || text === '..') throw new InvalidInputError(name, value, `cannot be ${JSON.stringify(text)}`);
  return made(name, value, () => encodeURIComponent(text));
}

function urlOf(baseUrl: string, path: string, input: Input): string {
  const rest = new Map(Object.entries(input).filter(([name]) => !ELSEWHERE.has(name)));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return segmentOf(name, value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, textOf(name, one));
  }
  return `${baseUrl.replace(/\/+$/, '')}${filled}${query.size === 0 ? '' : `?${query}`}`;
}

/** The caller's headers, each once, those of the call before those of the client; names are in lower case. */
async function headersOf(
  options: ClientOptions,
  input: Input,
  call: CallOptions,
  about: { method: string; body: string | undefined },
): Promise<Record<string, string>> {
  const headers = new Headers();
  for (const given of [options.headers, call.headers])
    for (const [name, value] of Object.entries(given ?? {})) setHeader(headers, name, value);
  if (about.body !== undefined) headers.set('content-type', 'application/json');
  if (about.method !== 'GET') {
    const key = call.idempotencyKey ?? headers.get('idempotency-key') ?? randomKey();
    setHeader(headers, 'idempotency-key', key, 'idempotencyKey');
  }
  const { ifMatch } = input;
  if (ifMatch !== undefined) setHeader(headers, 'if-match', `"${textOf('ifMatch', ifMatch)}"`, 'ifMatch');
  if (input['signingSecret'] !== undefined) {
    const secret = textOf('signingSecret', input['signingSecret']);
    headers.set('x-service-signature', await sign(about.body ?? '', secret));
  }
  return Object.fromEntries(headers);
}

/** The request of a call, but for the credential. Rejects with InvalidInputError where the input is none that can be sent. */
export async function requestOf(
  options: ClientOptions,
  id: keyof Operations,
  input: Input,
  call: CallOptions,
): Promise<Sendable> {
  const [method, path, kind] = OPERATIONS[id] as readonly [string, string, string?];
  const url = urlOf(options.baseUrl, path, input);
  const given = input['body'];
  const body = given === undefined ? undefined : made('body', undefined, () => JSON.stringify(given));
  const headers = await headersOf(options, input, call, { method, body });
  const { wait } = input;
  return {
    method,
    url,
    body,
    headers,
    isStream: kind === 'stream',
    waitMs: typeof wait === 'number' ? wait * 1000 : 0,
  };
}
