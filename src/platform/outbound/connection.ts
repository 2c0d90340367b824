import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type * as Undici from 'undici';
import { monotonicNow } from '../../lib/clock.ts';
import { openSocket, type ConnectorOptions, type SocketCallback, type Take, type TlsSession } from './connector.ts';
import type { Carrier, Exchange } from './exchange.ts';
import { failureOfConnecting, OutboundFailure, shutdownFailure, socketError } from './failure.ts';
import type { PlainReplies, PlainReply } from './plain-reply.ts';
import { plainRequest, type WrittenRequest } from './plain-request.ts';
import type { TargetUrl } from './target-url.ts';
import { DEFAULT_BODY_LIMITS } from './types.ts';

/** What a connection needs of the line of requests that it serves. */
export interface ConnectionOwner {
  readonly target: TargetUrl;
  readonly session: TlsSession;
  readonly connector: ConnectorOptions;
  readonly keepAliveMs: number;
  /** Everything goes through undici. */
  readonly throughUndici: boolean;
  /** Reads plain replies: those of one origin nearly all have the same head. */
  readonly replies: PlainReplies;
  /** Calls `write` once what kept connections hold by now has been read. */
  afterReading(connection: Connection): void;
  /** The reply to a request was there so long after it was written. `now` is on the monotonic clock. Milliseconds. */
  answered(tookMs: number, now: number): void;
  /** The connection finished an exchange and can carry another. */
  free(connection: Connection): void;
  /** The connection is closed or closing. */
  remove(connection: Connection): void;
  /** Closes every connection that is not in use. */
  closeUnused(): void;
  /** The exchange needs another connection. */
  handOn(exchange: Exchange): void;
}

/** Limit of undici's parser on one response's header bytes. */
const MAX_HEADER_BYTES = 16 * 1024;

/** How an unasked-for 100 begins, and what its last digit is made. */
const CONTINUE = Buffer.from('HTTP/1.1 100');
const FIRST_DIGIT = CONTINUE.length - 3;
const TWO = '2'.charCodeAt(0);

/** So much before a receiver closes an unused connection (`Keep-Alive: timeout`) it is used no more, as undici does. Milliseconds. */
const BEFORE_CLOSING_MS = 2000;

const require = createRequire(import.meta.url);
/** Loaded with the first exchange that is not plain: a fifth of what a thread that sends loads, and many never have one. */
const undici = (): typeof Undici => require('undici') as typeof Undici;

/**
 * One socket at a time, one request at a time. Plain requests and their replies (plain-request.ts, plain-reply.ts), which nearly all are, it writes and
 * reads by itself, for half of what an undici `Client` takes. With anything else the socket goes to a `Client`, for good: a request before it is written,
 * a reply with the bytes that have come of it, so that there is one parser for all that takes a parser.
 */
export class Connection implements Carrier {
  readonly #owner: ConnectionOwner;
  /** Once something was not plain. */
  #client: Undici.Client | null = null;
  #exchange: Exchange | null = null;
  #uses = 0;
  #socket: Socket | null = null;
  /** What is to be written as soon as it can be; null once it is. */
  #request: WrittenRequest | null = null;
  readonly #abortable = { abort: () => this.destroy() };
  /** The exchange has a kept socket and waits for what that holds to be read before it is written. */
  #waits = false;
  /** How long it is kept unused. Milliseconds; 0: not at all. */
  #keepMs: number;
  #unusedTimer: NodeJS.Timeout | null = null;
  /** When the timer of an unused connection ends, and since when it is unused, on the monotonic clock. Milliseconds. */
  #unusedTimerAt = 0;
  #unusedSince = 0;
  /** Bytes that the socket had read when the present request was written. */
  #readBefore = 0;
  /** When the present request was written, on the monotonic clock. Milliseconds. */
  #writtenAt = 0;
  #connectMs = 0;
  #cancelOpening: (() => void) | null = null;
  #destroyed = false;
  /** Resolves when the socket of a destroyed connection is closed. */
  #gone: Promise<unknown> | null = null;

  constructor(owner: ConnectionOwner) {
    this.#owner = owner;
    this.#keepMs = owner.keepAliveMs;
  }

  get destroyed(): boolean {
    return this.#destroyed;
  }

  get idle(): boolean {
    return this.#exchange === null;
  }

  get reused(): boolean {
    return this.#uses > 0;
  }

  get hasAnswered(): boolean {
    return this.#bytesRead > 0;
  }

  /** Of the present request. */
  get #bytesRead(): number {
    return (this.#socket?.bytesRead ?? 0) - this.#readBefore;
  }

  get connectMs(): number {
    return this.#connectMs;
  }

