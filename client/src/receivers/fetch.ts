import { receive, type ReceiverOptions } from './receive.ts';

/**
 * A handler of the Fetch API, for whatever speaks it: `export const POST = webhookHandler({…})` as a route handler of
 * Next, `app.post('/hooks', (c) => handler(c.req.raw))` with Hono, workers, Deno, Bun.
 */
export function webhookHandler(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const rawBody = await request.arrayBuffer();
    const { status, text } = await receive(options, { rawBody, header: (name) => request.headers.get(name) });
    return new Response(text, { status });
  };
}
