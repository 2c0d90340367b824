import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

/** A request is tried this often when the service is away, busy or limits us. */
const ATTEMPTS = 5;
/** Between attempts, doubled each time, unless `Retry-After` says more. Milliseconds. */
const FIRST_WAIT_MS = 500;
/** `Retry-After` is followed up to this. Milliseconds. */
const LONGEST_WAIT_MS = 60_000;
/** For a whole request. Milliseconds. */
const TIMEOUT_MS = 60_000;

/** A failure that is told to the user as one line. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

/** A request that the service takes in no way: what is in it does not fit. */
export class RefusedRequest extends ServiceError {}

const REFUSALS: readonly (string | undefined)[] = ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'];

interface Envelope {
  error?: { code?: string; message?: string; requestId?: string };
}

function describe(status: number, body: Envelope, address: string): string {
  const { code, message, requestId } = body.error ?? {};
  if (code === undefined) return `${address} answered ${status} and is no Posthorn service, or a proxy answers for it`;
  return `${code} (${status}): ${message ?? ''}${requestId ? ` [request ${requestId}]` : ''}`;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  return cause instanceof Error ? cause.message || cause.name : String(error);
}

const retryAfter = (response: Response): number =>
  Math.min(LONGEST_WAIT_MS, (Number(response.headers.get('retry-after')) || 0) * 1000);

/** Whether the same request may be answered otherwise in a while. */
async function passes(response: Response): Promise<boolean> {
  if (response.status !== 409) return [429, 503].includes(response.status);
  const { error } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as Envelope;
  return error?.code === 'IDEMPOTENCY_IN_PROGRESS';
}

/** A running Posthorn service, spoken to over HTTP. */
export class Service {
  readonly #url: string;
  readonly #token: string | undefined;
  /** It has answered once: a later failure to connect may pass. */
  #reached = false;

  constructor(url: string, token?: string) {
    if (!URL.canParse(url)) throw new ServiceError(`not an address: ${url}`);
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  /**
   * Sends a write and gives the reply's JSON. Tried again, with one Idempotency-Key, when the service is away, busy
   * (503), limits us (429) or is still at the try before (409): it is done once. A service that never answered is not waited for. Throws ServiceError, and
   * RefusedRequest for what does not fit.
   */
  async post<T>(path: string, body: unknown): Promise<T> {
    const key = randomUUID();
    const text = JSON.stringify(body);
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS;
      const pause = FIRST_WAIT_MS * 2 ** (attempt - 1);
      let response: Response;
      try {
        response = await this.#send(path, text, key);
        this.#reached = true;
      } catch (error) {
        if (last || !this.#reached)
          throw new ServiceError(`cannot reach ${this.#url}: ${reasonOf(error)}`, { cause: error });
        await wait(pause);
        continue;
      }
      if (last || !(await passes(response))) return this.#read<T>(response);
      await response.body?.cancel();
      await wait(Math.max(pause, retryAfter(response)));
    }
  }

  /**
   * Asks for something long and gives its bytes as they come. Not limited in time; a pause of a minute ends it. Throws
   * ServiceError for another answer than 2xx; reading throws when the connection breaks.
   */
  async stream(path: string): Promise<AsyncIterable<Uint8Array>> {
    const idle = new AbortController();
    const startTimer = () => setTimeout(() => idle.abort(new Error('no answer in time')), TIMEOUT_MS);
    let timer = startTimer();
    let response: Response;
    try {
      response = await fetch(this.#url + path, { redirect: 'error', signal: idle.signal, headers: this.#credential() });
    } catch (error) {
      clearTimeout(timer);
      throw new ServiceError(`cannot reach ${this.#url}: ${reasonOf(error)}`, { cause: error });
    }
    const { body } = response;
    if (!response.ok || body === null || !response.headers.get('content-type')?.includes('ndjson')) {
      clearTimeout(timer);
      const told = (await response.json().catch(() => ({}))) as Envelope;
      throw new ServiceError(describe(response.status, told, this.#url));
    }
    return (async function* chunks() {
      try {
        for await (const chunk of body) {
          // The time until the reader takes it is not the service's.
          clearTimeout(timer);
          yield chunk;
          timer = startTimer();
        }
      } finally {
        clearTimeout(timer);
      }
    })();
  }

  #credential(): Record<string, string> {
    return this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
  }

  #send(path: string, body: string, key: string): Promise<Response> {
    return fetch(this.#url + path, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...this.#credential(),
      },
    });
  }

  async #read<T>(response: Response): Promise<T> {
    const body = (await response.json().catch(() => null)) as (T & Envelope) | null;
    if (response.ok && body !== null) return body;
    const told = describe(response.status, body ?? {}, this.#url);
    throw REFUSALS.includes(body?.error?.code) ? new RefusedRequest(told) : new ServiceError(told);
  }
}

/** A service as a signed-in user. Throws ServiceError. */
export async function signIn(url: string, email: string, password: string): Promise<Service> {
  const { accessToken } = await new Service(url).post<{ accessToken: string }>('/v1/auth/sign-in', { email, password });
  return new Service(url, accessToken);
}
