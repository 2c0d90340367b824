/** How a client reaches a service. */
export interface ClientOptions {
  /**
   * Where the service is, such as `https://posthorn.example.com`; in a page of that origin a path will do, or nothing. Redirects are
   * followed within it, and by reads only.
   */
  baseUrl: string;
  /** An API key or an access token, or what gives the present one. Absent: only what is open to everybody can be called. */
  credential?: string | (() => string | undefined | Promise<string | undefined>);
  /**
   * Longest wait for one attempt, to the end of its reply; of a stream to its beginning. Behind the `wait` that an operation
   * was asked for, which is added. Default 30,000 ms.
   */
  timeoutMs?: number;
  /** Further attempts when the service cannot be reached, is busy (503) or limits the rate (429). Default 2. */
  maxRetries?: number;
  /** A longer `Retry-After` than this is not waited for: the error is given at once. Default 60,000 ms. */
  maxRetryWaitMs?: number;
  /** Headers of every request. `Authorization` is taken where there is no credential: else the credential wins. */
  headers?: Readonly<Record<string, string>>;
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
}

/** What one call does differently. */
export interface CallOptions extends Pick<ClientOptions, 'timeoutMs' | 'maxRetries' | 'headers'> {
  /** Ends the call; the promise is rejected with the signal's reason. */
  signal?: AbortSignal;
  /**
   * Of a write, which is done once however often it arrives under its key; kept for 24 hours. Default: a new one for each
   * call, so that the client's own retries are safe. Give one of your own to make a call safe beyond a crash; as a header it
   * is taken as well.
   */
  idempotencyKey?: string;
}
