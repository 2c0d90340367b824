import { type Answer, type Call, callOf, type ListCall, listCallOf, readReply } from './call.ts';
import { OPERATIONS, type Operations } from './generated.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { type Sendable, send } from './send.ts';
import { sign } from './webhooks/sign.ts';

type Result<O> = O extends { reply: infer Reply; item: infer Item }
  ? ListCall<Reply, Item>
  : O extends { reply: infer Reply }
    ? Call<Reply>
    : never;

type Method<O extends { input: unknown }> =
  Record<string, never> extends O['input']
    ? (input?: O['input'], options?: CallOptions) => Result<O>
    : (input: O['input'], options?: CallOptions) => Result<O>;

/** Every operation of the API as a method of its `operationId`. */
export type Client = { readonly [Id in keyof Operations]: Method<Operations[Id]> };

type Input = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isWrite = (method: string): boolean => method !== 'GET';

function urlOf(baseUrl: string, path: string, input: Input): string {
  const rest = new Map(Object.entries(input));
  rest.delete('body');
  rest.delete('ifMatch');
  rest.delete('signingSecret');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    // An empty one would make another address of it.
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is missing`);
    return encodeURIComponent(textOf(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of rest) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, textOf(one));
  }
  return `${baseUrl.replace(/\/+$/, '')}${filled}${query.size === 0 ? '' : `?${query}`}`;
}

/** What the reply is: a page of a list, a stream, or a value. */
const kindOf = (id: keyof Operations): string | undefined => (OPERATIONS[id] as readonly [string, string, string?])[2];
const isStream = (id: keyof Operations): boolean => kindOf(id) === 'stream';

async function requestOf(
  options: ClientOptions,
  id: keyof Operations,
  input: Input,
  call: CallOptions,
): Promise<Sendable> {
  const [method, path] = OPERATIONS[id];
  const body = input.body === undefined ? undefined : JSON.stringify(input.body);
  const headers: Record<string, string> = { ...options.headers, ...call.headers };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (isWrite(method)) headers['idempotency-key'] = call.idempotencyKey ?? crypto.randomUUID();
  if (input.ifMatch !== undefined) headers['if-match'] = `"${textOf(input.ifMatch)}"`;
  if (input.signingSecret !== undefined)
    headers['x-service-signature'] = await sign(body ?? '', textOf(input.signingSecret));
  return { method, url: urlOf(options.baseUrl, path, input), body, headers, isStream: isStream(id) };
}

async function answerOf(
  options: ClientOptions,
  id: keyof Operations,
  input: Input,
  call: CallOptions,
): Promise<Answer<unknown>> {
  const { response, text } = await send(options, await requestOf(options, id, input, call), call);
  const data = isStream(id) ? response.body : readReply(response, text);
  return { data, status: response.status, headers: response.headers };
}

/**
 * A client of a Posthorn service: one method for each operation, `client.getPost({ slug })`, with path and query
 * parameters and `body` in one object. Writes carry an Idempotency-Key; what passes is retried; lists can be iterated.
 * Methods reject with PosthornError.
 */
export function createClient(options: ClientOptions): Client {
  const run = (id: keyof Operations, input: Input, call: CallOptions): Call<unknown> => {
    const first = callOf(answerOf(options, id, input, call));
    const kind = kindOf(id);
    if (kind !== 'page' && kind !== 'cursor') return first;
    return listCallOf(first, (more) => run(id, { ...input, ...more }, call));
  };
  const methods = (Object.keys(OPERATIONS) as (keyof Operations)[]).map((id) => [
    id,
    (input: Input = {}, call: CallOptions = {}) => run(id, input, call),
  ]);
  return Object.fromEntries(methods) as Client;
}
