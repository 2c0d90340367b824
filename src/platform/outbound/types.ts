import type { TargetUrl } from './target-url.ts';

/** Where requests may go besides public addresses, and how. The same policy object is meant to be shared and kept. */
export interface OutboundPolicy {
  /** CIDRs (or single addresses) that may be reached although they are not public. Empty in production. */
  readonly allowedTargets: readonly string[];
  /** Outside development only https URLs are accepted (contract, section 5). */
  readonly requireHttps: boolean;
  /** Name servers, `address` or `address:port`. Absent: those of the system. */
  readonly nameServers?: readonly string[];
}

export interface OutboundRequest {
  /** Parsed once per endpoint with `parseTargetUrl` and reused for every request. */
  readonly url: TargetUrl;
  /** Default `POST`. */
  readonly method?: 'POST' | 'GET';
  /** Header fields that other requests have as well, ahead of `headers`: the same list each time, which does not change, is looked at and written down once. */
  readonly common?: readonly string[];
  /** Flat list: name, value, name, value. `Host` and `Content-Length` are set by the sender. */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
  /** Milliseconds over everything: waiting for a connection, name lookup, connect, TLS, headers, body. */
  readonly deadlineMs: number;
  /** What a timeout tells as the time that there was, where that is more than the deadline of this request alone. Milliseconds. */
  readonly withinMs?: number;
  /** Default `DEFAULT_BODY_LIMITS`. */
  readonly bodyLimits?: BodyLimits;
}

/** Bytes of a response body. */
export interface BodyLimits {
  /** Kept for the log of attempts. */
  readonly keep: number;
  /** Read before the connection is dropped: what is a little too long still leaves the connection usable. */
  readonly read: number;
}

/** 16 KiB are kept (contract, section 5); the rest is not worth more than one socket buffer of traffic. */
export const DEFAULT_BODY_LIMITS: BodyLimits = { keep: 16 * 1024, read: 64 * 1024 };

/** Milliseconds since `send` was called, except `connectMs`, which is a duration. */
export interface Timings {
  totalMs: number;
  /** Name lookup + TCP + TLS; absent when a kept connection was used. */
  connectMs?: number;
  /** When the status line and headers were there. */
  firstByteMs?: number;
}

export const OUTBOUND_ERROR_CLASSES = [
  'BLOCKED_TARGET',
  'DNS',
  'CONNECT',
  'TLS',
  'TIMEOUT',
  'RESET',
  'PROTOCOL',
  'SHUTDOWN',
] as const;
export type OutboundErrorClass = (typeof OUTBOUND_ERROR_CLASSES)[number];

/** Of a response what has come. */
export interface Received {
  status: number;
  /** Names in lower case; at most 64, values at most 1 KiB, credentials replaced by `[redacted]`. */
  headers: Readonly<Record<string, string>>;
  /** The first `BodyLimits.keep` bytes as text: invalid UTF-8 and NUL are U+FFFD, a compressed body is only named. */
  body: string;
  bodyTruncated: boolean;
}

export interface OutboundResponse extends Received {
  kind: 'response';
  timings: Timings;
}

export interface OutboundError {
  kind: 'failure';
  errorClass: OutboundErrorClass;
  /** Ours and safe to show: never an address that a name resolved to, never text of the peer. */
  message: string;
  /**
   * A kept connection, which had served others before, broke, and nothing came back. Usually the peer closed it at that very
   * moment; such a request deserves another try at once rather than the next wait of the schedule.
   */
  onStaleConnection: boolean;
  /** This machine had no room for a connection: says nothing about the receiver. */
  isOurs?: true;
  /** What had come of a response that was not complete; absent when its header fields were not. */
  received?: Received;
  timings: Timings;
}

export type OutboundOutcome = OutboundResponse | OutboundError;
