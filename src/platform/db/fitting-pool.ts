import { type Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { monotonicNow } from '../../lib/clock.ts';

/** `too_many_connections`: of the server, the database or the role. */
const FULL = '53300';
/**
 * So long after a refusal the pool asks for one more, each time twice as long up to the longest: each refusal is a line in the server's log.
 * Soon at first, since PostgreSQL may refuse all of those that connect at once where it has room for some. Milliseconds.
 */
const AGAIN_MS = 1000;
const AGAIN_AT_MOST_MS = 30_000;

/** What the pool itself says of who has waited for too long. */
const TIMED_OUT = 'timeout exceeded when trying to connect';

const isFull = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === FULL;

/** Told once, when the server gave no further connection: what it said, and how many there are. */
export type TellFull = (reason: string, open: number) => void;

interface Fitting {
  config: PoolConfig & { max: number; connectionTimeoutMillis: number };
  Client: typeof Client;
  /** Told when the server gave no further connection for the first time. */
  tellFull?: TellFull | undefined;
  /** Milliseconds, ever rising. */
  now?: (() => number) | undefined;
}

/**
 * A pool that goes on with fewer connections than `max` where the server gives no more: who asks for one waits for one that is open or on its
 * way, as long as where all of `max` are in use. Where the server refuses the only one, it fails as the server says.
 */
export class FittingPool extends Pool {
  readonly #most: number;
  readonly #patience: number;
  readonly #now: () => number;
  readonly #tellFull: TellFull | undefined;
  #connecting = 0;
  #fullAt: number | null = null;
  #openThen = 0;
  #wait = AGAIN_MS;
  #isTold = false;
  #roomMadeAt: number | null = null;
  /** Of those that were refused though there was no other one: waiting leads to nothing. */
  readonly #ofLast = new WeakSet<object>();

  constructor({ config, Client: Base, tellFull, now = monotonicNow }: Fitting) {
    const began = (): boolean => {
      this.#connecting++;
      return this.totalCount === 1;
    };
    const ended = (error: Error | null, beganAlone: boolean): void => {
      // Ahead of the pool, which lets the next one who waits connect as soon as it hears of a failure.
      if (error && isFull(error)) this.#fit(error, beganAlone);
      this.#connecting--;
    };
    class Counted extends Base {
      // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of the base class are passed on as they are
      override connect(callback?: any): any {
        if (!callback) return super.connect();
        const beganAlone = began();
        return super.connect(((error: Error | null, ...rest: unknown[]) => {
          ended(error, beganAlone);
          callback(error, ...rest);
        }) as (error: Error) => void);
      }
    }
    super({ ...config, Client: Counted });
    this.#most = config.max;
    this.#patience = config.connectionTimeoutMillis;
    this.#now = now;
    this.#tellFull = tellFull;
  }

  /** Connections that are there. */
  get #open(): number {
    return this.totalCount - this.#connecting;
  }

  #fit(error: Error, beganAlone: boolean): void {
    const [open, others] = [this.#open, this.totalCount - 1];
    if (others === 0) {
      // One that others began beside may have been refused for them: it is tried once more, alone.
      if (beganAlone) this.#ofLast.add(error);
      return;
    }
    const [now, isAgain] = [this.#now(), this.#isTimeForOneMore()];
    if (open > this.#openThen) this.#wait = AGAIN_MS;
    // Those that were asked for together with the first are no more tries.
    else if (isAgain) this.#wait = Math.min(2 * this.#wait, AGAIN_AT_MOST_MS);
    [this.#fullAt, this.#openThen] = [now, open];
    this.options.max = others;
    if (open === 0 || this.#isTold) return;
    this.#tellFull?.(error.message, open);
    this.#isTold = true;
  }

  #isTimeForOneMore(): boolean {
    return this.#fullAt !== null && this.#now() - this.#fullAt >= this.#wait;
  }

  /** Room for one more than there are, and for as many as there were. */
  #widen(): void {
    this.options.max = Math.min(this.#most, Math.max(this.options.max, this.#open + 1));
    // Not sooner: of ten where nine are given, the tenth would be asked for each second.
    if (this.#open < this.#most) return;
    [this.#fullAt, this.#openThen, this.#wait] = [null, 0, AGAIN_MS];
  }

  /**
   * Lets go of one connection, where something else of this process was refused one like this: else it would wait for ever, since there is always work
   * for all that the pool has. Not of the last one, and one in half a minute: where others take what is let go of, that would leave none. Never throws.
   */
  async makeRoom(refusal: unknown): Promise<void> {
    const now = this.#now();
    const isSoon = this.#roomMadeAt !== null && now - this.#roomMadeAt < AGAIN_AT_MOST_MS;
    if (!isFull(refusal) || this.totalCount < 2 || isSoon) return;
    this.#roomMadeAt = now;
    [this.#fullAt, this.#openThen, this.#wait] = [now, this.#open - 1, AGAIN_AT_MOST_MS];
    this.options.max = this.totalCount - 1;
    const client = await super.connect().catch(() => null);
    client?.release(true);
  }

  /** One that is open, or a new one, as of `Pool`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of the base class are passed on as they are
  override connect(callback?: any): any {
    if (this.#isTimeForOneMore()) this.#widen();
    return callback ? super.connect(callback) : this.#connectInTime(this.#now() + this.#patience);
  }

  async #connectInTime(until: number): Promise<unknown> {
    for (let refused = false; ; refused = true) {
      try {
        return await (refused ? this.#connectBy(until) : super.connect());
      } catch (error) {
        if (!isFull(error) || this.#ofLast.has(error as Error) || this.#now() >= until) throw error;
      }
    }
  }

  /** The pool's own patience would begin anew. */
  async #connectBy(until: number): Promise<PoolClient> {
    const connecting = super.connect();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(TIMED_OUT)), until - this.#now());
    try {
      return await Promise.race([connecting, late]);
    } catch (error) {
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
