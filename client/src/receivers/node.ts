import { receive, type ReceiverOptions, report } from './receive.ts';

/** What is used of a request of Node, Express or Connect. */
interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: unknown;
  readableEnded?: boolean;
}

interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/** A megabyte is more than any event has. */
const MAX_BODY = 1_048_576;

async function rawBodyOf(request: NodeRequest): Promise<Uint8Array | string | null> {
  // express.raw() or express.text() were there before.
  if (request.body instanceof Uint8Array || typeof request.body === 'string') return request.body;
  if (request.readableEnded) {
    throw new Error('the body was read and parsed before: mount the webhook receiver ahead of express.json()');
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_BODY) return null;
    chunks.push(bytes);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function answer(response: NodeResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}

/**
 * A handler for Express, Connect and `node:http`: `app.post('/hooks', webhookMiddleware({…}))`, ahead of
 * `express.json()`, which would leave nothing to verify.
 */
export function webhookMiddleware(
  options: ReceiverOptions,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    let rawBody: Uint8Array | string | null;
    try {
      rawBody = await rawBodyOf(request);
    } catch (error) {
      // Whoever breaks off a request can do so as often as they like.
      if (options.onError || request.readableEnded) report(options, error);
      answer(response, 500, 'could not be handled');
      return;
    }
    if (rawBody === null) {
      answer(response, 413, 'larger than an event');
      return;
    }
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(',') : value;
    };
    const { status, text } = await receive(options, { rawBody, header });
    answer(response, status, text);
  };
}
