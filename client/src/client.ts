import { type Answer, type Call, callOf, type ListCall, listCallOf, readReply } from './call.ts';
import { OPERATIONS, type Operations } from './generated.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { checkBaseUrl } from './redirects.ts';
import { type Input, requestOf } from './request.ts';
import { send, streamOf } from './send.ts';

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

/** What the reply is: a page of a list, a stream, or a value. */
const kindOf = (id: keyof Operations): string | undefined => (OPERATIONS[id] as readonly [string, string, string?])[2];

async function answerOf(
  options: ClientOptions,
  id: keyof Operations,
  input: Input,
  call: CallOptions,
): Promise<Answer<unknown>> {
  const request = await requestOf(options, id, input, call);
  const { response, text } = await send(options, request, call);
  const data = request.isStream ? streamOf(response.body, call) : readReply(response, text);
  return { data, status: response.status, headers: response.headers };
}

/**
 * A client of a Posthorn service: one method for each operation, `client.getPost({ slug })`, with path and query
 * parameters and `body` in one object. Writes carry an Idempotency-Key; what passes is retried; lists can be iterated.
 * Methods reject with PosthornError, as does a stream that breaks off; with InvalidInputError, a TypeError, for an input that cannot be sent;
 * with the reason of `signal`, and with what `credential` throws. Throws TypeError for a `baseUrl` that is no address.
 */
export function createClient(options: ClientOptions): Client {
  checkBaseUrl(options.baseUrl);
  const run = (id: keyof Operations, input: Input, call: CallOptions): Call<unknown> => {
    const first = callOf(answerOf(options, id, input, call));
    const kind = kindOf(id);
    if (kind !== 'page' && kind !== 'cursor') return first;
    return listCallOf(first, (more) => run(id, { ...input, ...more }, call), input['limit']);
  };
  const methods = (Object.keys(OPERATIONS) as (keyof Operations)[]).map((id) => [
    id,
    (input: Input = {}, call: CallOptions = {}) => run(id, input, call),
  ]);
  return Object.fromEntries(methods) as Client;
}
