import type { Dispatcher } from 'undici';
import { monotonicNow } from '../../lib/clock.ts';
import { amountOf, failureOfExchange, OutboundFailure } from './failure.ts';
import { BodyCollector, keptHeaders } from './response.ts';
import {
  DEFAULT_BODY_LIMITS,
  type OutboundErrorClass,
  type OutboundOutcome,
  type OutboundRequest,
  type Received,
  type Timings,
} from './types.ts';

/** What an exchange needs of the connection that carries it. */
export interface Carrier {
  /** Whether the socket under it has carried a request before. */
  readonly reused: boolean;
  /** Whether anything was read of the socket since the present request was written. */
  readonly hasAnswered: boolean;
  /** Milliseconds that opening the present socket took. */
  readonly connectMs: number;
  /** Called when a request is being written to the socket. */
  onWrite(): void;
  /** Called when the exchange has its response, or as much of it as is read. */
  onAnswer(): void;
  /** Called once per exchange, when the connection is done with it. A connection that is not reusable is closed. */
  release(reusable: boolean): void;
  /** As `release(false)`, and the exchange goes back into the line for another connection. */
  handOn(): void;
  /** Closes the unused connections of the same origin. */
  closeUnused(): void;
  /** Closes the connection, whatever it is doing; the exchange on it fails through `onResponseError`. */
  destroy(): void;
}

/** 1xx responses to one request before the peer is taken to be playing: each resets the limit on header bytes. */
const MAX_INFORMATIONAL = 8;

/** Bytes of a response besides its body: headers of nine responses (1xx included), and chunks of a byte each. */
const MAX_FRAMING_BYTES = 1024 * 1024;

/** Longest delay of a Node timer; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** What cuts a response short; whatever else fails is about what came, not about what did not. */
const CUTS: ReadonlySet<OutboundErrorClass> = new Set(['RESET', 'TIMEOUT']);

/** What ends an exchange that is under way. */
type Abortable = Pick<Dispatcher.DispatchController, 'abort'>;

/** What aborts a request whose outcome is already settled; only its presence matters, so one serves all. */
const SETTLED = new OutboundFailure('PROTOCOL', 'the outcome was settled before the response ended');

