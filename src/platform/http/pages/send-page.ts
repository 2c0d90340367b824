import type { FastifyReply, FastifyRequest } from 'fastify';
import { Markup } from '../../../lib/markup.ts';
import { etagMatches, strongEtag } from '../etag.ts';
import type { PageReply, PageSet } from './page.ts';

const HTML = 'text/html; charset=utf-8';

/** A page of somebody who is signed in is for nobody else; of others it may be kept, and is asked for again each time. */
export const cachingOf = (isPersonal: boolean): Record<string, string> => ({
  'cache-control': isPersonal ? 'private, no-cache' : 'no-cache',
  vary: 'Cookie',
});

/** Sends a page; one that the browser has already (same ETag) as 304 without a body. */
export function sendPage(
  { headers: common }: Pick<PageSet, 'headers'>,
  page: PageReply,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  const { status, body, type = HTML, headers = {}, cookies = [] } = page;
  reply.code(status).headers({ ...common, ...headers });
  if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
  if (body === undefined) return reply.send();
  reply.type(type);
  const bytes = body instanceof Markup ? body.toString() : body;
  const isWhole = typeof bytes === 'string' || Buffer.isBuffer(bytes);
  if (status !== 200 || !isWhole || headers['cache-control'] === 'no-store') return reply.send(bytes);
  const etag = page.etag ?? strongEtag(bytes);
  reply.header('etag', etag);
  if (etagMatches(request.headers['if-none-match'], etag, true)) return reply.code(304).send();
  return reply.send(bytes);
}
