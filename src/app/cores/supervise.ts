import cluster, { type Worker } from 'node:cluster';
import { monotonicNow } from '../../lib/clock.ts';
import type { Config } from '../../platform/config/index.ts';
import { LIMIT_WINDOW_MS, Windows } from '../../platform/http/windows.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Role } from '../role.ts';
import { StopWishes } from '../stop-wishes.ts';
import { dealAnew } from './deal-anew.ts';
import type { FromChild, FromSupervisor } from './messages.ts';
import { roleOfProcess } from './processes.ts';
import { Pulse, PULSE_EVERY_MS } from './pulse.ts';
import { Questions } from './questions.ts';
import { LONGEST_WAIT_MS, Restarts } from './restarts.ts';

/** A process that is too busy to tell its metrics by then is left out of a scrape. Milliseconds. */
const COLLECT_WAIT_MS = 2000;

/** One of the processes, through all its restarts. */
interface Place {
  number: number;
  restarts: Restarts;
  worker: Worker | null;
  /** By the monotonic clock; null while it does not listen. */
  readyAt: number | null;
  pulse: Pulse;
  /** Until it is started again. */
  waiting: NodeJS.Timeout | undefined;
}

export interface SuperviseOptions {
  role: Role;
  /** At least 2. */
  processes: number;
}

/** What is said to one that has just ended is lost with it. */
const say = (worker: Worker, message: FromSupervisor): void => void worker.send(message, () => undefined);

class Supervisor {
  readonly #config: Config;
  readonly #log: Log;
  readonly #role: Role;
  readonly #places: readonly Place[];
  readonly #limits = new Map<string, Windows>();
  readonly #collections = new Questions<string>(COLLECT_WAIT_MS);
  #firstWasReady = false;
  #allWereReady = false;
  readonly #wishes = new StopWishes();
  #isStopping = false;
  /** From then on each has its own deadline to end by; until then it may go on serving (DRAIN_SECONDS). By the monotonic clock. */
  #endsFrom = Number.POSITIVE_INFINITY;
  #exitCode = 0;

