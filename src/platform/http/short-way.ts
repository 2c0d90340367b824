import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AnyCaller } from '../../contracts/caller.ts';
import { BoundedMap } from '../../lib/bounded-map.ts';
import type { Admission } from './admission.ts';
import { authorize } from './caller.ts';
import type { Cors } from './cors.ts';
import type { Octets } from './etag.ts';
import type { RequestHead } from './plain-request.ts';
import { limitFields } from './rate-limit.ts';
import { requestIdOf } from './refusals.ts';
import type { Again, AnyRoute, Reply } from './route.ts';
import type { ShortHead } from './short-head.ts';

/** Addresses that are remembered; each takes about 1 kB. */
const ADDRESSES = 10_000;
/** A longer address is answered in the long way. Characters. */
const LONGEST = 500;

/** `fields`: each with its end of line. */
type Send = (status: number, fields: string, bytes: Octets | undefined) => void;

interface Remembered {
  route: AnyRoute;
  again: Again;
}

export interface ShortWayOptions {
  admission: Pick<Admission, 'known' | 'count'>;
  head: Pick<ShortHead, 'send' | 'write'>;
  /** A request was answered. */
  observed: (operationId: string, status: number, ms: number) => void;
  /** Whether each request has to be told in full now: logged, or the last on its connection. */
  isClosed: () => boolean;
  /** Pages of other origins that may read replies; null: none. */
  cors: Cors | null;
  monotonic: () => number;
}

/** Whether the access of the route lets this caller in. */
export const may = (route: AnyRoute, caller: AnyCaller): boolean => {
  try {
    authorize(route.access, caller as never);
    return true;
  } catch {
    return false;
  }
};

/**
 * Answers a read that was answered before ahead of the framework, in one go, when its route says that the same holds
 * still (`Reply.again`): the same key check, rate limit, header fields and metrics, without hooks, routing and promises.
 * Whatever is not quite that (another method, a body, a session, a limit reached, an `Accept` to be weighed) goes the long
 * way, so this knows no error (docs/adr/0016).
 */
export class ShortWay {
  readonly #options: ShortWayOptions;
  readonly #remembered = new BoundedMap<string, Remembered>(ADDRESSES);

  constructor(options: ShortWayOptions) {
    this.#options = options;
  }

  /** `url` was answered by this route to an API key, and may be again. */
  remember(url: string, route: AnyRoute, again: Again): void {
    if (url.length <= LONGEST && route.access !== 'public') this.#remembered.set(url, { route, again });
  }

  /** True when it was answered; else nothing has been done. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { method, url, headers } = request;
    if (method !== 'GET' || url === undefined || !response.shouldKeepAlive) return false;
    if (!isPlain(request) || headers['content-length'] !== undefined) return false;
    return this.#answer(url, headers as Record<string, string | undefined>, (status, fields, bytes) =>
      this.#options.head.send(response, status, fields, bytes),
    );
  }

  /** As `answer`, of a request that was read ahead of Node's parser. */
  answerAhead(socket: Socket, { url, headers }: RequestHead): boolean {
    if (!hasPlainHead(headers)) return false;
    return this.#answer(url, headers, (status, fields, bytes) =>
      this.#options.head.write(socket, status, fields, bytes),
    );
  }

  #answer(url: string, headers: Readonly<Record<string, string | undefined>>, send: Send): boolean {
    const known = this.#remembered.get(url);
    if (!known || this.#options.isClosed()) return false;
    const startedAt = this.#options.monotonic();
    let told: { reply: Reply; fields: string } | null;
    try {
      told = this.#replyTo(headers, known);
    } catch {
      // The long way meets the same error, and tells it.
      return false;
    }
    if (!told) return false;
    const { status, bytes } = told.reply;
    send(status, told.fields, bytes);
    this.#options.observed(known.route.operationId, status, this.#options.monotonic() - startedAt);
    return true;
  }

  #replyTo(
    headers: Readonly<Record<string, string | undefined>>,
    { route, again }: Remembered,
  ): { reply: Reply; fields: string } | null {
    const { admission, cors } = this.#options;
    const caller = admission.known(headers.authorization);
    if (!caller || !may(route, caller)) return null;
    const reply = again(headers);
    // What has a body says how long it is, and only that has one.
    if (!reply || (reply.bytes === undefined) !== (reply.status === 304)) return null;
    const limit = admission.count(caller);
    // Counted once more on the long way, which is where it is refused.
    if (!limit.allowed) return null;
    let fields = `x-request-id: ${requestIdOf(headers['x-request-id'])}\r\n${limitFields(limit)}`;
    const given = cors ? { ...reply.headers, ...cors.fieldsFor(headers.origin, reply.headers?.vary) } : reply.headers;
    for (const name in given) fields += `${name}: ${given[name]}\r\n`;
    if (reply.bytes !== undefined)
      fields += `content-type: application/json; charset=utf-8\r\ncontent-length: ${reply.bytes.length}\r\n`;
    return { reply, fields };
  }
}

/** Nothing that a header field asks for besides, and nothing that is said to come in another way than by its length. */
export const isPlain = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === '1.1' && hasPlainHead(headers);

/** The same of a request of HTTP/1.1. */
export const hasPlainHead = (headers: IncomingMessage['headers']): boolean => {
  const { accept, host } = headers;
  return (
    host !== undefined &&
    (accept === undefined || accept === '*/*' || accept === 'application/json') &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined
  );
};
