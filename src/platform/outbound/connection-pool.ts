import { monotonicNow } from '../../lib/clock.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import type { ConnectorOptions, TlsSession } from './connector.ts';
import type { Exchange } from './exchange.ts';
import { shutdownFailure } from './failure.ts';
import { plainReplies } from './plain-reply.ts';
import { ReplyTimes } from './reply-times.ts';
import type { TargetUrl } from './target-url.ts';

export interface PoolOptions {
  readonly connector: ConnectorOptions;
  readonly connectionsPerOrigin: number;
  readonly keepAliveMs: number;
  /** Kept connections over all origins; beyond it the one unused for longest is closed, so many receivers do not use up descriptors. */
  readonly maxIdleConnections: number;
  /** No request waits longer than this for others whose replies are outstanding: they may hang, and it must not wait for them. Milliseconds. */
  readonly patienceMs: number;
  /** Every request and reply goes through undici, also plain ones; for tests that compare the two. */
  readonly throughUndici?: boolean;
}

/**
 * Kept connections per origin, one socket without pipelining each. Instead of undici's Agent, because here
 * (a) a request whose deadline passes while it waits or connects leaves nothing behind: no dead request that later opens a
 * connection, no socket that connects on; (b) the number of idle connections is bounded over all origins; (c) it is known whether
 * a connection was used before. It costs less than the Agent, too.
 */
