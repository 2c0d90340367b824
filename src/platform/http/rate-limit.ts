import type { RedisClientType } from '@redis/client';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

/** Length of a window (contract: limits are per minute). Seconds. */
const WINDOW_SECONDS = 60;

export interface LimitResult {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until the window ends. Whole seconds, at least 1. */
  resetSeconds: number;
}

export interface Limiter {
  /** Counts one request of `who`. Never throws: with Redis away, each node counts for itself. */
  take(who: string): Promise<LimitResult>;
}

/** Fixed windows of a minute, in Redis when a client is given (shared by all nodes), else in this process. */
export function createLimiter(name: string, perMinute: number, redis?: RedisClientType): Limiter {
  const options = { points: perMinute, duration: WINDOW_SECONDS, keyPrefix: `posthorn:limit:${name}` };
  const memory = new RateLimiterMemory(options);
  const limiter: RateLimiterAbstract = redis
    ? new RateLimiterRedis({ ...options, storeClient: redis, insuranceLimiter: memory, rejectIfRedisNotReady: true })
    : memory;
  const result = (allowed: boolean, res: RateLimiterRes): LimitResult => ({
    allowed,
    limit: perMinute,
    remaining: Math.max(0, res.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(res.msBeforeNext / 1000)),
  });
  return {
    async take(who) {
      try {
        return result(true, await limiter.consume(who));
      } catch (refused) {
        if (refused instanceof Error) return { allowed: true, limit: perMinute, remaining: perMinute, resetSeconds: 1 };
        return result(false, refused as RateLimiterRes);
      }
    },
  };
}

/** Header fields of draft-ietf-httpapi-ratelimit-headers (the three-field form that most clients read). */
export function limitHeaders(r: LimitResult): Record<string, string> {
  return {
    'ratelimit-limit': String(r.limit),
    'ratelimit-remaining': String(r.remaining),
    'ratelimit-reset': String(r.resetSeconds),
    ...(r.allowed ? {} : { 'retry-after': String(r.resetSeconds) }),
  };
}
