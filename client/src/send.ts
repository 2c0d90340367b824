import { errorOf, PosthornError } from './errors.ts';
import type { CallOptions, ClientOptions } from './options.ts';

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
}

/** A reply below 400, and its body, unless that is a stream. */
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

function failure(error: unknown, timeout: AbortSignal): PosthornError {
  if (error instanceof PosthornError) return error;
  return timeout.aborted
    ? new PosthornError({ code: 'TIMEOUT', message: 'no reply in time', cause: error })
    : new PosthornError({ code: 'CONNECTION_FAILED', message: 'the service could not be reached', cause: error });
}

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

async function attempt(options: ClientOptions, request: Sendable, call: CallOptions): Promise<Replied> {
  const { credential } = options;
  // Asked for each attempt: what was valid a minute ago may have been replaced since.
  const token = typeof credential === 'function' ? await credential() : credential;
  const headers = { ...request.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), call.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS);
  const { url, method, body } = request;
  const signal = call.signal ? AbortSignal.any([call.signal, late.signal]) : late.signal;
  try {
    const fetching = options.fetch ?? globalThis.fetch;
    const response = await fetching(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    if (response.status >= 400) throw await errorOf(response, Date.now());
    return { response, text: request.isStream ? '' : await response.text() };
  } catch (error) {
    call.signal?.throwIfAborted();
    throw failure(error, late.signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Sends a request until it is answered, at most `maxRetries` times more, with growing random waits or as long as
 * `Retry-After` says. Resolves with a reply below 400 that is all there, or is a stream that has begun; throws
 * PosthornError, or the reason of the caller's signal.
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
