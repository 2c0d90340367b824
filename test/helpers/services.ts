/** Servers that some tests need besides the database. scripts/test.ts says `none` for one that does not answer. */
const urlOf = (variable: string, standard: string): string | null => {
  const value = process.env[variable] ?? standard;
  return value === 'none' ? null : value;
};

export const natsUrl = urlOf('TEST_NATS_URL', 'nats://127.0.0.1:4222');
export const redisUrl = urlOf('TEST_REDIS_URL', 'redis://127.0.0.1:6379');
export const chromiumPath = urlOf('CHROMIUM_PATH', '/usr/bin/chromium');
export const pgbouncerPath = urlOf('PGBOUNCER_PATH', '/usr/sbin/pgbouncer');

/** Options of a test that needs the server. */
export const needsNats = { skip: natsUrl === null && 'no NATS server' } as const;
export const needsRedis = { skip: redisUrl === null && 'no Redis server' } as const;
export const needsBrowser = { skip: chromiumPath === null && 'no browser' } as const;
