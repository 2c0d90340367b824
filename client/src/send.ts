import { errorOf, PosthornError } from './errors.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { fetchWithin } from './redirects.ts';

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 2;
const MAX_RETRY_WAIT_MS = 60_000;
/** Before the first retry at most this long, before each further one twice that. Milliseconds. */
const FIRST_WAIT_MS = 500;

/** One request, as it is sent each time. */
export interface Sendable {
  method: string;
  url: string;
  body: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** The body of the reply is left to be read by the caller, for as long as that takes. */
  isStream: boolean;
  /** How long the service may hold it before it answers. Milliseconds. */
  waitMs: number;
}

/** A reply of success, and its body, unless that is a stream. */
export interface Replied {
  response: Response;
  text: string;
}

/** Worth another attempt: nothing was done, or the Idempotency-Key keeps it from being done twice. */
const isPassing = ({ code, status }: PosthornError): boolean =>
  code === 'CONNECTION_FAILED' ||
  code === 'TIMEOUT' ||
  code === 'IDEMPOTENCY_IN_PROGRESS' ||
  (status !== null && [429, 502, 503, 504].includes(status));

const timedOut = (cause: unknown): PosthornError =>
  new PosthornError({ code: 'TIMEOUT', message: 'no reply in time', cause });

const failed = (message: string, cause: unknown): PosthornError =>
  new PosthornError({ code: 'CONNECTION_FAILED', message, cause });

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, failed) => {
    const aborted = (): void => {
      clearTimeout(timer);
      failed(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      done();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Throws TypeError for what no header can hold, such as the zero-width space of a chat: `fetch` fails of it as if nothing was there. */
function checkToken(token: string | undefined): string | undefined {
  if (token !== undefined && /[^\t\x20-\x7e]/.test(token.trim()))
    throw new TypeError('the credential holds a character that no credential has');
  return token;
}

/** The present token. Whoever gives it may take a while, but not longer than the attempt. */
async function tokenOf({ credential }: ClientOptions, signal: AbortSignal): Promise<string | undefined> {
  if (typeof credential !== 'function') return credential;
  signal.throwIfAborted();
  // Before anything waits for the signal: one that throws leaves nothing behind.
  const asked = credential();
  const ended = new Promise<never>((_, end) => {
    signal.addEventListener('abort', () => end(signal.reason), { once: true });
  });
  return Promise.race([asked, ended]);
}

async function exchange(
  options: ClientOptions,
  request: Sendable,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Replied> {
  const { url, method, body } = request;
  const headers = { ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const init = { method, headers, signal, ...(body === undefined ? {} : { body }) };
  try {
    const response = await fetchWithin(options.fetch ?? globalThis.fetch, url, init);
    if (!response.ok) throw await errorOf(response, Date.now());
    return { response, text: request.isStream ? '' : await response.text() };
  } catch (error) {
    if (error instanceof PosthornError) throw error;
    throw failed('the service could not be reached', error);
  }
}

async function attempt(options: ClientOptions, request: Sendable, call: CallOptions): Promise<Replied> {
  const late = new AbortController();
  const limit = (call.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS) + request.waitMs;
  const timer = setTimeout(() => late.abort(), limit);
  const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal;
  try {
    // Asked for each attempt: what was valid a minute ago may have been replaced since.
    const token = checkToken(await tokenOf(options, signal));
    return await exchange(options, request, token, signal);
  } catch (error) {
    call.signal?.throwIfAborted();
    const isReply = error instanceof PosthornError && error.code !== 'CONNECTION_FAILED';
    throw late.signal.aborted && !isReply ? timedOut(error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** The body of a reply, whose failure is told as that of a call: by PosthornError, or the reason of the caller's signal. */
export function streamOf(
  body: ReadableStream<Uint8Array> | null,
  { signal }: CallOptions,
): ReadableStream<Uint8Array> | null {
  if (body === null) return null;
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        signal?.throwIfAborted();
        throw failed('the stream broke off', error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Sends a request until it is answered, at most `maxRetries` times more, with growing random waits or as long as
 * `Retry-After` says. Resolves with a reply of success that is all there, or is a stream that has begun; throws
 * PosthornError, the reason of the caller's signal, what `credential` throws, or TypeError for one that no header can hold.
 */
export async function send(options: ClientOptions, request: Sendable, call: CallOptions): Promise<Replied> {
  const most = call.maxRetries ?? options.maxRetries ?? MAX_RETRIES;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(options, request, call);
    } catch (error) {
      if (!(error instanceof PosthornError) || retries >= most || !isPassing(error)) throw error;
      const wait = error.retryAfterMs ?? Math.random() * FIRST_WAIT_MS * 2 ** retries;
      if (wait > (options.maxRetryWaitMs ?? MAX_RETRY_WAIT_MS)) throw error;
      await pause(wait, call.signal);
    }
  }
}
