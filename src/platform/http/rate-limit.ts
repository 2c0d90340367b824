import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { monotonicNow } from '../../lib/clock.ts';
import type { RedisCounts } from './redis-counts.ts';
import { LIMIT_WINDOW_MS, type WindowCount, Windows } from './windows.ts';

export interface LimitResult {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Until the window ends. Whole seconds, at least 1. */
  resetSeconds: number;
}

export interface Limiter {
  /**
   * Counts one request of `who`; a promise only where it is counted in Redis. Never throws: with Redis away, each node
   * counts for itself.
   */
  take(who: string): LimitResult | Promise<LimitResult>;
  /** Whether `take` never answers with a promise. */
  isLocal: boolean;
  /** Whether the next one of `who` is too many, as far as this process has counted; counts nothing. */
  isReached(who: string): boolean;
}

/** Counts for all processes of a machine; null when that did not answer. Never throws. */
export type CountTogether = (limiter: string, who: string) => Promise<WindowCount | null>;

/** Where requests are counted besides this process. */
export interface SharedCounts {
  /** Of all nodes. */
  redis?: RedisCounts | undefined;
  /** Of this machine, where there is no Redis or it is away. */
  together?: CountTogether | undefined;
}

/** Counts in Redis; where that fails or hangs, by `without`. */
function takeShared(
  options: { points: number; duration: number; keyPrefix: string },
  redis: RedisCounts,
  without: (who: string) => LimitResult | Promise<LimitResult>,
): (who: string) => Promise<LimitResult> {
  const shared = new RateLimiterRedis({
    ...options,
    storeClient: redis.client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
  });
  const result = (allowed: boolean, res: RateLimiterRes): LimitResult =>
    resultOf(options.points, allowed, res.remainingPoints, res.msBeforeNext);
  return async (who) => {
    if (!redis.isSound) return without(who);
    try {
      return result(true, await redis.ask(() => shared.consume(who)));
    } catch (refused) {
      return refused instanceof Error ? without(who) : result(false, refused as RateLimiterRes);
    }
  };
}

const resultOf = (limit: number, allowed: boolean, remaining: number, endsInMs: number): LimitResult => ({
  allowed,
  limit,
  remaining: Math.max(0, remaining),
  // Whole milliseconds: of a window that begins now, a fraction left over by adding and subtracting would make 61 s.
  resetSeconds: Math.max(1, Math.ceil(Math.round(endsInMs) / 1000)),
});

/** Fixed windows of a minute: of all nodes, else of this machine, else of this process. */
export function createLimiter(name: string, perMinute: number, { redis, together }: SharedCounts = {}): Limiter {
  const windows = new Windows(LIMIT_WINDOW_MS, monotonicNow);
  const told = ({ count, endsInMs }: WindowCount): LimitResult =>
    resultOf(perMinute, count <= perMinute, perMinute - count, endsInMs);
  const inMemory = (who: string): LimitResult => told(windows.count(who));
  const onMachine =
    together &&
    (async (who: string): Promise<LimitResult> => {
      const counted = await together(name, who);
      return counted === null ? inMemory(who) : told(counted);
    });
  const without = onMachine ?? inMemory;
  const isReached = (who: string): boolean => windows.countOf(who) >= perMinute;
  if (!redis) return { take: without, isLocal: !onMachine, isReached };
  const options = { points: perMinute, duration: LIMIT_WINDOW_MS / 1000, keyPrefix: `posthorn:limit:${name}` };
  return { take: takeShared(options, redis, without), isLocal: false, isReached };
}

/**
 * Header fields of draft-ietf-httpapi-ratelimit-headers (the three-field form that most clients read), as they are sent.
 */
export const limitFields = (r: LimitResult): string =>
  `ratelimit-limit: ${r.limit}\r\nratelimit-remaining: ${r.remaining}\r\nratelimit-reset: ${r.resetSeconds}\r\n`;

/** The same fields by name; where it was refused, with `Retry-After`. */
export function limitHeaders(r: LimitResult): Record<string, string> {
  return {
    'ratelimit-limit': String(r.limit),
    'ratelimit-remaining': String(r.remaining),
    'ratelimit-reset': String(r.resetSeconds),
    ...(r.allowed ? {} : { 'retry-after': String(r.resetSeconds) }),
  };
}
