import { type ErrorDetail, PosthornError } from '../../client/src/index.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { printable } from './output/printable.ts';

/** A failure that is told as one line, with what to do, and decides the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command line is wrong in a way that only shows when it is run. */
export const wrongUse = (message: string): Failure => new Failure(message, EXIT.USAGE);

export interface Told {
  /** One line, or null for a fault of ours, whose stack is worth more. */
  line: string | null;
  exitCode: ExitCode;
}

/** What helps, by the code of the service's error. */
const HINTS: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Sign in with "posthorn login", or give another --key.',
  FORBIDDEN: '"posthorn whoami" shows who you are.',
  UNAVAILABLE: 'Try again in a moment.',
  INTERNAL_ERROR: "The service's log has the cause under this id.",
  ENDPOINT_LIMIT_REACHED: 'Delete one, see "posthorn endpoints list".',
};

const detailOf = ({ path, message }: ErrorDetail): string => `${path} ${message}`;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Why a connection failed, as the system has it. */
function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    // Several addresses that all refused come as one error without a text.
    if (code !== undefined && code !== 'CONNECTION_FAILED') return at.message || code;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && cause.message !== '' ? cause.message : 'no connection';
}

/** What an error says besides its code and the request. */
export const bareOf = ({ code, message }: PosthornError): string =>
  message.slice(code.length + 2).replace(/ \(request [^)]*\)$/, '');

function withoutReply(error: PosthornError, url: string): string {
  const help = 'Is the service running there? Give its address with --url or POSTHORN_URL.';
  if (error.code === 'TIMEOUT') return `cannot reach ${url}: no reply in time. ${help}`;
  if (error.code === 'CONNECTION_FAILED') return `cannot reach ${url}: ${reasonOf(error)}. ${help}`;
  if (error.code === 'REDIRECTED') return `${bareOf(error)} (--url or POSTHORN_URL).`;
  const status = error.status === null ? '' : ` ${error.status}`;
  return `${url} answered${status} and is no Posthorn service, or a proxy answers for it. ${help}`;
}

function tellReply(error: PosthornError, hintOfCode = HINTS[error.code]): Told {
  const { code, details, requestId, retryAfterMs } = error;
  const bare = bareOf(error);
  // A refused request has its details in the message already.
  const untold = details.filter(({ path, message }) => !bare.includes(`${path}: ${message}`));
  const more = untold.length === 0 ? '' : ` ${untold.map(detailOf).join('; ')}.`;
  const wait = retryAfterMs === null ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  const hint = wait === '' && hintOfCode !== undefined ? ` ${hintOfCode}` : wait;
  const id = requestId === null ? '' : ` [request ${requestId}]`;
  const isRefused = code === 'UNAUTHENTICATED' || code === 'FORBIDDEN';
  return {
    line: `${code}: ${sentence(bare)}${more}${hint}${id}`,
    exitCode: isRefused ? EXIT.NOT_ALLOWED : EXIT.FAILED,
  };
}

/** What a sign-in failed with: a wrong password is told with what helps there, and not where to sign in. */
export function failureOfSignIn(error: unknown): unknown {
  if (!(error instanceof PosthornError) || error.code !== 'UNAUTHENTICATED') return error;
  const { line, exitCode } = tellReply(error, 'Check both, and that it is the right service.');
  return line === null ? error : new Failure(line, exitCode);
}

/** Errors with a message for people, by name: their classes are loaded where they are thrown. */
const KNOWN: readonly string[] = ['ConfigError', 'DataDirInUseError', 'MigrationError', 'UnreadableFile'];

const onOneLine = (text: string): string => printable(text.trim().replaceAll(/\s*\n\s*/g, ' '));

/** What is said of an error, and how the program ends; `url` is the service that was spoken to. */
export function tell(error: unknown, url: string): Told {
  if (error instanceof Failure) return { line: onOneLine(error.message), exitCode: error.exitCode };
  if (error instanceof PosthornError) {
    const isReply = error.status !== null && error.code !== 'UNEXPECTED_REPLY' && error.code !== 'REDIRECTED';
    const told = isReply ? tellReply(error) : { line: withoutReply(error, url), exitCode: EXIT.UNREACHABLE };
    return { line: onOneLine(told.line ?? ''), exitCode: told.exitCode };
  }
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC') return { line: onOneLine(`${message}. The disk is full.`), exitCode: EXIT.FAILED };
  const isKnown = KNOWN.includes(name) || code !== undefined;
  return { line: isKnown ? onOneLine(message) : null, exitCode: EXIT.FAILED };
}