/**
 * One request from `send` to its outcome:
 *
 *     waiting ──carry──▶ connecting ──onRequestStart──▶ written ──▶ responding ──▶ settled
 *        └───────────────────┴─────── expire, fail ───────┴─────────────┴────────────▲
 *
 * Settled exactly once; whatever is still said afterwards only gives the connection back.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly request: OutboundRequest;
  /** Next in the line for a connection of the same origin. */
  next: Exchange | null = null;
  settled = false;
  #resolve: ((outcome: OutboundOutcome) => void) | null;
  #carrier: Carrier | null = null;
  #controller: Abortable | null = null;
  #reused = false;
  #handedOn = false;
  #informational = 0;
  #status = 0;
  #headers: Readonly<Record<string, string>> = {};
  #body: BodyCollector | null = null;
  /** When it began to wait for a connection, on the monotonic clock. Milliseconds. */
  readonly startedAt = monotonicNow();
  #connectMs: number | undefined;
  #firstByteMs: number | undefined;
  #timer: NodeJS.Timeout;

  constructor(request: OutboundRequest, resolve: (outcome: OutboundOutcome) => void) {
    this.request = request;
    this.#resolve = resolve;
    // A timer per request: timers of one duration share a list in Node, so starting and stopping one costs 0.2 µs; an
    // AbortSignal per request costs 15 % of the throughput.
    this.#timer = setTimeout(expire, Math.min(request.deadlineMs, MAX_TIMER_MS), this);
  }

  /** A connection takes the exchange on. */
  carry(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  /** Settles with a failure and drops the connection, if there is one: what it is in the middle of is of no use to others. */
  fail(failure: OutboundFailure): void {
    this.#settleFailure(failure);
    this.#drop();
  }

  /** Most bytes that are read of the connection for this exchange, whatever they are. */
  get maxBytes(): number {
    return MAX_FRAMING_BYTES + (this.request.bodyLimits ?? DEFAULT_BODY_LIMITS).read;
  }

  /** Whether nothing of the response is there yet, but for 1xx. */
  get isAwaited(): boolean {
    return this.#controller !== null && this.#body === null;
  }

  /** What the deadline cut short. */
  get phase(): string {
    if (this.#body) return 'the response was not complete';
    if (this.#controller) return 'no response';
    return this.#carrier ? 'no connection' : 'no free connection';
  }

  onRequestStart(controller: Abortable): void {
    // Throwing refuses the request without harm to the connection.
    if (this.settled) throw SETTLED;
    const isWritten = this.#controller !== null;
    this.#controller = controller;
    const carrier = this.#carrier;
    // Written already, and its reply is read by another from here on.
    if (!carrier || isWritten) return;
    this.#reused = carrier.reused;
    if (!carrier.reused) this.#connectMs = carrier.connectMs;
    carrier.onWrite();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: NodeJS.Dict<string | string[]>,
  ): void {
    if (status < 200) {
      if (++this.#informational > MAX_INFORMATIONAL)
        controller.abort(new OutboundFailure('PROTOCOL', 'too many 1xx responses'));
      return;
    }
    this.#firstByteMs = monotonicNow() - this.startedAt;
    this.#status = status;
    this.#headers = keptHeaders(headers);
    this.#body = new BodyCollector(this.request.bodyLimits ?? DEFAULT_BODY_LIMITS);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body?.add(chunk) !== false) return;
    this.#settleResponse();
    this.#drop();
  }

  /** A whole response at once, whose body is no longer than what is read of one; `headers` as `keptHeaders` gives them. */
  onReply(status: number, headers: Readonly<Record<string, string>>, body: Buffer): void {
    this.#firstByteMs = monotonicNow() - this.startedAt;
    this.#status = status;
    this.#headers = headers;
    if (body.length > 0) {
      this.#body = new BodyCollector(this.request.bodyLimits ?? DEFAULT_BODY_LIMITS);
      this.#body.add(body);
    }
    this.onResponseEnd();
  }

  onResponseEnd(): void {
    this.#settleResponse();
    this.#release(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isStale = !this.settled && this.#isStale(error);
    if (isStale) {
      // Where a receiver went down and came back they are dead as well; one that is not costs a new connection.
      this.#carrier?.closeUnused();
      if (this.#controller === null && !this.#handedOn) {
        this.#handedOn = true;
        this.#carrier?.handOn();
        return;
      }
    }
    if (!this.settled) this.#settleFailure(failureOfExchange(error, this.#body !== null), isStale);
    this.#release(false);
  }

  /** A kept connection broke before anything came back. When nothing was written to it, another one can be used without sending the request twice. */
  #isStale(error: Error): boolean {
    if (this.#controller === null) return this.#carrier?.reused === true && !(error instanceof OutboundFailure);
    return this.#reused && this.#carrier?.hasAnswered === false && !(error instanceof OutboundFailure);
  }

  #settleResponse(): void {
    if (!this.settled) this.#carrier?.onAnswer();
    this.#settle({ kind: 'response', ...this.#received(), timings: this.#timings() });
  }

  #settleFailure({ errorClass, message, isOurs }: OutboundFailure, onStaleConnection = false): void {
    const more = { ...(this.#body ? { received: this.#received() } : {}), ...(isOurs ? { isOurs } : {}) };
    const told =
      this.#body && CUTS.has(errorClass)
        ? `${message}: ${amountOf(this.#body.bytes, this.#headers['content-length'])}`
        : message;
    this.#settle({ kind: 'failure', errorClass, message: told, onStaleConnection, ...more, timings: this.#timings() });
  }

  #received(): Received {
    return {
      status: this.#status,
      headers: this.#headers,
      body: this.#body?.text(this.#headers['content-encoding']) ?? '',
      bodyTruncated: this.#body?.truncated ?? false,
    };
  }

  #settle(outcome: OutboundOutcome): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.#timer);
    this.#resolve?.(outcome);
    this.#resolve = null;
  }

  /** Ends what is being done for this exchange; that answers with `onResponseError`, which releases the connection. */
  #drop(): void {
    if (this.#controller) this.#controller.abort(SETTLED);
    else this.#carrier?.destroy();
  }

  #release(reusable: boolean): void {
    const carrier = this.#carrier;
    this.#carrier = null;
    carrier?.release(reusable);
  }

  #timings(): Timings {
    const timings: Timings = { totalMs: monotonicNow() - this.startedAt };
    if (this.#connectMs !== undefined) timings.connectMs = this.#connectMs;
    if (this.#firstByteMs !== undefined) timings.firstByteMs = this.#firstByteMs;
    return timings;
  }
}

function expire(exchange: Exchange): void {
  const { deadlineMs, withinMs = deadlineMs } = exchange.request;
  const limit = `within ${withinMs} ms`;
  exchange.fail(new OutboundFailure('TIMEOUT', `${exchange.phase} ${limit}`));
}