  start(exchange: Exchange): void {
    this.#exchange = exchange;
    exchange.carry(this);
    this.#request = this.#client || this.#owner.throughUndici ? null : plainRequest(exchange.request);
    if (this.#client === null && this.#socket !== null) {
      this.#waits = true;
      this.#owner.afterReading(this);
    } else if (this.#request === null) this.#dispatch(exchange);
    else this.#open((...result) => this.#opened(...result));
  }

  /** Writes the request that waits for it, unless it was given up or goes over another socket in the meantime. */
  write(): void {
    if (this.#waits) this.#write();
  }

  #write(): void {
    const [exchange, socket, request] = [this.#exchange, this.#socket, this.#request];
    if (this.#destroyed || !exchange || !socket) return;
    this.#waits = false;
    if (!request) {
      this.#dispatch(exchange);
      return;
    }
    this.#request = null;
    exchange.onRequestStart(this.#abortable);
    socket.write(request.text, request.encoding);
  }

  onWrite(): void {
    this.#uses++;
    this.#writtenAt = monotonicNow();
    this.#readBefore = this.#socket?.bytesRead ?? 0;
  }

  onAnswer(): void {
    const now = monotonicNow();
    this.#owner.answered(now - this.#writtenAt, now);
  }

  release(reusable: boolean): void {
    this.#exchange = null;
    this.#request = null;
    this.#waits = false;
    if (!reusable || this.#destroyed || !this.#canBeKept()) {
      this.destroy();
      return;
    }
    this.#owner.free(this);
    if (this.idle && this.#client === null) this.#keepUnused(monotonicNow());
  }

  handOn(): void {
    const exchange = this.#exchange;
    this.release(false);
    if (exchange) this.#owner.handOn(exchange);
  }

  closeUnused(): void {
    this.#owner.closeUnused();
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#cancelOpening?.();
    clearTimeout(this.#unusedTimer ?? undefined);
    if (this.#client) this.#gone = Promise.all([this.#client.destroy(), this.#closeSocket()]);
    else {
      this.#gone = this.#closeSocket();
      // As a client does with what is under way.
      this.#exchange?.onResponseError(null, shutdownFailure());
    }
    this.#owner.remove(this);
  }

  /** Resolves when it is closed. */
  async #closeSocket(): Promise<void> {
    const socket = this.#socket;
    if (!socket || socket.closed) return;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    socket.once('close', resolve);
    socket.destroy();
    await promise;
  }

  async shutDown(): Promise<void> {
    if (this.#exchange) this.#exchange.fail(shutdownFailure());
    this.destroy();
    await this.#gone;
  }

  #open(callback: SocketCallback): void {
    const { target, session, connector } = this.#owner;
    const started = monotonicNow();
    const done: SocketCallback = (...result) => {
      this.#cancelOpening = null;
      this.#uses = 0;
      this.#connectMs = monotonicNow() - started;
      [, this.#socket] = result;
      callback(...result);
    };
    this.#cancelOpening = openSocket(target, connector, session, { done, take: this.#take });
  }

  /** A client reads the socket's stream, at its own pace; what is read here is looked at where it lies. */
  readonly #take: Take = (socket, chunk) => {
    if (this.#client) return socket.push(Buffer.from(chunk));
    this.#onData(chunk);
    return true;
  };

  #opened(...[failure, socket]: Parameters<SocketCallback>): void {
    if (failure) {
      this.#broke(failure);
      return;
    }
    socket.on('error', this.#onError);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
    // What is under way has a timer, which holds the process; an unused connection should not.
    socket.unref();
    this.#write();
  }

  #onData(chunk: Buffer): void {
    const exchange = this.#exchange;
    if (!exchange || this.#waits) {
      // Nobody has asked: whose answer it would be taken for must not be left to chance.
      this.#broke(socketError('bad response'));
      return;
    }
    const reply = this.#owner.replies.read(chunk);
    if (reply === null || reply.body.length >= (exchange.request.bodyLimits ?? DEFAULT_BODY_LIMITS).read)
      this.#handOver(exchange, Buffer.from(chunk));
    else this.#replied(exchange, reply);
  }

  #replied(exchange: Exchange, { head, body }: PlainReply): void {
    const { keepAliveMs } = this.#owner;
    if (head.closes) this.#keepMs = 0;
    else if (head.keepsFor === undefined) this.#keepMs = keepAliveMs;
    else this.#keepMs = Math.max(0, Math.min(head.keepsFor * 1000 - BEFORE_CLOSING_MS, keepAliveMs));
    exchange.onReply(head.status, head.headers, body);
  }

  readonly #onError = (error: Error): void => this.#broke(error);
  readonly #onEnd = (): void => this.#broke(socketError('other side closed'));
  readonly #onClose = (): void => this.#broke(socketError('closed'));

  /** The socket is of no more use. */
  #broke(error: Error): void {
    if (this.#destroyed) return;
    // What is not written yet goes over another one, as with a client.
    if (this.#waits) this.#reopen();
    else if (this.#exchange) this.#exchange.onResponseError(null, error);
    else this.destroy();
  }

  #reopen(): void {
    this.#waits = false;
    const socket = this.#socket;
    this.#socket = null;
    if (socket) this.#detached(socket).destroy();
    if (this.#exchange) this.start(this.#exchange);
  }

  /** Whether it can carry another request after one that ended well. */
  #canBeKept(): boolean {
    if (this.#client) return true;
    const socket = this.#socket;
    // A reply that came while the request did not fit in the socket says that the rest is not wanted.
    return this.#keepMs > 0 && socket !== null && !socket.destroyed && !socket.writableNeedDrain;
  }

  /** The timer of before goes on where it ends soon enough: nearly always the connection is used again, and to set it costs more than to look then. */
  #keepUnused(now: number): void {
    this.#unusedSince = now;
    if (this.#unusedTimer === null || this.#unusedTimerAt > this.#unusedSince + this.#keepMs)
      this.#setUnusedTimer(this.#keepMs);
  }

  #setUnusedTimer(ms: number): void {
    clearTimeout(this.#unusedTimer ?? undefined);
    this.#unusedTimerAt = monotonicNow() + ms;
    this.#unusedTimer = setTimeout(endUnused, ms, this).unref();
  }

  /** Ends if it has been unused for as long as it may be. */
  endUnused(): void {
    this.#unusedTimer = null;
    if (!this.idle || this.#destroyed) return;
    const leftMs = this.#unusedSince + this.#keepMs - monotonicNow();
    if (leftMs <= 0) this.destroy();
    else this.#setUnusedTimer(leftMs);
  }

  /** By undici: opens a socket if there is none, and writes. */
  #dispatch(exchange: Exchange, first: Buffer | null = null): void {
    try {
      this.#client ??= this.#clientWith(first);
    } catch (error) {
      // Its files are opened for the first one, and there may be no room for another open file, as for no socket.
      exchange.onResponseError(null, failureOfConnecting(error as Error, false));
      return;
    }
    const { url, method, common = [], headers, body } = exchange.request;
    const all = [...common, ...headers];
    this.#client.dispatch({ path: url.path, method: method ?? 'POST', headers: all, body }, exchange);
  }

  /** The request is written, and the reply is not plain: undici reads it from its first byte, as that of a request which it only believes to have written. */
  #handOver(exchange: Exchange, first: Buffer): void {
    this.#dispatch(exchange, first);
  }

  /** A `Client` on the present socket, if there is one, of whose reply `first` has been read. */
  #clientWith(first: Buffer | null): Undici.Client {
    const { target, keepAliveMs } = this.#owner;
    clearTimeout(this.#unusedTimer ?? undefined);
    let present = this.#socket;
    const client = new (undici().Client)(target.origin, {
      connect: (_options, callback) => {
        const socket = present;
        present = null;
        if (socket === null) this.#open((...result) => this.#give(result, callback));
        // A connector answers later than it is asked.
        else queueMicrotask(() => this.#give([null, this.#detached(socket)], callback, first));
      },
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The deadline of the exchange covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // With a request waiting, undici connects anew by itself; without one the connection has no further use.
    client.on('disconnect', () => {
      if (this.idle) this.destroy();
    });
    return client;
  }

  #detached(socket: Socket): Socket {
    socket.off('error', this.#onError).off('end', this.#onEnd).off('close', this.#onClose);
    return socket.ref().pause();
  }

  #give(result: Parameters<SocketCallback>, callback: SocketCallback, first: Buffer | null = null): void {
    const [, socket] = result;
    socket?.on('readable', () => this.#boundReading());
    if (socket) this.#bearContinue(socket);
    if (socket === null || first === null) {
      callback(...result);
      return;
    }
    // It writes within this call what is written already; only then may it find the beginning of a reply.
    socket.write = () => true;
    callback(...result);
    Reflect.deleteProperty(socket, 'write');
    if (!socket.destroyed) socket.unshift(first);
  }

  /**
   * A client has to bear a 100 that it did not ask for (RFC 9110 §15.2), but undici ends the connection, as it does for no other 1xx: so it is
   * given a 102 in its place, which says as little. Such servers write it in one piece, ahead of their reply.
   */
  #bearContinue(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number) => {
      const chunk: Buffer | null = read(size);
      // The first digit first: it is another one of nearly all replies.
      if (chunk?.[FIRST_DIGIT] !== CONTINUE[FIRST_DIGIT] || this.#exchange?.isAwaited !== true) return chunk;
      if (chunk?.subarray(0, CONTINUE.length).equals(CONTINUE)) chunk[CONTINUE.length - 1] = TWO;
      return chunk;
    };
  }

  /**
   * The parser bounds header fields and the exchange bounds the body; what belongs to neither (extensions of chunks, empty
   * lines before the status) would be read for as long as the deadline lets it.
   */
  #boundReading(): void {
    const exchange = this.#exchange;
    if (!exchange || exchange.settled || this.#bytesRead <= exchange.maxBytes) return;
    exchange.fail(new OutboundFailure('PROTOCOL', 'the response has more bytes around its body than any should'));
  }
}

function endUnused(connection: Connection): void {
  connection.endUnused();
}
