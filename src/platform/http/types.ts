import type { RedisClientType } from '@redis/client';
import type { Registry } from 'prom-client';
import type { AnyCaller, KeyCaller } from '../../contracts/caller.ts';
import type { Cipher } from '../../lib/cipher.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Config } from '../config/index.ts';
import type { Db } from '../db/types.ts';
import type { Log } from '../log/log.ts';
import type { Authenticate } from './caller.ts';
import type { CountTogether } from './rate-limit.ts';
import type { PageSet } from './pages/page.ts';

/** What the HTTP side needs of its surroundings. */
export interface HttpContext {
  config: Config;
  log: Log;
  clock: Clock;
  newId: () => string;
  db: Db;
  cipher: Cipher;
  metrics: Registry;
  authenticate: Authenticate;
  /** The holder of an API key when that is known at this moment without asking anybody; else null. */
  knownCaller?: (bearer: string) => KeyCaller | null;
  redis?: RedisClientType;
  /** Where several processes of a machine serve; used where there is no Redis, or it is away. */
  countTogether?: CountTogether;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every request before its handler; `nobody` on public routes. */
    caller: AnyCaller | undefined;
    /** The JSON text as it came; absent without a body. */
    rawBody: string | undefined;
  }
  interface FastifyContextConfig {
    operationId?: string;
    kind?: 'read' | 'write' | 'batch';
    /** See pages/page.ts: whose page it is; its errors are pages, too. */
    pageSet?: PageSet;
  }
}
