/**
 * The one catalogue of errors (interface.md §7). `docs/errors.md` holds the same table; test/errors-doc.test.ts keeps
 * them equal. Codes are stable: callers branch on them.
 */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, message: 'The request does not fit what this operation takes.' },
  UNAUTHENTICATED: { status: 401, message: 'A valid credential of the right kind is needed.' },
  FORBIDDEN: { status: 403, message: 'This credential may not do that.' },
  NOT_FOUND: { status: 404, message: 'There is nothing here under that address.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This address does not take that method.' },
  NOT_ACCEPTABLE: { status: 406, message: 'This service answers in application/json only.' },
  SLUG_TAKEN: { status: 409, message: 'Another post already has this slug.' },
  INVALID_STATE: { status: 409, message: 'That is not possible in the present state.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'A request with this Idempotency-Key is still running.' },
  ENDPOINT_LIMIT_REACHED: { status: 409, message: 'This account has as many endpoints as it may have.' },
  PRECONDITION_FAILED: { status: 412, message: 'The resource has changed since the version named in If-Match.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The body is larger than this operation takes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The body must be sent as application/json.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was used with another request.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests; wait as long as Retry-After says.' },
  INTERNAL_ERROR: { status: 500, message: 'Something failed on our side; quote the requestId.' },
  UNAVAILABLE: { status: 503, message: 'The service cannot take this now; try again after Retry-After.' },
  POST_MOVED: { status: 301, message: 'This post has a new address; see Location.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault found in a request: where (`body.title`, `query.limit`, `header.if-match`) and what is wrong. */
export interface ErrorDetail {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  /** Shown to the caller instead of the catalogue's general sentence. Must hold nothing of the inside. */
  message?: string;
  details?: readonly ErrorDetail[];
  /** With PRECONDITION_FAILED: the version that there is now. */
  currentVersion?: number;
  headers?: Readonly<Record<string, string>>;
  /** For the log only. */
  cause?: unknown;
}

/** An expected failure, thrown by use cases and turned into the envelope of interface.md §7 by platform/http. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly currentVersion: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? ERRORS[code].message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = options.details;
    this.currentVersion = options.currentVersion;
    this.headers = options.headers ?? {};
  }
}

/** Faults told in one reply: a body of a megabyte can have a hundred thousand. */
export const MAX_DETAILS = 50;
/** Faults told in the sentence for people. */
const MAX_IN_MESSAGE = 5;
/** Longest path or message of one fault. A path holds names that the caller chose. UTF-16 units. */
const MAX_DETAIL_LENGTH = 300;

const clip = (text: string): string =>
  text.length <= MAX_DETAIL_LENGTH ? text : `${text.slice(0, MAX_DETAIL_LENGTH).toWellFormed()}…`;

/**
 * VALIDATION_ERROR for a list of faults of any length: `details` has the first 50, the message the first five and how
 * many more there are. So the reply is small whatever was sent.
 */
export function invalidAll(faults: readonly ErrorDetail[]): AppError {
  const details = faults.slice(0, MAX_DETAILS).map((d) => ({ path: clip(d.path), message: clip(d.message) }));
  const said = details.slice(0, MAX_IN_MESSAGE).map((d) => `${d.path}: ${d.message}`);
  if (faults.length > said.length) said.push(`and ${faults.length - said.length} more`);
  return new AppError('VALIDATION_ERROR', { message: said.join('; '), details });
}

/** NOT_FOUND for an account that the caller named. The usual message would have people look for a mistyped path. */
export const noSuchAccount = (): AppError => new AppError('NOT_FOUND', { message: 'There is no such account.' });

/**
 * NOT_FOUND for a thing that the caller named by its id: the same whether there is none or it is of others. The usual message
 * would have people look for a mistyped path.
 */
export const noSuch = (what: string, id: string): AppError =>
  new AppError('NOT_FOUND', {
    message: `There is no ${what} ${id}: it was removed, also by its retention, or belongs to another account, or never was.`,
  });

/** VALIDATION_ERROR for a few faults; see `invalidAll` for a list. */
export const invalid = (...details: ErrorDetail[]): AppError => invalidAll(details);
