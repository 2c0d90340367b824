import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import type { Caller } from '../../src/contracts/caller.ts';
import { createCipher } from '../../src/lib/cipher.ts';
import { ManualClock } from '../../src/lib/clock.ts';
import { uuidv7 } from '../../src/lib/ids.ts';
import { parseConfig } from '../../src/platform/config/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createHttpApp, type HttpApp } from '../../src/platform/http/app.ts';
import type { AnyRoute } from '../../src/platform/http/route.ts';
import type { HttpContext } from '../../src/platform/http/types.ts';
import { createLog, type Log } from '../../src/platform/log/log.ts';
import { cleanup } from './cleanup.ts';

const key = (keyId: string): Caller => ({
  kind: 'key',
  keyId,
  accountId: '0198c7a0-0000-7000-8000-000000000001',
  accountType: 'MERCHANT',
  scopes: ['admin'],
});

export const session = (userId: string, more: Partial<Extract<Caller, { kind: 'session' }>> = {}): Caller => ({
  kind: 'session',
  sessionId: `session of ${userId}`,
  userId,
  name: userId,
  email: null,
  blogRole: null,
  operator: false,
  accountIds: [],
  ...more,
});

export interface HttpAppOptions {
  database: Database;
  env?: Record<string, string>;
  clock?: ManualClock;
  log?: Log;
  redis?: NonNullable<HttpContext['redis']>;
  countTogether?: NonNullable<HttpContext['countTogether']>;
  /** Who holds which credential, besides `key1` and `key2`. */
  callers?: Readonly<Record<string, Caller>>;
  isReady?: () => Promise<boolean>;
}

/** The platform's HTTP side with routes of the test's own: for what no real route does on demand. */
export const httpApp = async (routes: readonly AnyRoute[], options: HttpAppOptions): Promise<FastifyInstance> =>
  (await httpSide(routes, options)).app;

/** The same with its switches. */
export async function httpSide(routes: readonly AnyRoute[], options: HttpAppOptions): Promise<HttpApp> {
  const {
    database,
    env,
    clock = new ManualClock(),
    log = createLog('silent'),
    redis,
    countTogether,
    isReady,
  } = options;
  const keys: Readonly<Record<string, Caller>> = { key1: key('key1'), key2: key('key2') };
  // Looked up each time: a test may revoke one.
  const find = (bearer: string): Caller | null => options.callers?.[bearer] ?? keys[bearer] ?? null;
  const side = await createHttpApp(
    {
      config: parseConfig({ POSTHORN_ENV: 'test', ...env }),
      log,
      clock,
      newId: () => uuidv7(clock.now()),
      db: database.db,
      cipher: createCipher(Buffer.alloc(32, 1)),
      metrics: new Registry(),
      authenticate: async (bearer) => find(bearer),
      knownCaller(bearer) {
        const caller = find(bearer);
        return caller?.kind === 'key' ? caller : null;
      },
      ...(redis ? { redis } : {}),
      ...(countTogether ? { countTogether } : {}),
    },
    { routes, webhooks: {}, version: '0.0.0', isReady: isReady ?? (async () => true) },
  );
  cleanup(() => side.app.close());
  return side;
}
