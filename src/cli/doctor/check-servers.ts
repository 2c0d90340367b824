import type { Config } from '../../platform/config/index.ts';
import { natsServersOf } from '../../platform/nats/servers.ts';
import { fail, type Finding, ok } from './finding.ts';

/** Longest wait for a server. Milliseconds. */
const TIMEOUT_MS = 3000;

async function within<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), TIMEOUT_MS);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === '' || message === undefined ? (code ?? 'not reachable') : message;
};

/** Wake-ups between nodes. */
export async function checkNats({ NATS_URL: url, DATABASE_URL, WEBHOOK_DISPATCH }: Config): Promise<Finding> {
  const what = 'NATS';
  if (url === undefined)
    return ok(
      what,
      `not used; ${DATABASE_URL === undefined ? 'one process needs none' : 'nodes wake each other by PostgreSQL'}`,
    );
  const { connect } = await import('@nats-io/transport-node');
  try {
    const connection = await connect({ ...natsServersOf(url), timeout: TIMEOUT_MS, reconnect: false });
    const { version = '', jetstream } = connection.info ?? {};
    await connection.close();
    if (WEBHOOK_DISPATCH === 'jetstream' && jetstream !== true) {
      const advice = 'start it with JetStream (nats-server -js), or leave WEBHOOK_DISPATCH out';
      return fail(what, `${version} answers, but has no JetStream, which WEBHOOK_DISPATCH=jetstream needs`, advice);
    }
    return ok(what, `${version} answers (NATS_URL)`);
  } catch (error) {
    return fail(
      what,
      messageOf(error),
      'check NATS_URL, and that the server runs; without it nodes poll, and are slower',
    );
  }
}

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
