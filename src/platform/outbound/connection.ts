import type { Socket } from 'node:net';
import { Client } from 'undici';
import { monotonicNow } from '../../lib/clock.ts';
import { openSocket, type ConnectorOptions, type SocketCallback, type TlsSession } from './connector.ts';
import type { Carrier, Exchange } from './exchange.ts';
import { OutboundFailure, shutdownFailure } from './failure.ts';
import type { TargetUrl } from './target-url.ts';

/** What a connection needs of the line of requests that it serves. */
export interface ConnectionOwner {
  readonly target: TargetUrl;
  readonly session: TlsSession;
  readonly connector: ConnectorOptions;
  readonly keepAliveMs: number;
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

/** One undici `Client`: one socket at a time, one request at a time. */
export class Connection implements Carrier {
  readonly #owner: ConnectionOwner;
  readonly #client: Client;
  #exchange: Exchange | null = null;
  #uses = 0;
  #socket: Socket | null = null;
  /** Bytes that the socket had read when the present request was written. */
  #readBefore = 0;
  #connectMs = 0;
  #cancelOpening: (() => void) | null = null;
  #destroyed = false;
  /** Resolves when the socket of a destroyed connection is closed. */
  #gone: Promise<void> | null = null;

  constructor(owner: ConnectionOwner) {
    this.#owner = owner;
    this.#client = new Client(owner.target.origin, {
      connect: (_options, callback) => this.#open(callback),
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: owner.keepAliveMs,
      keepAliveMaxTimeout: owner.keepAliveMs,
      // The deadline of the exchange covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    // With a request waiting, undici connects anew by itself; without one the connection has no further use.
    this.#client.on('disconnect', () => {
      if (this.idle) this.destroy();
    });
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
    const { url, method, headers, body } = exchange.request;
    this.#client.dispatch({ path: url.path, method: method ?? 'POST', headers, body }, exchange);
  }

  onWrite(): void {
    this.#uses++;
    this.#readBefore = this.#socket?.bytesRead ?? 0;
  }

  release(reusable: boolean): void {
    this.#exchange = null;
    if (reusable && !this.#destroyed) this.#owner.free(this);
    else this.destroy();
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
    this.#gone = this.#client.destroy();
    this.#owner.remove(this);
  }

  async shutDown(): Promise<void> {
    if (this.#exchange) this.#exchange.fail(shutdownFailure());
    this.destroy();
    await this.#gone;
  }

  #open(callback: SocketCallback): void {
    const { target, session, connector } = this.#owner;
    const started = monotonicNow();
    this.#cancelOpening = openSocket(target, connector, session, (...result) => {
      this.#cancelOpening = null;
      this.#uses = 0;
      this.#connectMs = monotonicNow() - started;
      [, this.#socket] = result;
      this.#socket?.on('readable', () => this.#boundReading());
      if (this.#socket) this.#bearContinue(this.#socket);
      callback(...result);
    });
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
