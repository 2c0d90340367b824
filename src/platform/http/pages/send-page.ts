import type { FastifyReply, FastifyRequest } from 'fastify';
import { Markup } from '../../../lib/markup.ts';
import { codingFor, inCoding, isWorthCoding } from '../codings.ts';
import { etagMatches, strongEtag } from '../etag.ts';
import type { PageReply, PageSet } from './page.ts';

const HTML = 'text/html; charset=utf-8';

/** A page of somebody who is signed in is for nobody else; of others it may be kept, and is asked for again each time. */
export const cachingOf = (isPersonal: boolean): Record<string, string> => ({
  'cache-control': isPersonal ? 'private, no-cache' : 'no-cache',
  vary: 'Cookie',
});

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Everything but the body, which is given back as it is to be sent. */
function begin({ headers: common }: Pick<PageSet, 'headers'>, page: PageReply, reply: FastifyReply) {
  const { status, body, type = HTML, headers, cookies = [] } = page;
  reply.code(status).headers({ ...common, ...headers });
  if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
  if (body !== undefined) reply.type(type);
  return body instanceof Markup ? body.toString() : body;
}

/** Sends a page that is not to be kept, as one that tells an error. */
export const sendAnew = (set: Pick<PageSet, 'headers'>, page: PageReply, { reply }: Exchange): FastifyReply =>
  reply.send(begin(set, page, reply));

/** Sends a page; one that the browser has already (same ETag) as 304 without a body, and one that is held (`PageReply`) in a coding that the browser takes. */
export async function sendPage(
  set: Pick<PageSet, 'headers'>,
  page: PageReply,
  { request, reply }: Exchange,
): Promise<FastifyReply> {
  const bytes = begin(set, page, reply);
  const isWhole = typeof bytes === 'string' || Buffer.isBuffer(bytes);
  if (page.status !== 200 || !isWhole || page.headers?.['cache-control'] === 'no-store') return reply.send(bytes);
  const isCoded = Buffer.isBuffer(bytes) && isWorthCoding(page.type ?? HTML, bytes.length);
  if (isCoded) reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
  const coding = isCoded ? codingFor(request, () => true) : null;
  const etag = page.etag ?? strongEtag(bytes);
  // Weak: the same for each coding.
  reply.header('etag', coding === null ? etag : `W/${etag}`);
  if (etagMatches(request.headers['if-none-match'], etag, true)) return reply.code(304).send();
  if (coding === null) return reply.send(bytes);
  return reply.header('content-encoding', coding).send(await inCoding(coding, bytes as Buffer));
}
