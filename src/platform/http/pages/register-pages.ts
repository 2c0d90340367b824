import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SessionCaller } from '../../../contracts/caller.ts';
import { AppError } from '../../../contracts/errors.ts';
import { inTransaction } from '../../db/index.ts';
import type { Admission } from '../admission.ts';
import { isSameOrigin, isSecure, sessionTokenOf } from '../browser-session.ts';
import { toAppError } from '../errors.ts';
import { listeningUrl } from '../listening.ts';
import { codingFault, sendError } from '../refusals.ts';
import { relativeTo } from '../relative-to.ts';
import { retrying } from '../run-route.ts';
import type { HttpContext } from '../types.ts';
import { fieldsOf, firstOfEach, FORM_LIMIT } from './form.ts';
import type { Fields, PageInput, PageReply, PageSet, Sent } from './page.ts';
import { cachingOf, sendAnew, sendPage } from './send-page.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Whether an address is one of these pages', also one that does not exist. */
export const isOf = ({ below }: Pick<PageSet, 'below'>, url: string): boolean =>
  url === below || ['/', '?'].some((next) => url.startsWith(below + next));

/** A script of a page asks for JSON and is told errors in the envelope, as any caller is. */
export const wantsJson = (headers: { accept?: string | undefined }): boolean =>
  headers.accept?.startsWith('application/json') === true;

/** Of a request that failed, at whatever point: there may be no address that is known, and no form. */
function sentBy({ routeOptions, params, body }: FastifyRequest): Sent {
  const isPage = routeOptions.config.pageSet !== undefined;
  return isPage
    ? { params: params as Sent['params'], form: (body as Fields | undefined) ?? {} }
    : { params: {}, form: {} };
}

/** Tells an error as a page, where one was asked for; null elsewhere. */
export const errorPages =
  (sets: readonly PageSet[]) =>
  (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply | null => {
    const set = request.routeOptions.config.pageSet ?? sets.find((one) => isOf(one, request.url));
    if (set === undefined || wantsJson(request.headers)) return null;
    const page = set.onError(error, request.id, sentBy(request));
    const headers = { ...page.headers, ...error.headers, 'cache-control': 'no-store' };
    return sendAnew(set, { ...page, headers }, { request, reply });
  };

/** What another site made a browser send is refused, also without a cookie: a sign-in into another's account is one. */
function checkForm(request: FastifyRequest, publicUrl: string | undefined): void {
  if (isSameOrigin(request.headers, publicUrl)) return;
  throw new AppError('FORBIDDEN', { message: 'A form must be sent from a page of this site.' });
}

function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, bytes, done) => {
    const fault = codingFault(request.headers);
    if (fault) return done(fault);
    try {
      done(null, fieldsOf(bytes as Buffer));
    } catch (error) {
      done(toAppError(error));
    }
  });
}

/**
 * A page at an address with a slash at its end is at the one without: else each would be two for those who count, keep or index it by
 * its address. Any other reply is as it is: what leads elsewhere leads there at once. As `redirectBelow`, by a relative reference. Not the
 * outermost page: a proxy that has `location /blog/` leads from `/blog` to that by itself, and readers would be led in a circle.
 * With the headers of the page: a 301 that says nothing of it may be kept for ever, and what hides a page hides its address.
 */
function atItsAddress(page: PageReply, { url }: FastifyRequest, below: string): PageReply {
  const [path = ''] = url.split('?', 1);
  if (page.status !== 200 || !path.endsWith('/') || path === `${below}/`) return page;
  if (page.body instanceof Readable) page.body.destroy();
  const location = relativeTo(path, path.slice(0, -1)) + url.slice(path.length);
  return { status: 301, headers: { ...page.headers, location }, cookies: page.cookies ?? [] };
}

/** Turns pages into Fastify routes, in a scope of their own: no other address takes a form. */
export function registerPages(app: FastifyInstance, set: PageSet, context: HttpContext, admission: Admission): void {
  const { config, clock, newId, db } = context;
  const inputOf = (request: FastifyRequest, reply: FastifyReply, caller: SessionCaller | null): PageInput => {
    const now = clock.now();
    return {
      isHead: request.method === 'HEAD',
      params: request.params as Record<string, string>,
      query: firstOfEach(Object.entries(request.query as Record<string, string | string[]>)),
      form: (request.body as Fields | undefined) ?? {},
      caller,
      env: { now: new Date(now), waitedMs: () => Math.max(0, clock.now() - now), newId, requestId: request.id },
      db,
      headers: request.headers as Record<string, string | undefined>,
      listening: () => listeningUrl(app.server, config),
      countComment: (userId) => admission.countComment(userId, reply),
      write: (effect) => retrying(() => inTransaction(db, effect)),
    };
  };
  void app.register(async (scope) => {
    takeForms(scope);
    for (const page of set.pages) {
      const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        const token = page.isForAll ? null : sessionTokenOf(request.headers, isSecure(config.POSTHORN_PUBLIC_URL));
        request.caller = (await admission.admitReader(token, request, reply)) ?? { kind: 'nobody' };
      };
      scope.route({
        method: page.method,
        url: page.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        schema: { hide: true },
        config: { operationId: page.name, kind: page.method === 'GET' ? 'read' : 'write', pageSet: set },
        bodyLimit: FORM_LIMIT,
        // Of a form once it is read: what somebody wrote is given back on the page that says that it could not be taken.
        ...(page.method === 'GET'
          ? { onRequest: admit }
          : { onRequest: async (request) => checkForm(request, config.POSTHORN_PUBLIC_URL), preHandler: admit }),
        async handler(request, reply) {
          if (page.limit !== undefined) await admission.countMore(page.limit, request, reply);
          const caller = request.caller?.kind === 'session' ? request.caller : null;
          if (!page.isForAll) reply.headers(cachingOf(caller !== null));
          const shown = await page.handle(inputOf(request, reply, caller));
          const sent = page.method === 'GET' ? atItsAddress(shown, request, set.below) : shown;
          return sendPage(set, sent, { request, reply });
        },
      });
    }
  });
}

/** The error as a page where one was asked for, else in the envelope. */
export const answerError =
  (asPage: ReturnType<typeof errorPages>) =>
  (error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    asPage(error, request, reply) ?? sendError(error, request, reply);
