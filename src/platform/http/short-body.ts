import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { KeyCaller } from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Env } from '../db/types.ts';
import type { Admission } from './admission.ts';
import type { Cors } from './cors.ts';
import { envelope, toAppError } from './errors.ts';
import { type Octets, octets } from './etag.ts';
import type { Observer } from './observe.ts';
import type { PlainRequest } from './plain-request.ts';
import { type LimitResult, limitHeaders } from './rate-limit.ts';
import { requestIdOf, type TellFailure } from './refusals.ts';
import type { AnyRoute, BatchRoute } from './route.ts';
import type { ShortHead } from './short-head.ts';
import { hasPlainHead, isPlain, may } from './short-way.ts';
import { type Check, validatorCompiler } from './validators.ts';

/** A longer body goes the long way: there, what the framework costs is little beside it. Bytes. */
const LONGEST = 65_536;
/** What has to be looked at more closely: escapes, which may stand for U+0000 or for one of the keys behind it. */
const SUSPECT = ['\\u', '__proto__', 'constructor'];

// oxlint-disable-next-line typescript/no-explicit-any -- as in AnyRoute
type ShortRoute = BatchRoute<any, any> & Required<Pick<BatchRoute<any, any>, 'handleShort'>>;

/** Whether plain requests to the route may be taken here. */
export const takesShort = (route: AnyRoute): route is ShortRoute =>
  route.kind === 'batch' && route.handleShort !== undefined;

/** A route that takes plain requests on the short way, and the check of its body. */
interface Taking {
  route: ShortRoute;
  check: Check;
}

/** One request that is being taken. */
interface Taken {
  taking: Taking;
  caller: KeyCaller;
  startedAt: number;
}

/** Whoever asked, by whichever reader of the request. */
interface Asker {
  headers: IncomingMessage['headers'];
  /** Whether the connection can carry another request. */
  isKept(): boolean;
  /** `fields`: each with its end of line. */
  reply(status: number, fields: string, bytes: Octets): void;
  replyLast(status: number, headers: Readonly<Record<string, string>>, bytes: Octets): void;
  /** Without a reply. */
  hangUp(): void;
}

/** A request that fits, and is counted. */
interface Asked extends Taken {
  asker: Asker;
  body: unknown;
  limit: LimitResult;
}

export interface ShortBodiesOptions {
  admission: Pick<Admission, 'known' | 'isOver' | 'count'>;
  head: Pick<ShortHead, 'send' | 'write'>;
  observer: Pick<Observer, 'answered'>;
  /** Our own failures, for the log. */
  tellFailure: TellFailure;
  /** Whether each request has to be told in full now: logged, or the last on its connection. */
  isClosed: () => boolean;
  /** Pages of other origins that may read replies; null: none. */
  cors: Cors | null;
  clock: Clock;
  monotonic: () => number;
  newId: () => string;
  /** Largest body. Bytes. */
  bodyLimit: number;
}

/**
 * Takes plain requests with a body for routes that need nothing but it (`handleShort`) ahead of the framework: the same key check, rate limit, checks
 * of the body, header fields, log and metrics, without hooks and routing. Whatever is not quite that, and whatever is to be refused before the
 * handler, goes the long way as it came (docs/adr/0016). One whose caller has hung up meanwhile is counted and logged by what became of it.
 */
export class ShortBodies {
  readonly #options: ShortBodiesOptions;
  readonly #byUrl = new Map<string, Taking>();

  constructor(options: ShortBodiesOptions) {
    this.#options = options;
  }

  /** Has plain requests to this route taken here from now on. Throws for one that needs what only the long way does. */
  take(route: ShortRoute): void {
    const { path, access, limit, recordsRefusals, bodyLimit } = route;
    if (path.includes('{') || access === 'public' || limit || recordsRefusals || bodyLimit)
      throw new Error(`${route.operationId} cannot be taken on the short way`);
    const schema = route.schemas.body as object;
    this.#byUrl.set(route.path, { route, check: validatorCompiler({ schema, httpPart: 'body' }) });
  }

  /**
   * True when it is taken; it may still be given to `takeLong` then, as it came. False: nothing has been done. `answered`: it has its reply, and the
   * connection may bring another request.
   */
  answer(request: IncomingMessage, response: ServerResponse, takeLong: () => void, answered: () => void): boolean {
    const { method, url, headers } = request;
    if (method !== 'POST' || url === undefined || !response.shouldKeepAlive || !isPlain(request)) return false;
    const asked = this.#asked(url, headers);
    if (!asked) return false;
    const asker: Asker = {
      headers,
      isKept: () => response.shouldKeepAlive,
      reply: (status, fields, bytes) => {
        this.#options.head.send(response, status, fields, bytes);
        answered();
      },
      // The shutdown has begun meanwhile, or what is no HTTP came behind it: it is the last one on its connection.
      replyLast: (status, last, bytes) =>
        void response.writeHead(status, { ...last, connection: 'close' }).end(bytes, 'latin1'),
      hangUp: () => void response.destroy(),
    };
    this.#read(request, { ...asked, asker, takeLong });
    return true;
  }

