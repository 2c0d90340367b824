import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyCaller } from '../../contracts/caller.ts';
import { AppError } from '../../contracts/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Env } from '../db/types.ts';
import type { Admission } from './admission.ts';
import type { Cors } from './cors.ts';
import { envelope, toAppError } from './errors.ts';
import { octets } from './etag.ts';
import type { Observer } from './observe.ts';
import { type LimitResult, limitHeaders } from './rate-limit.ts';
import { requestIdOf, type TellFailure } from './refusals.ts';
import type { AnyRoute, BatchRoute } from './route.ts';
import type { ShortHead } from './short-head.ts';
import { isPlain, may } from './short-way.ts';
import { validatorCompiler } from './validators.ts';

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
  fits: (body: unknown) => boolean;
}

/** One request that is being taken. */
interface Taken {
  taking: Taking;
  caller: KeyCaller;
  startedAt: number;
  /** In the long way, if it turns out to be for that. */
  takeLong: () => void;
}

export interface ShortBodiesOptions {
  admission: Pick<Admission, 'known' | 'isOver' | 'count'>;
  head: Pick<ShortHead, 'send'>;
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
    const fits = validatorCompiler({ schema, method: route.method, url: route.path, httpPart: 'body' });
    this.#byUrl.set(route.path, { route, fits: fits as Taking['fits'] });
  }

  /** True when it is taken; it may still be given to `takeLong` then, as it came. False: nothing has been done. */
  answer(request: IncomingMessage, response: ServerResponse, takeLong: () => void): boolean {
    const { method, url } = request;
    const taking = method === 'POST' && url !== undefined ? this.#byUrl.get(url) : undefined;
    if (!taking || !response.shouldKeepAlive || !isPlain(request) || this.#options.isClosed()) return false;
    const length = this.#lengthOf(request);
    const caller = length === null ? null : this.#options.admission.known(request.headers.authorization);
    if (length === null || !caller || !may(taking.route, caller)) return false;
    // Refused by its head, as every other.
    if (this.#options.admission.isOver(caller)) return false;
    this.#read(request, response, {
      length,
      taken: { taking, caller, startedAt: this.#options.monotonic(), takeLong },
    });
    return true;
  }

  /** Of the body, where nothing else has to be known of it; else null. Bytes. */
  #lengthOf({ headers }: IncomingMessage): number | null {
    const type = headers['content-type'];
    if (type !== 'application/json' && type !== 'application/json; charset=utf-8') return null;
    if (headers['content-encoding'] !== undefined || headers['idempotency-key'] !== undefined) return null;
    const length = Number(headers['content-length']);
    return length > 0 && length <= Math.min(LONGEST, this.#options.bodyLimit) ? length : null;
  }

  #read(request: IncomingMessage, response: ServerResponse, { length, taken }: { length: number; taken: Taken }): void {
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
        this.#handle(request, response, { ...taken, body, limit }).catch((error: unknown) => {
          // Of telling it. Whoever asked is told by the end of the connection that nothing is known.
          const requestId = requestIdOf(request.headers['x-request-id']);
          const { operationId } = taken.taking.route;
          this.#options.tellFailure(new AppError('INTERNAL_ERROR', { cause: error }), { requestId, operationId });
          response.destroy();
        });
        return;
      }
      // As if nobody had read it; its end has not been told yet. What is over the limit is counted once more there, and refused.
      request.pause();
      request.off('data', onData);
      request.unshift(bytes);
      taken.takeLong();
    };
    request.on('data', onData);
  }

  /** undefined: the long way says what is wrong with it, or that nothing is. */
  #bodyOf(bytes: Buffer, { fits }: Taking): unknown {
    if (!isUtf8(bytes)) return undefined;
    const text = bytes.toString();
    if (SUSPECT.some((part) => text.includes(part))) return undefined;
    try {
      const body: unknown = JSON.parse(text);
      return fits(body) ? body : undefined;
    } catch {
      return undefined;
    }
  }

  async #handle(
    request: IncomingMessage,
    response: ServerResponse,
    { taking, caller, startedAt, body, limit }: Taken & { body: unknown; limit: LimitResult },
  ): Promise<void> {
    const { clock, newId, monotonic, observer } = this.#options;
    const { route } = taking;
    const { headers } = request;
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
    this.#send(response, status, reply.body, { 'x-request-id': requestId, ...limitHeaders(limit), ...fields });
    const ms = monotonic() - startedAt;
    observer.answered(route.kind, { requestId, operationId, method: route.method, status, ms, caller });
  }

  #send(response: ServerResponse, status: number, body: unknown, given: Readonly<Record<string, string>>): void {
    const bytes = octets(JSON.stringify(body));
    const type = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(bytes.length) };
    const headers: Record<string, string> = { ...given, ...type };
    if (this.#options.isClosed() || !response.shouldKeepAlive) {
      // The shutdown has begun meanwhile, or what is no HTTP came behind it: it is the last one on its connection.
      response.writeHead(status, { ...headers, connection: 'close' }).end(bytes, 'latin1');
      return;
    }
    let fields = '';
    for (const name in headers) fields += `${name}: ${headers[name]}\r\n`;
    this.#options.head.send(response, status, fields, bytes);
  }
}
