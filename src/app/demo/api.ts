import { createHmac } from 'node:crypto';
import { systemClock } from '../../lib/clock.ts';

/** What a person who runs the demo must read; shown without a stack. */
export class PlayError extends Error {
  override readonly name = 'PlayError';
}

/** The demo talks to a service on the same machine. Milliseconds. */
const TIMEOUT_MS = 10_000;

/** How a merchant signs a report: as the service signs its webhooks (docs/trades.md). */
function signatureOf(secret: string, text: string): string {
  const t = Math.floor(systemClock.now() / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${text}`).digest('hex')}`;
}

interface Failure {
  error?: { code?: string; message?: string };
}

/** A running service, spoken to like any client does. */
export class Api {
  readonly url: string;
  constructor(url: string) {
    this.url = url.replace(/\/+$/, '');
  }

  /** Sends a request with an API key, signed where a secret is given, and gives the reply's JSON. Throws PlayError. */
  async call<T = void>(
    method: string,
    path: string,
    key: string,
    options: { body?: unknown; idempotencyKey?: string; signWith?: string } = {},
  ): Promise<T> {
    const { body, idempotencyKey, signWith } = options;
    const text = JSON.stringify(body);
    let response: Response;
    try {
      response = await fetch(this.url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(signWith === undefined ? {} : { 'x-service-signature': signatureOf(signWith, text) }),
        },
        ...(body === undefined ? {} : { body: text }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw new PlayError(`${this.url} does not answer (${method} ${path}). Is the service still running?`, {
        cause: error,
      });
    }
    if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
    const { error } = (await response.json().catch(() => ({}))) as Failure;
    throw new PlayError(
      `${method} ${path} was answered ${response.status} ${error?.code ?? ''}: ${error?.message ?? ''}`,
    );
  }

  /** Whether a service that can do its work answers there. */
  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT_MS) })).ok;
    } catch {
      return false;
    }
  }
}