  constructor(config: Config, log: Log, { role, processes }: SuperviseOptions) {
    this.#config = config;
    this.#log = log;
    this.#role = role;
    this.#places = Array.from({ length: processes }, (_, number) => ({
      number,
      restarts: new Restarts(),
      worker: null,
      readyAt: null,
      pulse: new Pulse(),
      waiting: undefined,
    }));
  }

  /** The first one brings the schema up to date and makes the first operator; the others wait until it has. */
  begin(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#onSignal(signal));
    this.#start(this.#places[0] as Place);
    setInterval(() => this.#feelPulses(), PULSE_EVERY_MS);
  }

  /**
   * Ends those that hang, also while they drain for longer than it takes to see it (`Pulse`): half of all connections would wait for one of two.
   * They are then started again like any that ended, unless all are to stop.
   */
  #feelPulses(): void {
    for (const { worker, readyAt, pulse, number } of this.#places) {
      // One that starts takes as long as its migrations do.
      if (!worker || readyAt === null || monotonicNow() >= this.#endsFrom) continue;
      if (pulse.hangs()) {
        this.#log.error({ process: number }, 'a process does not answer any more: ending it');
        worker.process.kill('SIGKILL');
        if (this.#isStopping) this.#exitCode ||= 1;
      } else say(worker, { kind: 'ping' });
    }
  }

  #start(place: Place): void {
    const role = roleOfProcess(this.#config, this.#role, place.number);
    cluster.setupPrimary({ args: ['--role', role, '--process', String(place.number)] });
    const worker = cluster.fork();
    place.worker = worker;
    dealAnew(worker, () => this.#places.some((other) => other !== place && other.readyAt !== null));
    worker.on('message', (message: FromChild) => this.#hear(place, worker, message));
    worker.on('error', (error) =>
      this.#log.error({ err: error, process: place.number }, 'the channel to a process failed'),
    );
    worker.once('exit', (code, signal) => this.#ended(place, code, signal));
  }

  #hear(place: Place, worker: Worker, message: FromChild): void {
    switch (message.kind) {
      case 'ready':
        return this.#isReady(place, worker, message.url);
      case 'pong':
        return place.pulse.answered();
      case 'count':
        return say(worker, { kind: 'counted', id: message.id, count: this.#count(message) });
      case 'scrape':
        return void this.#scrape().then((texts) => say(worker, { kind: 'scraped', id: message.id, texts }));
      case 'collected':
        return this.#collections.answered(message.id, message.text);
    }
  }

  #count({ limiter, who }: { limiter: string; who: string }): ReturnType<Windows['count']> {
    let windows = this.#limits.get(limiter);
    if (!windows) this.#limits.set(limiter, (windows = new Windows(LIMIT_WINDOW_MS, monotonicNow)));
    return windows.count(who);
  }

  async #scrape(): Promise<string[]> {
    const workers = this.#places.flatMap(({ worker, readyAt }) => (worker && readyAt !== null ? [worker] : []));
    const ask = (worker: Worker): Promise<string | null> =>
      this.#collections.ask((id) => say(worker, { kind: 'collect', id }));
    return (await Promise.all(workers.map(ask))).filter((text) => text !== null);
  }

  #isReady(place: Place, worker: Worker, url: string): void {
    place.readyAt = monotonicNow();
    place.pulse = new Pulse();
    // It became ready while it was asked to end.
    if (this.#isStopping) return say(worker, { kind: 'stop' });
    if (!this.#firstWasReady) {
      this.#firstWasReady = true;
      for (const other of this.#places.slice(1)) this.#start(other);
    }
    if (this.#allWereReady || this.#places.some(({ readyAt }) => readyAt === null)) return;
    this.#allWereReady = true;
    this.#tellStart(url);
  }

  #tellStart(url: string): void {
    const { DATABASE_POOL, NATS_URL, READ_DATABASE_URL, REDIS_URL } = this.#config;
    const processes = this.#places.length;
    // At most: without an address for LISTEN behind a pooler there is one less of each.
    const databaseConnections = processes * (DATABASE_POOL + (NATS_URL === undefined ? 1 : 0));
    const replicaConnections = READ_DATABASE_URL === undefined ? {} : { replicaConnections: processes * DATABASE_POOL };
    const told = { url, role: this.#role, processes, databaseConnections, ...replicaConnections };
    this.#log.info(told, 'Posthorn is listening');
    if (REDIS_URL === undefined) {
      const limits = `Without REDIS_URL each of the ${processes} processes counts RATE_LIMIT_KEY for itself; the other limits are counted together.`;
      this.#log.warn(limits);
    }
  }

  #ended(place: Place, code: number | null, signal: string | null): void {
    const { number, readyAt } = place;
    Object.assign(place, { worker: null, readyAt: null });
    if (this.#isStopping) return this.#endWhenAllHave(code);
    const told = { process: number, ...(signal === null ? { code } : { signal }) };
    const isAlone = this.#places.every((other) => other.readyAt === null);
    const tried = place.restarts.ended(readyAt === null ? null : monotonicNow() - readyAt);
    // What keeps this one from starting (the database is away) need not keep the others from answering.
    const wait = tried ?? (isAlone ? null : LONGEST_WAIT_MS);
    if (!this.#firstWasReady || wait === null) {
      this.#log.fatal(told, 'a process does not start: stopping');
      return this.#stop(code === null || code === 0 ? 1 : code);
    }
    this.#log[code === 0 ? 'warn' : 'error']({ ...told, waitMs: wait }, 'a process has ended, and is started again');
    place.waiting = setTimeout(() => this.#start(place), wait);
  }

  #onSignal(signal: string): void {
    const wish = this.#wishes.hear();
    if (wish === 'again') return;
    if (wish === 'second' || this.#isStopping) {
      this.#log.warn('asked twice to stop: stopping at once');
      return this.#endAtOnce();
    }
    this.#log.info({ signal }, 'stopping');
    this.#stop(0);
  }

  #stop(exitCode: number): void {
    this.#isStopping = true;
    this.#exitCode = exitCode;
    this.#endsFrom = monotonicNow() + this.#config.DRAIN_SECONDS * 1000;
    setTimeout(
      () => {
        this.#log.error('the shutdown took too long');
        this.#endAtOnce();
      },
      (this.#config.DRAIN_SECONDS + this.#config.SHUTDOWN_SECONDS) * 1000,
    );
    for (const { worker, readyAt, waiting } of this.#places) {
      clearTimeout(waiting);
      // By message, which a terminal or a service manager that signals the whole group cannot double. One that is only just
      // starting does not listen to messages yet, and has nothing to finish.
      if (worker && readyAt !== null) say(worker, { kind: 'stop' });
      else worker?.process.kill('SIGTERM');
    }
    this.#endWhenAllHave(0);
  }

  #endWhenAllHave(code: number | null): void {
    // A signal took one of them that was only just starting, which is well.
    if (code !== 0 && code !== null) this.#exitCode ||= 1;
    if (this.#places.some(({ worker }) => worker !== null)) return;
    this.#log.info('stopped');
    process.exit(this.#exitCode);
  }

  #endAtOnce(): never {
    for (const { worker } of this.#places) worker?.process.kill('SIGKILL');
    process.exit(1);
  }
}

/**
 * Runs the service in several processes on one listening socket, and starts again what ends. It opens nothing itself: with it
 * gone, the children end by themselves (docs/adr/0032).
 */
export const supervise = (config: Config, log: Log, options: SuperviseOptions): void =>
  new Supervisor(config, log, options).begin();
