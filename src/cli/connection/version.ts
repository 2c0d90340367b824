import { InvalidInputError, PosthornError } from '../../../client/src/index.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { readHealth } from './health.ts';
import { isHeard } from './service-clock.ts';

/** Of this program; the service comes in the same package. */
export const VERSION: string = packageJson.version;

/** The part of a version within which program and service understand each other: before 1.0 the minor one. */
const seriesOf = (version: string): string => version.split('.', version.startsWith('0.') ? 2 : 1).join('.');

/** Whether a service of this version takes what this program sends; one that tells none is older. */
export const isSameSeries = (version: string | undefined): boolean =>
  version !== undefined && seriesOf(version) === seriesOf(VERSION);

/** What a service answers to something that it does not know, or knows otherwise. */
const MISUNDERSTOOD: readonly string[] = ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'VALIDATION_ERROR', 'UNEXPECTED_REPLY'];

const isMisunderstanding = (error: unknown): boolean =>
  error instanceof PosthornError && MISUNDERSTOOD.includes(error.code);

/** File and line of our own in which an error was thrown, for whoever mends it. */
const placeOf = ({ stack = '' }: Error): string | undefined =>
  /^ +at (?!.*node:).*?([^/\\\s(]+:\d+):\d+\)?$/m.exec(stack)?.[1];

/**
 * What comes of a reply that lacks what it should have, or has something else there. The system's own errors have a code and say by themselves what
 * is the matter. What the client refuses to send comes of a reply too, such as an id that it lacks: what was typed is told by then (`inOptionNames`).
 */
const isOfReply = (error: unknown): error is Error =>
  isHeard() &&
  (error instanceof InvalidInputError ||
    ((error instanceof TypeError || error instanceof RangeError) && !('code' in error)));

/** Of a service that is not of another series, or could not be asked of which one it is. */
function notUnderstood(failure: Error, url: string, version: string | undefined): Failure {
  const of = version === undefined ? 'whose version could not be asked for' : `Posthorn ${version}`;
  // Of what cannot be sent it is always the same one, in the client.
  const place = failure instanceof InvalidInputError ? undefined : placeOf(failure);
  const what = `${failure.message.replace(/\.$/, '')}${place === undefined ? '' : ` (${place})`}`;
  return new Failure(
    `the service at ${url} (${of}) answered what this program (${VERSION}) does not understand: ${what}. Where the versions differ, use the program of the service's version.`,
  );
}

/** The failure that another one is when the service is of another version than this program, or answers otherwise than it should; else null. */
export async function otherVersion(failure: unknown, url: string): Promise<Failure | null> {
  const isReplyFault = isOfReply(failure);
  if (!isReplyFault && !isMisunderstanding(failure)) return null;
  const health = await readHealth(url).catch(() => null);
  if (health === null || isSameSeries(health.version))
    return isReplyFault ? notUnderstood(failure, url, health?.version) : null;
  return new Failure(
    `the service at ${url} is Posthorn ${health.version ?? 'of an older version'} and this program is ${VERSION}: use the program of the service's version (${(failure as Error).message})`,
    EXIT.OTHER_VERSION,
  );
}