  /** As `answer`, of a request that was read ahead of Node's parser. `done` is told when it has its reply, later than this returns. */
  answerAhead(socket: Socket, { head, body: bytes }: PlainRequest, done: (isLast?: true) => void): boolean {
    const { url, headers } = head;
    const asked = hasPlainHead(headers) ? this.#asked(url, headers) : null;
    if (!asked) return false;
    const body = this.#bodyOf(bytes, asked.taking);
    const limit = body === undefined ? null : this.#options.admission.count(asked.caller);
    if (!limit?.allowed) return false;
    const asker: Asker = {
      headers,
      isKept: () => true,
      reply: (status, fields, reply) => {
        this.#options.head.write(socket, status, fields, reply);
        done();
      },
      replyLast: (status, last, reply) => {
        this.#options.head.write(socket, status, fieldsOf(last), reply, true);
        done(true);
      },
      hangUp: () => void socket.destroy(),
    };
    this.#answer({ ...asked, asker, body, limit });
    return true;
  }

  /** Who asks for what, where nothing but the body is still to be looked at. */
  #asked(url: string, headers: IncomingMessage['headers']): (Taken & { length: number }) | null {
    const taking = this.#byUrl.get(url);
    if (!taking || this.#options.isClosed()) return null;
    const length = this.#lengthOf(headers);
    const caller = length === null ? null : this.#options.admission.known(headers.authorization);
    if (length === null || !caller || !may(taking.route, caller)) return null;
    // Refused by its head, as every other.
    if (this.#options.admission.isOver(caller)) return null;
    return { length, taking, caller, startedAt: this.#options.monotonic() };
  }

  /** Of the body, where nothing else has to be known of it; else null. Bytes. */
  #lengthOf(headers: IncomingMessage['headers']): number | null {
    const type = headers['content-type'];
    if (type !== 'application/json' && type !== 'application/json; charset=utf-8') return null;
    if (headers['content-encoding'] !== undefined || headers['idempotency-key'] !== undefined) return null;
    const length = Number(headers['content-length']);
    return length > 0 && length <= Math.min(LONGEST, this.#options.bodyLimit) ? length : null;
  }

  #read(
    request: IncomingMessage,
    { length, takeLong, ...taken }: Taken & { asker: Asker; length: number; takeLong: () => void },
  ): void {
    const parts: Buffer[] = [];
    let read = 0;
    const onData = (part: Buffer): void => {
      parts.push(part);
      read += part.length;
      if (read < length) return;
      const bytes = parts.length === 1 ? part : Buffer.concat(parts);
      const body = this.#bodyOf(bytes, taken.taking);
      const limit = body === undefined ? null : this.#options.admission.count(taken.caller);
      if (limit?.allowed) {
        this.#answer({ ...taken, body, limit });
        return;
      }
      // As if nobody had read it; its end has not been told yet. What is over the limit is counted once more there, and refused.
      request.pause();
      request.off('data', onData);
      request.unshift(bytes);
      takeLong();
    };
    request.on('data', onData);
  }

  #answer(asked: Asked): void {
    this.#handle(asked).catch((error: unknown) => {
      // Of telling it. Whoever asked is told by the end of the connection that nothing is known.
      const requestId = requestIdOf(asked.asker.headers['x-request-id']);
      const { operationId } = asked.taking.route;
      this.#options.tellFailure(new AppError('INTERNAL_ERROR', { cause: error }), { requestId, operationId });
      asked.asker.hangUp();
    });
  }

  /** undefined: the long way says what is wrong with it, or that nothing is. */
  #bodyOf(bytes: Buffer, { check }: Taking): unknown {
    if (!isUtf8(bytes)) return undefined;
    const text = bytes.toString();
    if (SUSPECT.some((part) => text.includes(part))) return undefined;
    try {
      const body: unknown = JSON.parse(text);
      return check(body) === true ? body : undefined;
    } catch {
      return undefined;
    }
  }

  async #handle({ asker, taking, caller, startedAt, body, limit }: Asked): Promise<void> {
    const { clock, newId, monotonic, observer } = this.#options;
    const { route } = taking;
    const { headers } = asker;
    const { operationId } = route;
    const requestId = requestIdOf(headers['x-request-id']);
    const now = clock.now();
    const env: Env = { now: new Date(now), waitedMs: () => Math.max(0, clock.now() - now), newId, requestId };
    let status: number;
    let reply: { body?: unknown; headers?: Readonly<Record<string, string>> };
    try {
      const given = await route.handleShort({ body, env });
      ({ status } = given);
      reply = given;
    } catch (error) {
      const known = toAppError(error);
      if (known.status >= 500) this.#options.tellFailure(known, { requestId, operationId });
      ({ status } = known);
      reply = { body: envelope(known, requestId), headers: known.headers };
    }
    const vary = reply.headers?.vary;
    const fields = { ...reply.headers, ...this.#options.cors?.fieldsFor(headers.origin, vary) };
    this.#send(asker, status, reply.body, { 'x-request-id': requestId, ...limitHeaders(limit), ...fields });
    const ms = monotonic() - startedAt;
    observer.answered(route.kind, { requestId, operationId, method: route.method, status, ms, caller });
  }

  #send(asker: Asker, status: number, body: unknown, given: Readonly<Record<string, string>>): void {
    const bytes = octets(JSON.stringify(body));
    const type = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(bytes.length) };
    const headers: Record<string, string> = { ...given, ...type };
    if (this.#options.isClosed() || !asker.isKept()) {
      asker.replyLast(status, headers, bytes);
      return;
    }
    asker.reply(status, fieldsOf(headers), bytes);
  }
}

function fieldsOf(headers: Readonly<Record<string, string>>): string {
  let fields = '';
  for (const name in headers) fields += `${name}: ${headers[name]}\r\n`;
  return fields;
}
