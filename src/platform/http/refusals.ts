import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../../contracts/errors.ts';
import { envelope, toAppError } from './errors.ts';

/** Ids that we keep from the caller (contract: "Conventions"). */
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;
const ACCEPTS_JSON = /\*\/\*|application\/(json|\*)|\+json/i;

/** The caller's `X-Request-Id` where it has the form of one, else a new id. */
export function requestIdOf(request: { headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Throws for what no route takes: another format than JSON asked for, a character that PostgreSQL cannot store. */
export function checkRequest({ headers: { accept }, url }: FastifyRequest): void {
  if (accept !== undefined && url.startsWith('/v1/') && !ACCEPTS_JSON.test(accept)) {
    throw new AppError('NOT_ACCEPTABLE');
  }
  if (url.includes('%00')) throw invalid({ path: 'url', message: 'must not hold the character U+0000' });
}

/** The error as the envelope of interface.md §7. Written here, so that no serializer of a route can fail on it. */
export const sendError = (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .code(error.status)
    .headers(error.headers)
    .type('application/json')
    .send(JSON.stringify(envelope(error, request.id)));

/** An address that the router cannot read (`%zz`): no hook has run yet. */
export const refuseAddress = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  sendError(toAppError(error), request, reply.header('x-request-id', request.id));

/** What is no HTTP that Node can read never becomes a request; it is answered here, in the same envelope. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const id = randomUUID();
  const message = error.code === 'HPE_HEADER_OVERFLOW' ? 'The headers are too large.' : 'This is no HTTP request.';
  const body = JSON.stringify(envelope(new AppError('VALIDATION_ERROR', { message }), id));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-request-id: ${id}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** 405 with Allow where another method of the same address exists, else 404. */
export function refuseUnknown(app: FastifyInstance, routes: readonly { method: string; path: string }[]): void {
  const patterns = routes.map((r) => ({
    methods: r.method === 'GET' ? ['GET', 'HEAD'] : [r.method],
    test: new RegExp(`^${r.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = [...new Set(patterns.filter((p) => p.test.test(path)).flatMap((p) => p.methods))];
    if (allowed.length === 0 || allowed.includes(request.method)) throw new AppError('NOT_FOUND');
    throw new AppError('METHOD_NOT_ALLOWED', { headers: { allow: allowed.join(', ') } });
  });
}