export class ConnectionPool {
  readonly options: PoolOptions;
  /** Oldest first: a Set keeps the order of insertion. */
  readonly idle = new Set<Connection>();
  readonly #origins = new Map<string, Origin>();
  /** Kept connections that have something to write. */
  #writing: Connection[] = [];
  #closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
  }

  /** Carries the exchange out as soon as its origin has a connection free. */
  run(exchange: Exchange): void {
    const target = exchange.request.url;
    let origin = this.#origins.get(target.origin);
    if (!origin) this.#origins.set(target.origin, (origin = new Origin(target, this)));
    origin.run(exchange);
  }

  /** Origins with a connection or a waiting request; all others are forgotten. */
  get size(): number {
    return this.#origins.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Unless another one has taken its place. */
  forget(origin: Origin): void {
    const name = origin.target.origin;
    if (this.#origins.get(name) === origin) this.#origins.delete(name);
  }

  park(connection: Connection): void {
    this.idle.add(connection);
    if (this.idle.size <= this.options.maxIdleConnections) return;
    const [oldest] = this.idle;
    if (oldest) this.idle.delete(oldest);
    oldest?.destroy();
  }

  /**
   * Has the connection write once this turn of the event loop has read what came for kept connections: one that its receiver has closed, or to which
   * it sent what nobody asked for, is noticed instead of used, as undici does it. Once for all that have something to write.
   */
  afterReading(connection: Connection): void {
    if (this.#writing.push(connection) === 1) setImmediate(() => this.#writeAll());
  }

  #writeAll(): void {
    const writing = this.#writing;
    this.#writing = [];
    for (const connection of writing) connection.write();
  }

  /** Closes every connection; what waits or is under way ends as SHUTDOWN. Resolves when the sockets are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#origins.values()].flatMap((origin) => origin.close()));
    this.#origins.clear();
  }
}

/**
 * So many requests are under way to one origin whatever its times are. What is more goes at once as well, but to one that answers one after the other
 * (`ReplyTimes.isQueueing`): there it would only wait, and it waits here instead, so that few sockets are in use. With 448 in place of 64 of them a
 * delivery to a receiver on the same machine took a fifth more of the CPU (bench/RESULTS.md).
 */
const AT_ONCE = 64;

/** The connections to one origin and the line of requests that wait for one. */
class Origin implements ConnectionOwner {
  readonly target: TargetUrl;
  readonly pool: ConnectionPool;
  readonly session: TlsSession = {};
  readonly replies = plainReplies();
  readonly #connections = new Set<Connection>();
  /** Last used first: under little load the others run into their keep-alive limit. */
  readonly #idle: Connection[] = [];
  readonly #times = new ReplyTimes();
  /** Connections that carry a request since less than `patienceMs`, oldest first, with its start. What takes longer may hang, and nobody waits for it. */
  readonly #young = new Map<Connection, number>();
  #firstWaiting: Exchange | null = null;
  #lastWaiting: Exchange | null = null;
  #draining = false;
  /** Runs until it should be looked again whether the first in the line may go. */
  #patience: NodeJS.Timeout | undefined;

  constructor(target: TargetUrl, pool: ConnectionPool) {
    this.target = target;
    this.pool = pool;
  }

  get connector(): ConnectorOptions {
    return this.pool.options.connector;
  }

  get keepAliveMs(): number {
    return this.pool.options.keepAliveMs;
  }

  get throughUndici(): boolean {
    return this.pool.options.throughUndici ?? false;
  }

  afterReading(connection: Connection): void {
    this.pool.afterReading(connection);
  }

  run(exchange: Exchange): void {
    if (this.#lastWaiting) this.#lastWaiting.next = exchange;
    else this.#firstWaiting = exchange;
    this.#lastWaiting = exchange;
    this.#drain();
  }

  answered(tookMs: number, now: number): void {
    this.#times.note(tookMs, now);
  }

  free(connection: Connection): void {
    this.#young.delete(connection);
    this.#idle.push(connection);
    this.#drain();
    // The next request may have ended it.
    if (connection.idle && !connection.destroyed) this.pool.park(connection);
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection);
    this.#young.delete(connection);
    this.pool.idle.delete(connection);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#drain();
  }

  closeUnused(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  handOn(exchange: Exchange): void {
    // Through the pool: it may have forgotten this origin with its last connection.
    this.pool.run(exchange);
  }

  close(): Promise<void>[] {
    clearTimeout(this.#patience);
    for (let exchange = this.#shift(); exchange; exchange = this.#shift()) exchange.fail(shutdownFailure());
    return [...this.#connections].map((connection) => connection.shutDown());
  }

  /** Not re-entrant, since an exchange can fail while it is being started: a long line would become a deep recursion. */
  #drain(): void {
    if (this.#draining || this.pool.closed) return;
    this.#draining = true;
    while (this.#firstWaiting) {
      if (this.#idle.length === 0 && this.#connections.size >= this.pool.options.connectionsPerOrigin) break;
      if (this.#young.size >= AT_ONCE && this.#times.isQueueing && this.#mustWait(this.#firstWaiting)) break;
      const exchange = this.#shift();
      if (exchange) this.#start(exchange);
    }
    this.#draining = false;
    if (this.#connections.size === 0) this.#end();
  }

  #start(exchange: Exchange): void {
    const connection = this.#take();
    this.#young.set(connection, monotonicNow());
    connection.start(exchange);
  }

  /** Whether the first in the line waits for those that are under way; if so, it is looked at again when one of them, or it itself, has been there for long enough. */
  #mustWait({ startedAt }: Exchange): boolean {
    if (this.#patience !== undefined) return true;
    const { patienceMs } = this.pool.options;
    const since = monotonicNow() - patienceMs;
    if (startedAt <= since) return false;
    let oldestAt = startedAt;
    for (const [connection, at] of this.#young) {
      if (at > since) {
        oldestAt = Math.min(startedAt, at);
        break;
      }
      this.#young.delete(connection);
    }
    if (this.#young.size < AT_ONCE) return false;
    const look = (): void => {
      this.#patience = undefined;
      this.#drain();
    };
    this.#patience = setTimeout(look, oldestAt - since).unref();
    return true;
  }

  #end(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.pool.forget(this);
  }

  /** The first waiting exchange that is still wanted. */
  #shift(): Exchange | null {
    let exchange = this.#firstWaiting;
    while (exchange?.settled) exchange = exchange.next;
    this.#firstWaiting = exchange?.next ?? null;
    if (!this.#firstWaiting) this.#lastWaiting = null;
    if (exchange) exchange.next = null;
    return exchange;
  }

  #take(): Connection {
    const kept = this.#idle.pop();
    if (kept) {
      this.pool.idle.delete(kept);
      return kept;
    }
    const opened = new Connection(this);
    this.#connections.add(opened);
    return opened;
  }
}
