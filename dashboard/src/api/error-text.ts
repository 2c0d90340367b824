import { type ClientErrorCode, type ErrorCode, PosthornError } from '@posthorn/client';
import { faultText } from './names.ts';

export type FailureCode = ErrorCode | ClientErrorCode;

/** What a person is told of a failure, by its code, and what to do about it. */
const TEXTS: Readonly<Record<FailureCode, { title: string; advice: string }>> = {
  VALIDATION_ERROR: { title: 'Something in it does not fit', advice: 'Correct that and try again.' },
  UNAUTHENTICATED: { title: 'Your session had ended', advice: 'Nothing was done. Try again.' },
  FORBIDDEN: { title: 'You may not do that', advice: 'Ask an operator of this service for the right to do it.' },
  NOT_FOUND: {
    title: 'There is no such thing',
    advice: 'It was removed, also by its retention, or belongs to another account; or its address is mistyped.',
  },
  METHOD_NOT_ALLOWED: { title: 'The service does not take that', advice: 'Reload the page: it may be an old one.' },
  NOT_ACCEPTABLE: { title: 'The service does not take that', advice: 'Reload the page: it may be an old one.' },
  SLUG_TAKEN: { title: 'Another post has this slug', advice: 'Choose another slug.' },
  INVALID_STATE: {
    title: 'Not possible in the present state',
    advice: 'First put right what is in the way. If it is not any more, reload to see how it is.',
  },
  IDEMPOTENCY_IN_PROGRESS: { title: 'This is being done already', advice: 'Wait a moment.' },
  ENDPOINT_LIMIT_REACHED: { title: 'The account has as many as it may have', advice: 'Delete one that is not used.' },
  PRECONDITION_FAILED: { title: 'It was changed meanwhile', advice: 'Reload to see what it is now.' },
  PAYLOAD_TOO_LARGE: { title: 'That is too large', advice: 'Make it shorter.' },
  UNSUPPORTED_MEDIA_TYPE: { title: 'The service does not take that', advice: 'Reload the page: it may be an old one.' },
  IDEMPOTENCY_KEY_REUSED: { title: 'This was sent before with other content', advice: 'Reload and try again.' },
  RATE_LIMITED: { title: 'Too many requests', advice: 'Wait a minute, then try again.' },
  INTERNAL_ERROR: { title: 'The service failed', advice: 'Try again. If it stays, tell an operator the request id.' },
  UNAVAILABLE: { title: 'The service is busy', advice: 'Try again in a moment.' },
  POST_MOVED: { title: 'The post has a new address', advice: 'Reload the list.' },
  CONNECTION_FAILED: { title: 'The service cannot be reached', advice: 'Check your connection, then try again.' },
  TIMEOUT: { title: 'No reply in time', advice: 'Check your connection, then try again.' },
  REDIRECTED: { title: 'The service is somewhere else', advice: 'Tell an operator: its address leads to another.' },
  NOT_MODIFIED: { title: 'Nothing has changed', advice: 'Reload to see it.' },
  UNEXPECTED_REPLY: { title: 'The reply was none of the service', advice: 'Something in between answered. Try again.' },
};

export interface FailureText {
  title: string;
  advice: string;
  /** What the service said, with each field's fault. */
  details: readonly string[];
  requestId: string | null;
}

/** In the words of Vite, and of Chrome, Firefox and Safari. */
const UNLOADED_WORDS =
  /^(?:Unable to preload CSS|Failed to fetch dynamically imported|error loading dynamically imported|Importing a module script failed)/;

/** A part of the dashboard did not come: the service is away, or has parts of another version by now. */
const isUnloaded = (error: unknown): boolean => error instanceof Error && UNLOADED_WORDS.test(error.message);

const UNLOADED = {
  title: 'A part of this page could not be loaded',
  advice: 'The service cannot be reached, or was updated since you opened the page. Load the page anew.',
};

/**
 * The words for anything that was thrown. `what`: of which kind the thing is that was asked for, "delivery"; `id`: which one.
 */
export function failureText(error: unknown, what?: string, id?: string): FailureText {
  if (isUnloaded(error)) return { ...UNLOADED, details: [], requestId: null };
  if (!(error instanceof PosthornError)) {
    return { title: 'The page failed', advice: 'Reload it.', details: [String(error)], requestId: null };
  }
  const { requestId } = error;
  if (isNothing(error)) {
    const noun = error.details[0]?.path === WHOSE ? 'account' : (what ?? 'thing');
    const details = noun === what && id !== undefined ? [`No ${noun} that you may see has the id ${id}.`] : [];
    return { title: `There is no such ${noun}`, advice: TEXTS.NOT_FOUND.advice, details, requestId };
  }
  const details = error.details.map(faultText);
  return { ...TEXTS[error.code], details: details.length > 0 ? details : saidBy(error), requestId };
}

/** What the service says of one field, to stand below it: "This is not the current password."; undefined: nothing. `path`: "body.name". */
export function faultOf(error: unknown, path: string): string | undefined {
  const fault = error instanceof PosthornError ? error.details.find((detail) => detail.path === path) : undefined;
  return fault && `This ${fault.message}.`;
}

/** Of which account a list is. On the pages it stands in the path of their address. */
const WHOSE = 'query.accountId';

/** Whether what was asked for does not exist. Nothing has an id that is none, so an address with one is as good as that. */
export const isNothing = (error: unknown): boolean =>
  isFailure(error, 'NOT_FOUND') ||
  (isFailure(error, 'VALIDATION_ERROR') &&
    error.details.length > 0 &&
    error.details.every(({ path }) => path.startsWith('path.') || path === WHOSE));

/** The service's sentence where it says more than the code does. */
function saidBy(error: PosthornError): string[] {
  if (!['INVALID_STATE', 'FORBIDDEN', 'VALIDATION_ERROR'].includes(error.code)) return [];
  return [error.message.replace(/^[A-Z_]+: /, '').replace(/ \(request .*\)$/, '')];
}

export const isFailure = (error: unknown, ...codes: FailureCode[]): error is PosthornError =>
  error instanceof PosthornError && codes.includes(error.code);
