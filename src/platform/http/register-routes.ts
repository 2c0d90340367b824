import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import type { AnyCaller } from '../../contracts/caller.ts';
import { ERRORS, type ErrorCode, invalid, invalidAll } from '../../contracts/errors.ts';
import type { Admission } from './admission.ts';
import { toAppError } from './errors.ts';
import { bytesOf, type Octets } from './etag.ts';
import { replyLookup } from './idempotency/idempotency.ts';
import { listeningUrl } from './listening.ts';
import { withMoreFaults } from './more-faults.ts';
import { recordRefusals } from './record-refusals.ts';
import type { AnyRoute, Reply } from './route.ts';
import { type RunInput, type RunnerDeps, runRoute } from './run-route.ts';
import type { ShortWay } from './short-way.ts';
import type { HttpContext } from './types.ts';
import { type Check, detailsOf } from './validators.ts';

const NOBODY: AnyCaller = { kind: 'nobody' };

/** Largest body of whoever has no credential: names and passwords. Bytes. */
const PUBLIC_BODY_LIMIT = 16_384;
/**
 * Largest body of whoever may sign up (comments, of 4,000 characters), or is a merchant or a business (settings of an endpoint). A body is
 * parsed where all requests are served, 2 MiB of some for a second: those are for whoever publishes, writes or operates. Bytes.
 */
const OTHERS_BODY_LIMIT = 65_536;

/** Bytes of body that a route takes. */
function bodyLimitOf({ access, bodyLimit }: AnyRoute, most: number): number {
  if (bodyLimit !== undefined) return bodyLimit;
  if (access === 'public') return Math.min(PUBLIC_BODY_LIMIT, most);
  const isForOthers =
    access === 'session' ||
    access === 'any' ||
    (typeof access === 'object' && ('account' in access || access.key === 'blog:read'));
  return isForOthers ? Math.min(OTHERS_BODY_LIMIT, most) : most;
}

const errorCodes = (route: AnyRoute): ErrorCode[] => {
  // Every operation refuses unknown query parameters, so each can answer VALIDATION_ERROR.
  const codes = new Set<ErrorCode>([
    'VALIDATION_ERROR',
    'NOT_ACCEPTABLE',
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'UNAVAILABLE',
    ...(route.errors ?? []),
  ]);
  if (route.access !== 'public') codes.add('UNAUTHENTICATED');
  if (!['public', 'any', 'session'].includes(route.access as string)) codes.add('FORBIDDEN');
  // A browser's cookie on a request that another site caused.
  if (route.access !== 'public' && route.method !== 'GET') codes.add('FORBIDDEN');
  // Also where no body is taken: one that is sent all the same is read before it is refused.
  if (route.method !== 'GET') codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if (route.kind !== 'read') codes.add('IDEMPOTENCY_IN_PROGRESS').add('IDEMPOTENCY_KEY_REUSED');
  return [...codes];
};

const SUCCESSES: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: it is kept, and done soon.',
  204: 'Done; no body.',
  304: 'Not changed since the reply with that `ETag`; no body.',
};

function responses(route: AnyRoute): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [status, schema] of Object.entries(route.schemas.replies as Record<string, object | null>)) {
    const description = SUCCESSES[status] ?? 'Done.';
    // Apart from the description of the schema itself, which is the same wherever it is used.
    out[status] = { ...(schema ?? { type: 'null' }), 'x-response-description': description };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes(route))
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  for (const [status, codes] of byStatus) out[status] = { ...Type.Ref('Error'), description: codes.join(', ') };
  return out;
}

function schemaOf(route: AnyRoute): FastifySchema & Record<string, unknown> {
  const { params, query, body } = route.schemas as { params?: unknown; query?: object; body?: unknown };
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    security: route.access === 'public' ? [] : securityOf(route),
    ...(params ? { params } : {}),
    // Without a schema every parameter would be taken; with this, an unknown one is refused.
    querystring: { ...(query ?? Type.Object({})), additionalProperties: false },
    ...(body ? { body } : {}),
    response: responses(route),
  };
}

function securityOf(route: AnyRoute): Record<string, string[]>[] {
  const { access } = route;
  if (access === 'session' || access === 'writer' || access === 'editor')
    return [{ session: [] }, { browserSession: [] }];
  return [{ apiKey: [] }, { session: [] }, { browserSession: [] }];
}

/** Past Fastify's own sending, which takes such a string for text and would encode it again. */
function sendOctets(reply: FastifyReply, status: number, bytes: Octets, { isLast, forOrigin }: Ends): FastifyReply {
  reply.header('content-type', 'application/json; charset=utf-8');
  if (reply.request.method === 'HEAD') return reply.send(bytesOf(bytes));
  reply.header('content-length', bytes.length);
  if (isLast()) reply.header('connection', 'close');
  forOrigin(reply);
  reply.hijack();
  reply.raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  // Behind another reply of the connection, Node would send the 100 of an `Expect` between the head and a buffer.
  const isExpected = reply.request.headers.expect !== undefined;
  reply.raw.end(isExpected ? bytesOf(bytes).toString('latin1') : bytes, 'latin1');
  return reply;
}

