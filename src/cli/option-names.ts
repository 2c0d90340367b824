import type { Command } from 'commander';
import { InvalidInputError, PosthornError } from '../../client/src/index.ts';
import { bareOf, wrongUse } from './failure.ts';

/** Options that are called otherwise than what they are in the API. */
const OPTIONS: Readonly<Record<string, string>> = {
  accountId: 'account',
  actorId: 'by',
  accountIds: 'account',
  blogRole: 'role',
  data: 'set',
  endpointId: 'endpoint',
  eventId: 'event-id',
  errorClass: 'error',
  maxInFlight: 'max-in-flight',
  offerId: 'offer',
  overlapSeconds: 'overlap',
  q: 'search',
  ratePerSecond: 'rate',
  scopes: 'scope',
  subjectId: 'subject',
  thingId: 'thing',
  tradeSessionId: 'trade',
};

/** What the fields of one request were given by: arguments and options by their names, or what a field is called. */
type Source = Readonly<Record<string, string>> | ((path: string) => string | undefined);

const sources = new WeakMap<PosthornError | InvalidInputError, Source>();

const isTold = (error: unknown): error is PosthornError | InvalidInputError =>
  error instanceof PosthornError || error instanceof InvalidInputError;

/**
 * Waits for a call whose fields have other names in this command than in others: the id of a path is that of `--endpoint` here, what is
 * looked for is the name of an account. What is refused is told by these names.
 */
export async function calledAs<T>(source: Source, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    // The one that is next to the call knows best.
    if (isTold(error) && !sources.has(error)) sources.set(error, source);
    throw error;
  }
}

/** An argument or option of this name, with the place within what it gives: "<id>", "--headers.Host", "--set items.0.price". */
function nameAt(command: Command, name: string, within: string): string | undefined {
  if (command.registeredArguments.some((one) => one.name() === name)) return `<${name}>${within}`;
  const long = `--${name}`;
  const option = command.options.find((one) => one.long === long);
  if (option === undefined) return undefined;
  if (name === 'set' && within !== '') return `${long} ${within.slice(1)}`;
  const value: unknown = command.getOptionValue(option.attributeName());
  if (!Array.isArray(value) || !/^\.\d+$/.test(within)) return `${long}${within}`;
  // Which of several is told by what was given; of only one there is nothing to tell.
  return value.length === 1 ? long : `${long} ${value[Number(within.slice(1))]}`;
}

/** By which option a password was given; else it was asked for. */
const passwordName = (command: Command): string =>
  ['password', 'password-stdin']
    .map((name) => command.options.find(({ long }) => long === `--${name}`))
    .find((option) => option && command.getOptionValueSource(option.attributeName()) === 'cli')?.long ?? 'password';

function bySource(source: Source, path: string, command: Command): string | undefined {
  if (typeof source === 'function') return source(path);
  const field = Object.keys(source).find((one) => path === one || path.startsWith(`${one}.`));
  return field === undefined ? undefined : nameAt(command, source[field] as string, path.slice(field.length));
}

/** What a field of a request was given by, where its name says it; undefined: none of the command. */
function byName(path: string, command: Command): string | undefined {
  const [, where, field = '', within = ''] = /^(query|path|body(?:\.filter)?)\.(\w+)(.*)$/.exec(path) ?? [];
  if (field === '') return undefined;
  if (field === 'password') return passwordName(command);
  const [only, another] = command.registeredArguments;
  const isOnly = where === 'path' && only !== undefined && another === undefined;
  return (isOnly ? `<${only.name()}>${within}` : undefined) ?? nameAt(command, OPTIONS[field] ?? field, within);
}

/** Whether this text is an argument, or what an option was given. */
const isTyped = (value: unknown, command: Command): boolean =>
  typeof value === 'string' &&
  [...command.args, ...Object.values<unknown>(command.optsWithGlobals()).flat()].includes(value);

/**
 * A refusal of the service with the names that were typed in place of those of the API: "--endpoint: must be a UUID". What the client refuses to send is
 * wrong use where it was typed; else it comes of a reply, and is left as it is.
 */
export function inOptionNames(error: unknown, command: Command): unknown {
  if (!isTold(error)) return error;
  const source = sources.get(error) ?? {};
  const nameOf = (path: string): string => bySource(source, path, command) ?? byName(path, command) ?? path;
  if (error instanceof InvalidInputError) {
    const { parameter, value, message } = error;
    const what = message.slice(parameter.length + 1);
    return isTyped(value, command) ? wrongUse(`${nameOf(`path.${parameter}`)} ${what}`) : error;
  }
  if (error.details.length === 0) return error;
  const { code, status, requestId, currentVersion, retryAfterMs, cause } = error;
  const details = error.details.map(({ path, message }) => ({ path: nameOf(path), message }));
  // With its colon: `query.event` begins `query.eventId`, too.
  const message = error.details.reduce(
    (text, { path }) => text.replaceAll(`${path}:`, () => `${nameOf(path)}:`),
    bareOf(error),
  );
  return new PosthornError({ code, message, status, requestId, details, currentVersion, retryAfterMs, cause });
}
