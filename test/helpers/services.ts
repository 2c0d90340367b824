import { existsSync } from 'node:fs';

/** Servers that some tests need besides the database. scripts/test.ts says `none` for one that does not answer. */
const urlOf = (variable: string, standard: string): string | null => {
  const value = process.env[variable] ?? standard;
  return value === 'none' ? null : value;
};

/** Whether a program is installed, also where nobody has looked for it before the test. */
export const isThere = (path: string | null): path is string => path !== null && existsSync(path);

export const natsUrl = urlOf('TEST_NATS_URL', 'nats://127.0.0.1:4222');
export const redisUrl = urlOf('TEST_REDIS_URL', 'redis://127.0.0.1:6379');
export const chromiumPath = urlOf('CHROMIUM_PATH', '/usr/bin/chromium');
export const pgbouncerPath = urlOf('PGBOUNCER_PATH', '/usr/sbin/pgbouncer');
export const nginxPath = urlOf('NGINX_PATH', '/usr/sbin/nginx');
export const natsServerPath = urlOf('NATS_SERVER_PATH', '/usr/sbin/nats-server');
export const redisServerPath = urlOf('REDIS_SERVER_PATH', '/usr/bin/redis-server');
export const wrkPath = urlOf('WRK_PATH', '/usr/bin/wrk');

/** Options of a test that needs the server. */
export const needsNats = { skip: natsUrl === null && 'no NATS server' } as const;
export const needsRedis = { skip: redisUrl === null && 'no Redis server' } as const;
export const needsNginx = { skip: !isThere(nginxPath) && 'nginx is not installed' } as const;
export const needsBrowser = { skip: chromiumPath === null && 'no browser' } as const;
