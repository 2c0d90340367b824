import type * as Jose from 'jose';
import type { Clock } from '../../../lib/clock.ts';

/** Only signatures by a private key: a shared secret, or `none`, would let whoever can read the key set make tokens. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** How far the provider's clock may be off. Seconds. */
const TOLERANCE = 5;
/** Longest `sub` (OpenID Connect Core 1.0, section 2). */
const SUBJECT_MAX = 255;
/** The year 9999: later times are no times for the database. Seconds of the epoch. */
const EXPIRY_MAX = 253_402_300_799;

/** Of a claim that is told. Characters. */
const LONGEST_FOUND = 200;

/** Why a token is refused, and what it has where something else is expected. */
export interface Refusal {
  reason: string;
  found?: string | undefined;
}

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

function identityOf(
  payload: Jose.JWTPayload,
  issuer: string,
  onRefused: Expected['onRefused'],
): ExternalIdentity | null {
  const { exp } = payload;
  // What a provider signs is what it likes: jose looks at the times only.
  const sub: unknown = payload.sub;
  if (typeof sub !== 'string') {
    onRefused({ reason: '"sub" is no text', found: JSON.stringify(sub)?.slice(0, LONGEST_FOUND) });
    return null;
  }
  if (sub === '' || sub.length > SUBJECT_MAX || sub.includes('\0') || exp === undefined || exp > EXPIRY_MAX)
    return null;
  return {
    issuer,
    subject: sub,
    name: textOf(payload['name']) ?? textOf(payload['preferred_username']),
    email: payload['email_verified'] === true ? textOf(payload['email']) : null,
    expiresAt: new Date(exp * 1000),
  };
}

/** What a token is refused for, where that tells something of the settings, the provider or a clock: no token is for ever, and anybody may send nonsense. */
function refusalOf(error: Jose.errors.JOSEError, errors: typeof Jose.errors): Refusal | null {
  const { JWTExpired, JWSInvalid, JWTInvalid, JOSENotSupported } = errors;
  // The last one tells, before there is a key, what stands in the header.
  if ([JWTExpired, JWSInvalid, JWTInvalid, JOSENotSupported].some((nonsense) => error instanceof nonsense)) return null;
  const claim = error instanceof errors.JWTClaimValidationFailed ? error.claim : null;
  // Of a token with a good signature.
  const found = error instanceof errors.JWTClaimValidationFailed ? error.payload[error.claim] : undefined;
  return {
    reason: error.message,
    ...(claim === null ? {} : { found: JSON.stringify(found)?.slice(0, LONGEST_FOUND) }),
  };
}

const isOfTime = (error: Jose.errors.JOSEError, errors: typeof Jose.errors): boolean =>
  error instanceof errors.JWTExpired || (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf');

export interface Expected {
  issuer: string;
  audience: string;
  /** Hears of tokens that are refused for what may be wrong here or with the provider. */
  onRefused: (refusal: Refusal) => void;
}

/**
 * The identity in a JWT, or null when anything about it is wrong: signature, algorithm, issuer, audience, times, or a
 * missing `sub` or `exp`. One that a clock refuses for its time is judged by the next one: that of the database, which all is timed by, may be wrong,
 * and the provider's is set as that of this machine is. Throws only what the key set throws when it is not available.
 */
export async function verifyToken(
  token: string,
  keys: Jose.JWTVerifyGetKey,
  { issuer, audience, onRefused }: Expected,
  [clock, ...others]: readonly [Clock, ...Clock[]],
): Promise<ExternalIdentity | null> {
  const { errors, jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: TOLERANCE,
      currentDate: new Date(clock.now()),
    });
    return identityOf(payload, issuer, onRefused);
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    const now = clock.now();
    const [other, ...more] = isOfTime(error, errors) ? others.filter((one) => Math.abs(one.now() - now) > 1000) : [];
    if (other) return verifyToken(token, keys, { issuer, audience, onRefused }, [other, ...more]);
    const refusal = refusalOf(error, errors);
    if (refusal) onRefused(refusal);
    return null;
  }
}