/** The body of a request does not fit, and the route is to keep it: then its query was not looked at. */
function checkQuery(fault: Error & { validationContext?: string }, request: FastifyRequest): void {
  if (fault.validationContext !== 'body') throw fault;
  const check = request.getValidationFunction('querystring') as Check | undefined;
  const fits = check?.(request.query) ?? true;
  if (fits !== true) throw invalidAll(detailsOf(fits.error, 'querystring'));
}

/** `Authorization` keeps shared caches from storing a reply (RFC 9111 §3.5); a cookie does not. */
const isByCookie = ({ headers, caller = NOBODY }: FastifyRequest): boolean =>
  headers.authorization === undefined && caller.kind !== 'nobody';

function send(reply: FastifyReply, result: Reply, ends: Ends): FastifyReply {
  reply.code(result.status);
  if (result.status < 300 && isByCookie(reply.request)) reply.header('cache-control', 'private, no-store');
  if (result.headers) reply.headers(result.headers);
  if (result.bytes !== undefined) return sendOctets(reply, result.status, result.bytes, ends);
  if (result.body === undefined || result.body === null) return reply.send();
  return reply.send(result.body);
}

/** What every reply is told at its end, by hooks or, where there are none, here. */
interface Ends {
  /** Whether a reply is to be the last on its connection. */
  isLast: () => boolean;
  /** Says which pages of other origins may read it. */
  forOrigin: (reply: FastifyReply) => void;
}

export interface RegisterOptions extends Ends {
  admission: Admission;
  shortWay: Pick<ShortWay, 'remember'>;
}

/** Turns the list of routes into Fastify routes. */
export function registerRoutes(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  context: HttpContext,
  { admission, shortWay, isLast, forOrigin }: RegisterOptions,
): void {
  const { config, clock, newId } = context;
  const { db, cipher } = context;
  const runner: RunnerDeps = { db, cipher, findReply: replyLookup(db, cipher) };
  const running = new Set<string>();
  for (const schema of new Set(routes.flatMap((route) => route.named ?? []))) app.addSchema(schema);
  const listening = (): string => listeningUrl(app.server, config);
  for (const route of routes) {
    const takesBody = (route.schemas as { body?: unknown }).body !== undefined;
    const run = (request: FastifyRequest, why: Pick<RunInput, 'misfit' | 'refusal'>): Promise<Reply> => {
      const now = clock.now();
      const caller = request.caller ?? NOBODY;
      return runRoute(runner, running, route, {
        params: request.params,
        query: request.query,
        body: takesBody ? request.body : undefined,
        caller,
        env: {
          now: new Date(now),
          waitedMs: () => Math.max(0, clock.now() - now),
          newId,
          requestId: request.id,
          ...(caller.kind === 'nobody' ? {} : { by: caller }),
        },
        headers: request.headers as Record<string, string | undefined>,
        listening,
        hasLeft: () => request.raw.socket.destroyed,
        ...(request.rawBody === undefined ? {} : { rawBody: request.rawBody }),
        ...why,
        url: request.url,
        ip: request.ip,
      });
    };
    const refusals = route.recordsRefusals ? recordRefusals(route, admission, run) : undefined;
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: schemaOf(route),
      config: { operationId: route.operationId, kind: route.kind },
      attachValidation: refusals !== undefined,
      ...(route.moreFaults ? { errorHandler: withMoreFaults(route.moreFaults) } : {}),
      ...(refusals ? { errorHandler: refusals.onError } : {}),
      bodyLimit: bodyLimitOf(route, config.BODY_LIMIT_BYTES),
      onRequest(request, reply, done) {
        const enter = (caller: AnyCaller): void => {
          request.caller = caller;
          done();
        };
        try {
          const admitted = admission.admit(route, request, reply);
          if (admitted instanceof Promise) void admitted.then(enter, done);
          else enter(admitted);
        } catch (error) {
          done(error as Error);
        }
      },
      preValidation(request, _reply, done) {
        if (takesBody && request.body === undefined) request.body = {};
        const isRefused = !takesBody && request.body !== undefined && request.rawBody?.trim() !== '{}';
        done(isRefused ? invalid({ path: 'body', message: 'this operation takes none' }) : undefined);
      },
      async handler(request, reply) {
        if (route.limit !== undefined) await admission.countMore(route.limit, request, reply);
        const fault = request.validationError;
        if (fault) checkQuery(fault, request);
        refusals?.begun(request);
        const result = await run(request, fault ? { misfit: toAppError(fault) } : {});
        if (result.again && request.caller?.kind === 'key') shortWay.remember(request.url, route, result.again);
        return send(reply, result, { isLast, forOrigin });
      },
    });
  }
}
