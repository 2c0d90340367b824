import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { interruption } from '../interrupt.ts';

/** Longest wait for an answer about health. Milliseconds. */
const TIMEOUT_MS = 5000;

export interface Health {
  /** Undefined: the service is older than this answer, or it is none. */
  version: string | undefined;
  ready: boolean;
  /** The service's clock, of its `Date` header, whole seconds. Milliseconds since the epoch; undefined: it told none. */
  time: number | undefined;
}

const ask = (url: string): Promise<Response> =>
  fetch(url, { redirect: 'error', signal: AbortSignal.any([interruption, AbortSignal.timeout(TIMEOUT_MS)]) });

/** How the service says it is; asks no operation, so it needs nobody to be signed in. Fails as UNREACHABLE. */
export async function readHealth(url: string): Promise<Health> {
  let alive: Response;
  try {
    alive = await ask(`${url}/healthz`);
  } catch (error) {
    interruption.throwIfAborted();
    const { cause, name } = error as Error;
    const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
    const why = name === 'TimeoutError' ? 'no reply in time' : (code ?? message ?? 'no connection');
    throw new Failure(
      `cannot reach ${url}: ${why}. Is the service running there? Give its address with --url or POSTHORN_URL.`,
      EXIT.UNREACHABLE,
    );
  }
  const body = (await alive.json().catch(() => null)) as { status?: unknown; version?: unknown } | null;
  if (body?.status !== 'ok') {
    throw new Failure(
      `${url} answered ${alive.status} and is no Posthorn service, or a proxy answers for it. Give the service's address with --url or POSTHORN_URL.`,
      EXIT.UNREACHABLE,
    );
  }
  const ready = await ask(`${url}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
  const time = Date.parse(alive.headers.get('date') ?? '');
  return {
    version: typeof body.version === 'string' ? body.version : undefined,
    ready,
    time: Number.isNaN(time) ? undefined : time,
  };
}
