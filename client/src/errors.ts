import type { ErrorCode } from './generated.ts';

/**
 * Why there is no reply of the service to speak of. REDIRECTED: it is somewhere else than `baseUrl` says. NOT_MODIFIED: the
 * caller's own `If-None-Match` fits, so what the caller has is what there is.
 */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMEOUT' | 'UNEXPECTED_REPLY' | 'REDIRECTED' | 'NOT_MODIFIED';

/** What the service says about one field or parameter. */
export interface ErrorDetail {
  path: string;
  message: string;
}

interface Circumstances {
  code: ErrorCode | ClientErrorCode;
  message: string;
  status?: number | null;
  requestId?: string | null;
  details?: readonly ErrorDetail[];
  currentVersion?: number | null;
  retryAfterMs?: number | null;
  cause?: unknown;
}

/**
 * A call that failed. `code` is stable: branch on it. `requestId` is what the service's logs and support know the request
 * by; null when no reply came.
 */
export class PosthornError extends Error {
  override readonly name = 'PosthornError';
  readonly code: ErrorCode | ClientErrorCode;
  /** HTTP status; null without a reply. */
  readonly status: number | null;
  readonly requestId: string | null;
  /** With VALIDATION_ERROR: what is wrong with what. */
  readonly details: readonly ErrorDetail[];
  /** With PRECONDITION_FAILED: the version that there is now. */
  readonly currentVersion: number | null;
  /** After how long the service wants to be asked again; null when it did not say. Milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(what: Circumstances) {
    const of = what.requestId == null ? '' : ` (request ${what.requestId})`;
    super(`${what.code}: ${what.message}${of}`, what.cause === undefined ? {} : { cause: what.cause });
    this.code = what.code;
    this.status = what.status ?? null;
    this.requestId = what.requestId ?? null;
    this.details = what.details ?? [];
    this.currentVersion = what.currentVersion ?? null;
    this.retryAfterMs = what.retryAfterMs ?? null;
  }
}

/** What a method was given cannot be sent, and was not. A TypeError that can be told from those of the caller's own code. */
export class InvalidInputError extends TypeError {
  override readonly name = 'InvalidInputError';
  readonly code = 'INVALID_INPUT';
  /** Which field of the input, as the method calls it. */
  readonly parameter: string;
  /** What it was; undefined, null or empty where it is missing, undefined where it may be a secret: of headers and bodies. */
  readonly value: unknown;

  constructor(parameter: string, value: unknown, what: string) {
    super(`${parameter} ${what}`);
    this.parameter = parameter;
    this.value = value;
  }
}

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds: seconds, or a date; null when absent or unreadable. */
export function retryAfterOf(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

interface Envelope {
  error?: { code?: unknown; message?: unknown; requestId?: unknown; details?: unknown; currentVersion?: unknown };
}

/** The error that a reply tells of whose status is none of success. */
export async function errorOf(response: Response, now: number): Promise<PosthornError> {
  const text = await response.text().catch(() => '');
  const { status, headers } = response;
  const about = {
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterOf(headers.get('retry-after'), now),
  };
  if (status === 304)
    return new PosthornError({ ...about, code: 'NOT_MODIFIED', message: 'the caller has what there is' });
  let error: Envelope['error'];
  try {
    error = (JSON.parse(text) as Envelope | null)?.error;
  } catch {
    // A proxy in between answers as it likes.
  }
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') {
    return new PosthornError({
      ...about,
      code: 'UNEXPECTED_REPLY',
      message: `status ${status} without an error of the service`,
    });
  }
  return new PosthornError({
    ...about,
    code: error.code as ErrorCode,
    message: error.message,
    ...(typeof error.requestId === 'string' ? { requestId: error.requestId } : {}),
    details: Array.isArray(error.details) ? (error.details as ErrorDetail[]) : [],
    currentVersion: typeof error.currentVersion === 'number' ? error.currentVersion : null,
  });
}
