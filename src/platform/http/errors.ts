import type { FastifyError } from 'fastify';
import { AppError, type ErrorCode, invalid, invalidAll } from '../../contracts/errors.ts';
import { isDatabaseAway } from '../db/errors.ts';
import { detailsOf } from './validators.ts';

const BY_STATUS: Record<number, ErrorCode> = {
  400: 'VALIDATION_ERROR',
  404: 'NOT_FOUND',
  406: 'NOT_ACCEPTABLE',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'VALIDATION_ERROR',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  431: 'VALIDATION_ERROR',
};

/** What the router says of an address that it cannot read. */
const ADDRESS_FAULTS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'must be percent-encoded UTF-8',
  FST_ERR_MAX_PARAM_LENGTH: 'must not have a part of more than 500 characters',
};

/**
 * The caller hung up in the middle of the body: no failure of ours, though Node's `ECONNRESET` looks like one of the
 * database. Nobody reads this answer; it is for the log and the metrics.
 */
export const hungUp = (): AppError =>
  new AppError('VALIDATION_ERROR', { message: 'The connection ended before the body was complete.' });

/**
 * Any failure as one of the catalogue. What is not expected becomes INTERNAL_ERROR with the original as cause. `bodyLimit` is
 * that of the route, for who has to send less.
 */
export function toAppError(error: unknown, bodyLimit?: number): AppError {
  if (error instanceof AppError) return error;
  const e = error as FastifyError;
  if (e.validation) return invalidAll(detailsOf(e.validation, e.validationContext));
  if (isDatabaseAway(error)) {
    return new AppError('UNAVAILABLE', {
      message: 'The database cannot be used for this now.',
      headers: { 'retry-after': '2' },
      cause: error,
    });
  }
  if (e instanceof SyntaxError || e.code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    return new AppError('VALIDATION_ERROR', {
      message: 'body: is not JSON',
      details: [{ path: 'body', message: 'is not JSON' }],
    });
  }
  const address = ADDRESS_FAULTS[e.code];
  if (address !== undefined) return invalid({ path: 'url', message: address });
  if (e.code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit !== undefined) {
    return new AppError('PAYLOAD_TOO_LARGE', {
      message: `The body is larger than this operation takes (${bodyLimit} bytes).`,
    });
  }
  const code = e.code?.startsWith('FST_') && e.statusCode ? BY_STATUS[e.statusCode] : undefined;
  if (code) return new AppError(code, code === 'VALIDATION_ERROR' ? { message: e.message } : {});
  return new AppError('INTERNAL_ERROR', { cause: error });
}

/** The envelope of interface.md §7. */
export const envelope = (error: AppError, requestId: string): { error: Record<string, unknown> } => ({
  error: {
    code: error.code,
    message: error.message,
    requestId,
    ...(error.details ? { details: error.details } : {}),
    ...(error.currentVersion === undefined ? {} : { currentVersion: error.currentVersion }),
  },
});
