import type { Command } from 'commander';
import { PosthornError } from '../../client/src/index.ts';
import { bareOf } from './failure.ts';

/** Options that are called otherwise than what they are in the API. */
const OPTIONS: Readonly<Record<string, string>> = {
  accountId: 'account',
  endpointId: 'endpoint',
  errorClass: 'error',
  maxInFlight: 'max-in-flight',
  offerId: 'offer',
  overlapSeconds: 'overlap',
  q: 'search',
  ratePerSecond: 'rate',
  subjectId: 'subject',
  tradeSessionId: 'trade',
};

/** The option or argument that a field of a request came from: "--endpoint", "--headers.Host", "<id>"; undefined: none of the command. */
function givenAs(path: string, command: Command): string | undefined {
  const [, where, field = '', within = ''] = /^(query|path|body(?:\.filter)?)\.(\w+)(.*)$/.exec(path) ?? [];
  const args = command.registeredArguments;
  const argument =
    args.find((one) => one.name() === field) ?? (where === 'path' && args.length === 1 ? args[0] : undefined);
  if (argument) return `<${argument.name()}>${within}`;
  const long = `--${OPTIONS[field] ?? field}`;
  return command.options.some((option) => option.long === long) ? `${long}${within}` : undefined;
}

/** A refusal of the service with the names that were typed in place of those of the API: "--endpoint: must be a UUID". */
export function inOptionNames(error: unknown, command: Command): unknown {
  if (!(error instanceof PosthornError) || error.details.length === 0) return error;
  const { code, status, requestId, currentVersion, retryAfterMs, cause } = error;
  const nameOf = (path: string): string => givenAs(path, command) ?? path;
  const details = error.details.map(({ path, message }) => ({ path: nameOf(path), message }));
  // With its colon: `query.event` begins `query.eventId`, too.
  const message = error.details.reduce(
    (text, { path }) => text.replaceAll(`${path}:`, () => `${nameOf(path)}:`),
    bareOf(error),
  );
  return new PosthornError({ code, message, status, requestId, details, currentVersion, retryAfterMs, cause });
}
