import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { AppError, invalid } from '../../contracts/errors.ts';
import { envelope } from './errors.ts';

/** Ids that we keep from the caller (contract: "Conventions"). */
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** The caller's `X-Request-Id` where it has the form of one, else a new id. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Whether an `Accept` header lets us answer in JSON (RFC 9110 §12.5.1). `*+json` are formats of their own. */
function acceptsJson(headers: IncomingHttpHeaders): boolean {
  const wanted = new Negotiator({ headers });
  // The second for `application/json` with parameters, which the library holds to be another type.
  return (
    wanted.mediaType(['application/json']) !== undefined ||
    wanted.mediaTypes().some((type) => type.toLowerCase() === 'application/json')
  );
}

/**
 * U+0000, which PostgreSQL cannot store, is refused in an address; but in `q`, the text of a search, it parts words like
 * any other character that is in none (contract §3: no search is an error).
 */
function checkNul({ url, query }: FastifyRequest): AppError | undefined {
  const others = Object.entries(query as Record<string, unknown>).filter(([name]) => name !== 'q');
  const texts = others.flatMap(([name, value]) => [name, value].flat());
  if (url.split('?', 1)[0]?.includes('%00') || texts.some((text) => String(text).includes('\0'))) {
    return invalid({ path: 'url', message: 'must not hold the character U+0000' });
  }
  const parameters = query as { q?: unknown };
  if (typeof parameters.q === 'string') parameters.q = parameters.q.replaceAll('\u0000', ' ');
  return undefined;
}

/**
 * The fault of what no route takes: no host named, another format than JSON asked for, a character that PostgreSQL cannot
 * store. Runs before every request, so comparisons of strings decide what is common.
 */
export function checkRequest(request: FastifyRequest): AppError | undefined {
  const { headers, raw, url } = request;
  const { accept, host } = headers;
  if (host === undefined && raw.httpVersion !== '1.0') return invalid({ path: 'header.host', message: 'is required' });
  if (accept && accept !== '*/*' && accept !== 'application/json' && url.startsWith('/v1/') && !acceptsJson(headers)) {
    return new AppError('NOT_ACCEPTABLE');
  }
  return url.includes('%00') ? checkNul(request) : undefined;
}

/** UNSUPPORTED_MEDIA_TYPE for a body that is compressed or in another charset than UTF-8, else null. */
export function codingFault(headers: IncomingHttpHeaders): AppError | null {
  const { 'content-encoding': coding, 'content-type': type = '' } = headers;
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The body must be sent without Content-Encoding.',
      headers: { 'accept-encoding': 'identity' },
    });
  }
  if (type === 'application/json') return null;
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') return null;
  return new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'The charset of the body must be utf-8.' });
}

/** The error as the envelope of interface.md §7. Written here, so that no serializer of a route can fail on it. */
export const sendError = (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json')
    .send(JSON.stringify(envelope(error, request.id)));

/** Writes a failure to the log. */
export type TellFailure = (error: AppError, about: { requestId: string; operationId: string | undefined }) => void;

/** An `Expect` other than `100-continue`: Node would answer without our envelope. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const id = requestIdOf(request.headers['x-request-id']);
  const error = invalid({ path: 'header.expect', message: 'must be 100-continue' });
  const body = JSON.stringify(envelope(error, id));
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    connection: 'close',
  });
  response.end(body);
}

const TWICE = /^\/v1\/v1(?:\/|$)/;

/** An address that is none of ours, told apart from an operation that finds nothing. */
function noOperation(path: string, isKnown: (path: string) => boolean): AppError {
  const why = TWICE.test(path)
    ? 'it has /v1 twice, which is no part of the base URL'
    : isKnown(path.toLowerCase())
      ? 'upper and lower case count in it'
      : '/openapi.json lists those that there are, and /docs/api shows them';
  return new AppError('NOT_FOUND', { message: `There is no operation at this address: ${why}.` });
}

/** A browser asks first for what a page of another origin would send, and its console does not say why that fails. */
const PREFLIGHT =
  'Pages of other origins may not use this address in a browser; the setting CORS_ORIGINS lets them use those of the API.';

/**
 * 405 with Allow where another method of the same address exists, else 404. `isPage`: whether an address is among those that people
 * read in a browser. No body is parsed for it, which takes time, and anybody may send one.
 */
export function refuseUnknown(
  app: FastifyInstance,
  routes: readonly { method: string; path: string }[],
  isPage: (url: string) => boolean,
): void {
  const patterns = routes.map((r) => ({
    methods: r.method === 'GET' ? ['GET', 'HEAD'] : [r.method],
    test: new RegExp(`^${r.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  const isKnown = (path: string): boolean => patterns.some((p) => p.test.test(path));
  const refusalOf = (request: FastifyRequest): AppError => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = [...new Set(patterns.filter((p) => p.test.test(path)).flatMap((p) => p.methods))];
    if (allowed.includes(request.method)) return new AppError('NOT_FOUND');
    if (allowed.length === 0) return isPage(path) ? new AppError('NOT_FOUND') : noOperation(path, isKnown);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    const allow = allowed.join(', ');
    const message = isPreflight ? PREFLIGHT : `This address takes ${allow}, not ${request.method}.`;
    return new AppError('METHOD_NOT_ALLOWED', { message, headers: { allow } });
  };
  app.addHook('onRequest', (request, _reply, done) => done(request.is404 ? refusalOf(request) : undefined));
  app.setNotFoundHandler((request) => {
    throw refusalOf(request);
  });
}
