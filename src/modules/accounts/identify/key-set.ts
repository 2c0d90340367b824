import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { AppError } from '../../../contracts/errors.ts';

/** A key set is used for this long. Milliseconds. */
const KEEP_MS = 10 * 60_000;
/** Tokens with a made-up `kid` must not make us ask the provider more often than this. Milliseconds. */
const RETRY_MS = 30_000;

/** Gets the provider's key set; rejects when it cannot. */
export type FetchJwks = () => Promise<JSONWebKeySet>;

export interface KeySetOptions {
  fetchJwks: FetchJwks;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
  /** The provider was not reachable; the old keys, if any, stay in use. */
  onFailure: (error: unknown) => void;
}

/**
 * Chooses the key of a token from the provider's key set: fetched when first needed, again after 10 min, and at most
 * every 30 s for a `kid` that it does not have. UNAVAILABLE as long as there was never a key set.
 */
export function createKeySet({ fetchJwks, monotonic, onFailure }: KeySetOptions): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | null = null;
  /** The last try was in vain: nobody waits for the next one who can do with the old keys. */
  let isFailing = false;

  async function refetch(): Promise<void> {
    triedAt = monotonic();
    try {
      const { createLocalJWKSet } = await import('jose');
      keys = createLocalJWKSet(await fetchJwks());
      fetchedAt = triedAt;
      isFailing = false;
    } catch (error) {
      isFailing = true;
      onFailure(error);
    }
  }
  /** Whether the set was read anew, by this caller or by one who was already waiting. */
  async function renewed(): Promise<boolean> {
    if (!running && monotonic() - triedAt < RETRY_MS) return false;
    running ??= refetch().finally(() => (running = null));
    await running;
    return true;
  }
  async function present(): Promise<JWTVerifyGetKey> {
    if (monotonic() - fetchedAt > KEEP_MS) {
      const trying = renewed();
      if (!keys || !isFailing) await trying;
    }
    if (keys) return keys;
    throw new AppError('UNAVAILABLE', {
      message: 'The key set of the identity provider cannot be read now.',
      headers: { 'retry-after': '30' },
    });
  }
  return async (header, token) => {
    try {
      return await (await present())(header, token);
    } catch (error) {
      const { errors } = await import('jose');
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await renewed())) throw error;
      return (await present())(header, token);
    }
  };
}
