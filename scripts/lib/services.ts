import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';

/** A service on this machine answers within this. Milliseconds. */
const CONNECT_MS = 2000;

async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), timeout: CONNECT_MS });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function firstBrowser(): Promise<string | null> {
  const given = process.env.CHROMIUM_PATH;
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/bin',
    '/opt/google/chrome',
    '/Applications/Google Chrome.app/Contents/MacOS',
  ];
  const paths =
    given === undefined ? folders.flatMap((f) => [...names, 'Google Chrome'].map((n) => join(f, n))) : [given];
  return firstProgram(paths);
}

/** A server that Debian puts where only root's path leads; `given`: where the environment says that it is. */
async function firstServer(name: string, given: string | undefined): Promise<string | null> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return firstProgram(given === undefined ? folders.map((f) => join(f, name)) : [given]);
}

async function firstProgram(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return null;
}

/** What tests may use besides a database. `env` is for them; each of `missing` is a line for people. */
export interface FoundServices {
  env: Record<string, string>;
  missing: readonly string[];
}

/** Looks for NATS, Redis, a browser, a pooler, a proxy and wrk: where the TEST_… variables say, else at their standard places. */
export async function findServices(): Promise<FoundServices> {
  const nats = process.env.TEST_NATS_URL ?? 'nats://127.0.0.1:4222';
  const redis = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
  const { PGBOUNCER_PATH, NGINX_PATH, NATS_SERVER_PATH, REDIS_SERVER_PATH } = process.env;
  const looking = [
    listens(nats),
    listens(redis),
    firstBrowser(),
    firstServer('pgbouncer', PGBOUNCER_PATH),
    firstServer('nginx', NGINX_PATH),
    firstServer('nats-server', NATS_SERVER_PATH),
    firstServer('redis-server', REDIS_SERVER_PATH),
    firstServer('wrk', undefined),
  ] as const;
  const [hasNats, hasRedis, browser, pooler, proxy, broker, limiter, wrk] = await Promise.all(looking);
  return {
    env: {
      TEST_NATS_URL: hasNats ? nats : 'none',
      TEST_REDIS_URL: hasRedis ? redis : 'none',
      CHROMIUM_PATH: browser ?? 'none',
      PGBOUNCER_PATH: pooler ?? 'none',
      NGINX_PATH: proxy ?? 'none',
      NATS_SERVER_PATH: broker ?? 'none',
      REDIS_SERVER_PATH: limiter ?? 'none',
      WRK_PATH: wrk ?? 'none',
    },
    missing: [
      ...(hasNats ? [] : [`NATS: nothing answers at ${nats}`]),
      ...(hasRedis ? [] : [`Redis: nothing answers at ${redis}`]),
      ...(browser === null ? ['browser: no Chromium or Chrome found; set CHROMIUM_PATH'] : []),
      ...(pooler === null ? ['PgBouncer: not installed; set PGBOUNCER_PATH'] : []),
      ...(proxy === null ? ['nginx: not installed; set NGINX_PATH'] : []),
      ...(broker === null ? ['nats-server: not installed; set NATS_SERVER_PATH'] : []),
      ...(limiter === null ? ['redis-server: not installed; set REDIS_SERVER_PATH'] : []),
      ...(wrk === null ? ['wrk: not installed'] : []),
    ],
  };
}
