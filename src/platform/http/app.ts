import { isUtf8 } from 'node:buffer';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { AppError, invalid } from '../../contracts/errors.ts';
import { type Clock, monotonicNow, systemClock } from '../../lib/clock.ts';
import type { Log } from '../log/log.ts';
import { Admission } from './admission.ts';
import { watchAsking } from './asking.ts';
import { Cors } from './cors.ts';
import { hungUp, toAppError } from './errors.ts';
import { observeRequests } from './observe.ts';
import { reference } from './reference/reference.ts';
import { type ApiDocument, apiDocument } from './reference/api-document.ts';
import { type DocumentOptions, ErrorSchema, openapiBase } from './openapi.ts';
import { checkRequest, codingFault, refuseExpectation, refuseUnknown, requestIdOf, sendError } from './refusals.ts';
import type { PageSet } from './pages/page.ts';
import { answerError, errorPages, isOf, registerPages } from './pages/register-pages.ts';
import { registerRoutes } from './register-routes.ts';
import { buildSerializer } from './serializers.ts';
import { ShortBodies, takesShort } from './short-body.ts';
import { ShortHead } from './short-head.ts';
import { ShortWay } from './short-way.ts';
import { takeShortWays } from './short-ways.ts';
import { type ServedSite, serveStaticSite } from './static-site.ts';
import { relativeTo } from './relative-to.ts';
import type { HttpContext } from './types.ts';
import { failureTeller } from './tell-failure.ts';
import { boundUnread } from './unread.ts';
import { Unreadable } from './unreadable.ts';
import { watchUnsent } from './unsent.ts';
import { validatorCompiler } from './validators.ts';

/** JSON, but with a key by which code that copies objects carelessly changes the prototype of others. */
const PROTOTYPE_KEY = {
  path: 'body',
  message: 'must not have a key `__proto__`, nor `constructor` with `prototype` in it',
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** An escaped U+0000, which PostgreSQL cannot store; `\\u0000` (a backslash and letters) is text like any other. */
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/;

export interface HttpOptions extends DocumentOptions {
  /** Whether the service can do its work now, for /readyz. */
  isReady(): Promise<boolean>;
  /** The text of /metrics where it is of more than this process; else that of the context's registry. */
  scrape?(): Promise<string>;
  /** What people read in a browser, beside the operations. */
  pages?: readonly PageSet[];
  /** Page applications that are served beside the API. */
  sites?: readonly ServedSite[];
}

export interface HttpApp {
  app: FastifyInstance;
  openapi(): Record<string, unknown>;
  /** From now on it says that it is not ready, and each reply is the last on its connection; requests are served. */
  drain(): void;
  /** From now on every request is answered 503, and keep-alive connections end. */
  refuse(): void;
  /** Resolves when nobody has asked for a moment, or after `ms`: whoever keeps a connection has heard then that it is refused. */
  quiet(ms: number): Promise<void>;
}

/** So much of SHUTDOWN_SECONDS slow readers have to take what was answered; closing has 0.4 of it (app/start.ts). */
const UNSENT_SHARE = 0.3;

const shuttingDown = (): AppError =>
  new AppError('UNAVAILABLE', { message: 'The service is shutting down.', headers: { 'retry-after': '1' } });

function parseJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    const body = (bytes as Buffer).toString();
    const fault = codingFault(request.headers);
    if (fault) return done(fault);
    request.rawBody = body;
    // Decoding puts U+FFFD in place of what is none, so something else would be stored than was sent, or signed.
    if (!isUtf8(bytes as Buffer)) return done(invalid({ path: 'body', message: 'is not UTF-8' }));
    if (body.includes('\\u0000') && ESCAPED_NUL.test(body)) {
      return done(invalid({ path: 'body', message: 'must not hold the character U+0000' }));
    }
    return parse(request, body, (error, json) => done(error && isJson(body) ? invalid(PROTOTYPE_KEY) : error, json));
  });
}

/**
 * Where the service is reached below a path, which a proxy takes away, whoever follows a redirection to `/v1/…` would ask the server
 * that has the rest of the site, with their credential. A reference that is relative to what was asked is right for them, and for
 * those who come past the proxy (RFC 9110 §10.2.2).
 */
function redirectBelow(app: FastifyInstance, publicUrl: string | undefined): void {
  if (publicUrl === undefined || new URL(publicUrl).pathname === '/') return;
  app.addHook('onSend', (request, reply, payload, done) => {
    const location = reply.statusCode === 301 ? reply.getHeader('location') : undefined;
    if (typeof location === 'string' && location.startsWith('/v1/'))
      reply.header('location', relativeTo(request.url.split('?', 1)[0] ?? '', location));
    done(null, payload);
  });
}

/** Everything thrown becomes an answer in the envelope; what is our fault is an error in the log. */
function answerErrors(app: FastifyInstance, log: Log, answer: ReturnType<typeof answerError>): void {
  const tell = failureTeller(log);
  app.setErrorHandler((error, request, reply) => {
    const { operationId } = request.routeOptions.config;
    try {
      if (error instanceof Error && request.raw.errored === error) {
        log.debug({ requestId: request.id, operationId }, 'the caller hung up in the middle of the body');
        return sendError(hungUp(), request, reply);
      }
      const known = toAppError(error, request.routeOptions.bodyLimit);
      if (known.status >= 500) tell(known, { requestId: request.id, operationId });
      return answer(known, request, reply);
    } catch (err) {
      log.error({ err, requestId: request.id, operationId }, 'an error could not be told');
      return sendError(new AppError('INTERNAL_ERROR'), request, reply);
    }
  });
}

