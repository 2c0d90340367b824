import type { OutboundErrorClass } from './types.ts';

/** A request that did not get a response, with the class that is reported and a message that is safe to show. */
export class OutboundFailure extends Error {
  readonly errorClass: OutboundErrorClass;
  /** This machine lacks what a connection takes; the other side was not asked. */
  readonly isOurs: boolean;

  constructor(errorClass: OutboundErrorClass, message: string, options: ErrorOptions & { isOurs?: boolean } = {}) {
    super(message, options);
    this.name = 'OutboundFailure';
    this.errorClass = errorClass;
    this.isOurs = options.isOurs ?? false;
  }
}

/** The process, or the system, has no file descriptor or memory left for another connection; with what to do where that is known. */
const OURS: Readonly<Record<string, string>> = {
  EMFILE: ': raise its limit of open files (ulimit -n)',
  ENFILE: ': raise the limit of open files of the system (fs.file-max)',
  ENOBUFS: '',
  ENOMEM: '',
};

/** Where a machine has no room for another connection; undefined: it is another failure. */
export function failureOfRoom(cause: unknown): OutboundFailure | undefined {
  const code = codeOf(cause);
  const advice = OURS[code];
  if (advice === undefined) return undefined;
  const message = `this machine has no room for another connection (${code})${advice}`;
  return new OutboundFailure('CONNECT', message, { cause, isOurs: true });
}

export function shutdownFailure(): OutboundFailure {
  return new OutboundFailure('SHUTDOWN', 'the service is shutting down');
}

const NO_CHAIN =
  'no chain of certificates leads to a public authority; most often the server does not send the intermediate ones (its full chain)';
/** What usually is to be done about it, for codes of Node and OpenSSL that say little to whoever runs the receiver. */
const TLS_WORDS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is of an authority that is not a public one',
  UNABLE_TO_GET_ISSUER_CERT: NO_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NO_CHAIN,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NO_CHAIN,
  CERT_HAS_EXPIRED: 'a certificate has expired',
  CERT_NOT_YET_VALID: 'a certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is of another host',
  ECONNRESET: 'the server closed the connection',
  ERR_SSL_WRONG_VERSION_NUMBER: 'what answers at this port does not speak TLS',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'the server speaks no TLS 1.2 or newer',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the server speaks no TLS 1.2 or newer',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE':
    'the server refused: it has no certificate for this host, or wants one of the client',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'the server does not know this host',
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: 'the server failed; most often it has no certificate for this host',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the server wants a certificate of the client',
};

function wordsOfTls(code: string): string {
  const words = TLS_WORDS[code];
  return words === undefined ? '' : `: ${words}`;
}

/** What undici would tell of a socket, for one that has no `Client`. */
export const socketError = (message: string): Error => Object.assign(new Error(message), { code: 'UND_ERR_SOCKET' });

/** Why a connection could not be opened; `handshaking` when TCP stood and TLS was under way, `fault` what the certificate says of it. */
export function failureOfConnecting(error: Error, handshaking: boolean, fault?: string): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const ours = failureOfRoom(error);
  if (ours) return ours;
  const code = codeOf(error);
  const options = { cause: error };
  // Whatever breaks between the TCP handshake and the end of the TLS handshake, also a plain reset, is for its owner a TLS trouble.
  if (handshaking)
    return new OutboundFailure(
      'TLS',
      `TLS handshake failed${fault ? `: ${fault}` : wordsOfTls(code)} (${code})`,
      options,
    );
  if (code === 'ETIMEDOUT')
    return new OutboundFailure('TIMEOUT', 'the host did not accept the connection in time', options);
  if (code === 'ECONNREFUSED') return new OutboundFailure('CONNECT', 'connection refused', options);
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return new OutboundFailure('CONNECT', 'no route to the host', options);
  return new OutboundFailure('CONNECT', `connection failed (${code})`, options);
}

/** Error codes of Node and undici on an established connection. What is not listed counts as a breach of protocol. */
const EXCHANGE_FAILURES: Record<string, [OutboundErrorClass, string]> = {
  ECONNRESET: ['RESET', 'connection reset by the receiver'],
  ECONNABORTED: ['RESET', 'connection reset by the receiver'],
  EPIPE: ['RESET', 'connection closed by the receiver'],
  UND_ERR_SOCKET: ['RESET', 'connection closed by the receiver'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['RESET', 'the response does not have its announced length'],
  ETIMEDOUT: ['TIMEOUT', 'the connection timed out'],
  UND_ERR_HEADERS_OVERFLOW: ['PROTOCOL', 'the response headers are larger than 16 KiB'],
  UND_ERR_INVALID_ARG: ['PROTOCOL', 'the request has a header that cannot be sent'],
  UND_ERR_NOT_SUPPORTED: ['PROTOCOL', 'the request has a header that cannot be sent'],
};

/** Why an exchange on an open connection failed; `responding` when the header fields of a response were there. */
export function failureOfExchange(error: Error, responding: boolean): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  const options = { cause: error };
  // undici's only mark of an unasked-for response, 100 Continue or protocol upgrade is the message.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) {
    return new OutboundFailure('PROTOCOL', 'the receiver sent a response that was not asked for', options);
  }
  // So does undici call whatever it cannot read behind a Content-Length: a second one, chunks besides, a field that is none.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !responding)
    return new OutboundFailure(
      'PROTOCOL',
      'not a valid HTTP/1.1 response (two lengths, or a malformed header field)',
      options,
    );
  const known = EXCHANGE_FAILURES[code];
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return shutdownFailure();
  if (known) return new OutboundFailure(known[0], known[1], options);
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS'))
    return new OutboundFailure('TLS', `TLS failed${wordsOfTls(code)} (${code})`, options);
  if (error.name === 'HTTPParserError') return failureOfParsing(error);
  return new OutboundFailure('PROTOCOL', `the exchange failed (${code})`, options);
}

/** Behind why a response ended too soon: how much of its body was there, of how much where it said so (`content-length`). */
export function amountOf(bytes: number, announced: string | undefined): string {
  return announced !== undefined && /^\d{1,15}$/.test(announced)
    ? `${bytes} of the ${Number(announced)} bytes of its body came (Content-Length)`
    : `${bytes} bytes of its body came, but not its end`;
}

/** undici's parser errors carry no code, only the parser's own words (never the peer's) in brackets. */
function failureOfParsing(error: Error): OutboundFailure {
  const words = /\(([\w ,:/-]{1,80})\)$/.exec(error.message)?.[1] ?? 'malformed';
  const cut = words === 'Invalid EOF state';
  return cut
    ? new OutboundFailure('RESET', 'the response ended before it was complete', { cause: error })
    : new OutboundFailure('PROTOCOL', `not a valid HTTP/1.1 response (${words})`, { cause: error });
}

/** The code of an error (of OpenSSL some have a slash), made harmless; of an attempt at several addresses, that of the first. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_/]{1,64}$/.test(code) ? code : 'UNKNOWN';
}
