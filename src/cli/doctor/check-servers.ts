import type { Config } from '../../platform/config/index.ts';
import { fail, type Finding, ok } from './finding.ts';

/** Longest wait for a server. Milliseconds. */
export const TIMEOUT_MS = 3000;

async function within<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a failure says; of one that says nothing its code. */
export const messageOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === '' || message === undefined ? (code ?? 'not reachable') : message;
};

/** Resolves once the server has answered. */
async function ping(url: string): Promise<void> {
  const { createClient } = await import('@redis/client');
  const client = createClient({ url, socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false } });
  // The same error comes from `connect`.
  client.on('error', () => undefined);
  try {
    await within(client.connect().then(() => client.ping()));
  } finally {
    client.destroy();
  }
}

/** Rate limits that nodes share. */
export async function checkRedis({ REDIS_URL: url }: Config): Promise<Finding> {
  const what = 'Redis';
  if (url === undefined) return ok(what, 'not used; each node counts rate limits for itself');
  try {
    await ping(url);
    return ok(what, 'answers (REDIS_URL)');
  } catch (error) {
    return fail(
      what,
      messageOf(error),
      'check REDIS_URL, and that the server runs; without it each node counts for itself',
    );
  }
}