/** Whether the service's time is another than that of this machine, as far as a header field tells. */
const isOff = ({ offset }: Clock): boolean => offset !== undefined && Math.abs(offset[0] ?? 0) >= 1000;

const SYSTEM_PATHS = ['/healthz', '/readyz', '/metrics', '/openapi.json'];

function systemRoutes(app: FastifyInstance, context: HttpContext, options: HttpOptions, document: ApiDocument): void {
  const hide = { schema: { hide: true } };
  app.get('/healthz', hide, async () => ({ status: 'ok', version: options.version }));
  app.get('/readyz', hide, async (_request, reply) => {
    const ready = await options.isReady().catch(() => false);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' });
  });
  app.get('/metrics', hide, async (_request, reply) =>
    reply.type(context.metrics.contentType).send(await (options.scrape?.() ?? context.metrics.metrics())),
  );
  app.get('/openapi.json', hide, async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(document.json()),
  );
}

/** The HTTP side of the service: conventions of the contract for every route of the list. Does not listen yet. */
export async function createHttpApp(context: HttpContext, options: HttpOptions): Promise<HttpApp> {
  const { config, log } = context;
  let refusing = false;
  let draining = false;
  const unreadable = new Unreadable();
  const answer = answerError(errorPages(options.pages ?? []));
  const cors = config.CORS_ORIGINS ? new Cors(config.CORS_ORIGINS) : null;
  const forOrigin = (reply: FastifyReply): void => {
    const { url, headers } = reply.request;
    if (cors?.concerns(url))
      reply.headers(cors.fieldsFor(headers.origin, reply.getHeader('vary') as string | undefined));
  };
  const app = Fastify({
    logger: false,
    bodyLimit: config.BODY_LIMIT_BYTES,
    trustProxy: config.TRUST_PROXY ? [...config.TRUST_PROXY] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: 60_000,
    // Node would answer a request without Host by itself, without our envelope: checkRequest does.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id']),
    schemaController: { compilersFactory: { buildSerializer } },
    clientErrorHandler: unreadable.refuse,
    // Of an address that the router cannot read, such as `%zz`: no hook has run yet.
    frameworkErrors(error, request, given) {
      const reply = given as FastifyReply;
      forOrigin(reply);
      void answer(toAppError(error), request, reply.header('x-request-id', request.id));
    },
  });
  app.server.on('checkExpectation', refuseExpectation);
  unreadable.watch(app.server);
  boundUnread(app.server, config.BODY_LIMIT_BYTES);
  redirectBelow(app, config.POSTHORN_PUBLIC_URL);
  const sent = watchUnsent(app.server);
  app.addHook('preClose', () => sent(UNSENT_SHARE * config.SHUTDOWN_SECONDS * 1000));
  app.decorateRequest('caller', undefined);
  app.decorateRequest('rawBody', undefined);
  parseJson(app);
  app.setValidatorCompiler(validatorCompiler);
  app.addSchema(ErrorSchema);
  // Hooks by callback: they run on every request, and none of them has to wait.
  app.addHook('onSend', (_request, reply, payload, done) => {
    forOrigin(reply);
    // What was under way when the shutdown began is the last thing on its connection.
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Node's own is by the clock of this machine.
    if (isOff(context.clock)) reply.header('date', new Date(context.clock.now()).toUTCString());
    const preflight =
      request.method === 'OPTIONS' && cors?.concerns(request.url) ? cors.preflight(request.headers) : null;
    if (preflight) {
      reply.code(204).headers(preflight).send();
      return;
    }
    done(refusing ? shuttingDown() : checkRequest(request));
  });
  const observer = observeRequests(app, context);
  answerErrors(app, log, answer);
  const sets = options.pages ?? [];
  const addresses = [...options.routes, ...sets.flatMap((set) => set.pages)];
  const system = SYSTEM_PATHS.map((path) => ({ method: 'GET', path }));
  refuseUnknown(app, [...addresses, ...system], (url) => sets.some((set) => isOf(set, url)));
  await app.register(swagger, openapiBase(options));
  const document = apiDocument(app);
  await app.register(swaggerUi, reference(document));
  systemRoutes(app, context, { ...options, isReady: async () => !draining && (await options.isReady()) }, document);
  for (const site of options.sites ?? []) serveStaticSite(app, site);
  const admission = new Admission(context);
  // A reply that is to be logged, or the last on its connection, is the framework's.
  const isClosed = (): boolean => draining || log.isLevelEnabled('debug');
  const head = new ShortHead(context.clock.offset ? context.clock : systemClock);
  const short = { admission, head, isClosed, cors, monotonic: monotonicNow };
  const shortWay = new ShortWay({ ...short, observed: observer.observed });
  const shortBodies = new ShortBodies({
    ...short,
    observer,
    tellFailure: failureTeller(log),
    clock: context.clock,
    newId: context.newId,
    bodyLimit: config.BODY_LIMIT_BYTES,
  });
  for (const route of options.routes) if (takesShort(route)) shortBodies.take(route);
  registerRoutes(app, options.routes, context, { admission, shortWay, isLast: () => draining, forOrigin });
  for (const pages of options.pages ?? []) registerPages(app, pages, context, admission);
  takeShortWays(app.server, {
    reads: shortWay,
    bodies: shortBodies,
    begun: (request, response) => unreadable.begun(request, response),
  });
  head.keepAsLongAs(app.server);
  return {
    app,
    openapi: () => app.swagger() as unknown as Record<string, unknown>,
    quiet: watchAsking(app.server),
    drain() {
      draining = true;
    },
    refuse() {
      draining = true;
      refusing = true;
    },
  };
}
