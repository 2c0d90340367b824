import { PosthornError } from '../../../client/src/index.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { readHealth } from './health.ts';

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
  error instanceof TypeError || (error instanceof PosthornError && MISUNDERSTOOD.includes(error.code));

/** The failure that another one is when the service is of another version than this program; else null. */
export async function otherVersion(failure: unknown, url: string): Promise<Failure | null> {
  if (!isMisunderstanding(failure)) return null;
  const health = await readHealth(url).catch(() => null);
  if (health === null || isSameSeries(health.version)) return null;
  return new Failure(
    `the service at ${url} is Posthorn ${health.version ?? 'of an older version'} and this program is ${VERSION}: use the program of the service's version (${(failure as Error).message})`,
    EXIT.OTHER_VERSION,
  );
}
