import { receive, type ReceiverOptions } from './receive.ts';

interface FastifyRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

interface FastifyReply {
  code(status: number): FastifyReply;
  type(contentType: string): FastifyReply;
  send(text: string): unknown;
}

/** What is used of a Fastify instance (4 or 5). */
interface Fastify {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

/**
 * A plugin for Fastify: `app.register(webhookPlugin, { path: '/hooks', secret, handle })`. It keeps the raw body for its
 * own route only; other routes are parsed as before.
 */
export async function webhookPlugin(app: Fastify, options: ReceiverOptions & { path: string }): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post(options.path, async (request, reply) => {
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    };
    const rawBody = request.body instanceof Uint8Array ? request.body : '';
    const { status, text } = await receive(options, { rawBody, header });
    return reply.code(status).type('text/plain; charset=utf-8').send(text);
  });
}
