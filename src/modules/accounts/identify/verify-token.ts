import { errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../lib/clock.ts';

/** Only signatures by a private key: a shared secret, or `none`, would let whoever can read the key set make tokens. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** How far the provider's clock may be off. Seconds. */
const TOLERANCE = 5;
/** Longest `sub` (OpenID Connect Core 1.0, section 2). */
const SUBJECT_MAX = 255;
/** The year 9999: later times are no times for the database. Seconds of the epoch. */
const EXPIRY_MAX = 253_402_300_799;

/** What a good token of the outside identity provider says. */
export interface ExternalIdentity {
  issuer: string;
  subject: string;
  /** From `name`, else `preferred_username`; null without both. */
  name: string | null;
  /** Only one that the provider has verified. */
  email: string | null;
  expiresAt: Date;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null);

function identityOf(payload: JWTPayload, issuer: string): ExternalIdentity | null {
  const { sub, exp } = payload;
  if (!sub || sub.length > SUBJECT_MAX || sub.includes('\0') || exp === undefined || exp > EXPIRY_MAX) return null;
  return {
    issuer,
    subject: sub,
    name: textOf(payload['name']) ?? textOf(payload['preferred_username']),
    email: payload['email_verified'] === true ? textOf(payload['email']) : null,
    expiresAt: new Date(exp * 1000),
  };
}

/**
 * The identity in a JWT, or null when anything about it is wrong: signature, algorithm, issuer, audience, times, or a
 * missing `sub` or `exp`. Throws only what the key set throws when it is not available.
 */
export async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  expected: { issuer: string; audience: string },
  clock: Clock,
): Promise<ExternalIdentity | null> {
  try {
    const { payload } = await jwtVerify(token, keys, {
      ...expected,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(clock.now()),
    });
    return identityOf(payload, expected.issuer);
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
