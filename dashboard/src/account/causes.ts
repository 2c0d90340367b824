import type { DeliveryErrorClass } from '@posthorn/client';
import { anything, wordsOf } from '../lib/search.ts';

/** What a class of failed attempts means, and what the receiver's owner does about it (docs: "Receiving webhooks"). */
const FAILED = {
  HTTP_3XX: 'The receiver redirects. Redirects are never followed: enter the final address.',
  HTTP_4XX: 'The receiver refuses the request. Look at its reply: often the signature check or the route is wrong.',
  HTTP_410: 'The receiver says that it is gone for good, which disables the endpoint. Resume it if that was a mistake.',
  HTTP_429: 'The receiver wants fewer requests. Set a rate for the endpoint.',
  HTTP_5XX: 'The receiver failed. Its own log says why; replay when it is mended.',
  TIMEOUT: 'No whole reply within 15 seconds. Answer first and do the work afterwards.',
  DNS: 'The name of the receiver cannot be found. Check the address.',
  CONNECT: 'Nothing listens at the address, or a firewall is in between.',
  TLS: 'No connection by TLS that can be trusted. Mend the certificate, its chain or the settings of the receiver.',
  RESET: 'The receiver ended the connection before its reply was there.',
  PROTOCOL: 'What came back is not HTTP.',
  BLOCKED_TARGET: 'The address is not public, so nothing is sent there.',
  UNREADABLE_HEADERS:
    'The service cannot read the custom headers of the endpoint: its master key is another one. Set them again: what is held then goes out, if there is a key to sign with.',
  NO_SIGNING_SECRET:
    'The account had no API key that could be used to sign. Create one: what is held then goes out, if the custom headers of the endpoint can be read.',
  INTERNAL: 'A fault of the service, which costs no attempt; it is tried again by itself, for two days.',
};

const BROKEN_OFF = { SHUTDOWN: 'The service was stopped in the midst of it; it is sent again by itself.' };

/** Why a delivery ended without an attempt that failed. */
const ENDED = {
  ENDPOINT_DELETED: 'The endpoint was deleted.',
  REPLAYED: 'It was replayed before it was sent; the replay took its place.',
  PULLED: 'It was read from the feed.',
  BY_REQUEST: 'Somebody discarded it.',
};

const CAUSES: Readonly<Record<DeliveryErrorClass, string>> = { ...FAILED, ...BROKEN_OFF, ...ENDED };

/** Whether lists can be narrowed to it: not to a class of another version, nor to none. */
export const isCause = (errorClass: string | null): errorClass is DeliveryErrorClass =>
  errorClass !== null && Object.hasOwn(CAUSES, errorClass);

/** The cause in an address, also one that is none: the service refuses that, and the page tells so. */
export const causeOf = (value: unknown): DeliveryErrorClass | undefined =>
  anything(value) as DeliveryErrorClass | undefined;

/** One sentence on a class of failure; null for one that is not known here. */
export const causeText = (errorClass: string | null): string | null =>
  errorClass === null ? null : ((CAUSES as Readonly<Record<string, string>>)[errorClass] ?? null);

/** What follows a class that is told already: a message that begins with it goes on from there ("TLS" "handshake failed …"). */
export const afterClass = (errorClass: string, message: string): string =>
  message.startsWith(`${errorClass} `) ? message.slice(errorClass.length) : `: ${message}`;

/** What an attempt brought, in short: the status, what went wrong, or both of a reply that was not whole. */
export const answerText = (attempt: { responseStatus: number | null; errorClass: string | null }): string => {
  const { responseStatus, errorClass } = attempt;
  const failure = responseStatus !== null && errorClass?.startsWith('HTTP_') ? null : errorClass;
  return [responseStatus, failure].filter((part) => part !== null).join(', ');
};

const FAILURE_NAMES: Readonly<Record<keyof typeof FAILED, string>> = {
  HTTP_3XX: 'Redirect',
  HTTP_4XX: 'Refused',
  HTTP_410: 'Gone',
  HTTP_429: 'Too many requests',
  HTTP_5XX: 'Receiver failed',
  TIMEOUT: 'No reply in time',
  DNS: 'Name not found',
  CONNECT: 'No connection',
  TLS: 'Bad certificate',
  RESET: 'Connection ended',
  PROTOCOL: 'Not HTTP',
  BLOCKED_TARGET: 'Address not public',
  UNREADABLE_HEADERS: 'Headers unreadable',
  NO_SIGNING_SECRET: 'No signing secret',
  INTERNAL: 'Fault of the service',
};

/** The classes by which lists are filtered, those of failed attempts; each with what the lists call it behind its words. */
export const FAILURES: readonly { value: DeliveryErrorClass; label: string }[] = wordsOf<keyof typeof FAILED>(
  FAILURE_NAMES,
).map((value) => ({ value, label: `${FAILURE_NAMES[value]} (${value})` }));

/** What keeps a delivery and never ends it. */
const OBSTACLES: readonly DeliveryErrorClass[] = ['UNREADABLE_HEADERS', 'NO_SIGNING_SECRET'];

export const isObstacle = (errorClass: string | null): boolean => OBSTACLES.some((each) => each === errorClass);

/** The classes that a dead letter can have. */
export const DEADLY = FAILURES.filter(({ value }) => !isObstacle(value));
