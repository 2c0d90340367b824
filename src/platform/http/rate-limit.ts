import type { RedisClientType } from '@redis/client';
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';

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

/** Redis answers in well under a millisecond; one that takes this long is as good as away. Milliseconds. */
const REDIS_WAIT_MS = 250;

type Take = (who: string) => Promise<RateLimiterRes>;

/** Counts in Redis; where that fails or hangs, in this process. */
function takeShared(
  options: { points: number; duration: number; keyPrefix: string },
  redis: RedisClientType,
  inMemory: Take,
): Take {
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
  });
  return async (who) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(new Error('Redis does not answer')), REDIS_WAIT_MS);
    });
    try {
      return await Promise.race([shared.consume(who), late]);
    } catch (refused) {
      // What is no Error is the answer "over the limit".
      if (refused instanceof Error) return inMemory(who);
      throw refused;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Fixed windows of a minute, in Redis when a client is given (shared by all nodes), else in this process. */
export function createLimiter(name: string, perMinute: number, redis?: RedisClientType): Limiter {
  const options = { points: perMinute, duration: WINDOW_SECONDS, keyPrefix: `posthorn:limit:${name}` };
  const memory = new RateLimiterMemory(options);
  const inMemory: Take = (who) => memory.consume(who);
  const consume = redis ? takeShared(options, redis, inMemory) : inMemory;
  const result = (allowed: boolean, res: RateLimiterRes): LimitResult => ({
    allowed,
    limit: perMinute,
    remaining: Math.max(0, res.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(res.msBeforeNext / 1000)),
  });
  return {
    async take(who) {
      try {
        return result(true, await consume(who));
      } catch (refused) {
        if (refused instanceof Error) throw refused;
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
