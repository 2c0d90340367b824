import { Worker } from 'node:worker_threads';
import { loadOf } from '../../../lib/loop-load.ts';
import { onThreadMessage } from '../../../lib/thread-messages.ts';
import type { Log } from '../../../platform/log/log.ts';
import { type Attempts, BUSY_LOAD } from './attempts.ts';
import type { ThreadSettings } from './attempt-thread.ts';
import { type FromThread, readOutcomes, type ToThread, writeAttempt } from './thread-messages.ts';
import type { AttemptEndpoint, AttemptOutcome, AttemptTicket, SigningKeys } from './types.ts';

/** Endpoints and accounts that a thread is told of before it forgets all and begins anew. Each takes about 1 kB. */
const MAX_KNOWN = 50_000;

const THREAD = new URL('./attempt-thread.ts', import.meta.url);

interface Pending {
  attempt: number;
  done(outcome: AttemptOutcome): void;
  failed(error: Error): void;
}

/** One thread and what this side knows of it. Starts with its first attempt, and again after it has died. */
class AttemptThread {
  readonly #settings: ThreadSettings;
  readonly #log: Log;
  readonly #file: URL;
  readonly #pending = new Map<number, Pending>();
  /** What the thread was last told, and by which number it knows it; whatever is another object now is told again. */
  readonly #endpoints = new Map<string, { endpoint: AttemptEndpoint; number: number }>();
  readonly #keys = new Map<string, readonly SigningKeys[]>();
  #worker: Worker | null = null;
  #load: () => number = () => 0;
  #next = 0;
  #out: ToThread | null = null;

  constructor(settings: ThreadSettings, log: Log, file: URL) {
    this.#settings = settings;
    this.#log = log;
    this.#file = file;
  }

  /** Starts the thread, so that the first attempt need not wait for it. */
  warm(): void {
    this.#worker ??= this.#start();
  }

  get isBusy(): boolean {
    return this.#load() > BUSY_LOAD;
  }

  run(
    ticket: AttemptTicket,
    endpointId: string,
    endpoint: AttemptEndpoint,
    keys: readonly SigningKeys[],
  ): Promise<AttemptOutcome> {
    try {
      this.warm();
    } catch (error) {
      // No thread is to be had. Who asked for an attempt waits for its promise.
      return Promise.reject(error);
    }
    const out = (this.#out ??= this.#newBatch());
    let told = this.#endpoints.get(endpointId);
    if (told?.endpoint !== endpoint) {
      const { accountId, target, headers, changedAt } = endpoint;
      told = { endpoint, number: told?.number ?? this.#endpoints.size };
      this.#endpoints.set(endpointId, told);
      out.endpoints.push([
        told.number,
        { accountId, target, headers, ...(changedAt === undefined ? {} : { changedAt }) },
      ]);
    }
    if (this.#keys.get(endpoint.accountId) !== keys) {
      this.#keys.set(endpoint.accountId, keys);
      out.keys.push([endpoint.accountId, keys.map(({ key, rawKey }) => ({ key, rawKey }))]);
    }
    const id = this.#next++;
    writeAttempt(out, id, told.number, ticket);
    return new Promise((done, failed) => this.#pending.set(id, { attempt: ticket.attempt, done, failed }));
  }

  /** What is under way ends as SHUTDOWN; resolves when the thread has ended. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((done) => worker.once('exit', done));
    this.#send();
    worker.postMessage('close');
    await ended;
  }

  /** Whatever is asked for in one turn of the event loop goes in one message. */
  #newBatch(): ToThread {
    setImmediate(() => this.#send());
    const isFull = this.#endpoints.size > MAX_KNOWN || this.#keys.size > MAX_KNOWN;
    if (isFull) {
      this.#endpoints.clear();
      this.#keys.clear();
    }
    return { forget: isFull, endpoints: [], keys: [], contents: [], attempts: [] };
  }

  #send(): void {
    const out = this.#out;
    this.#out = null;
    if (out && out.attempts.length > 0) this.#worker?.postMessage(out);
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { workerData: this.#settings });
    this.#load = loadOf(() => worker.performance.eventLoopUtilization());
    onThreadMessage(worker, (message: FromThread) => {
      const attemptOf = (id: number): number => this.#pending.get(id)?.attempt ?? 0;
      readOutcomes(message, attemptOf, (id, outcome) => {
        const pending = this.#pending.get(id);
        this.#pending.delete(id);
        if (outcome instanceof Error) pending?.failed(outcome);
        else pending?.done(outcome);
      });
    });
    let cause: unknown;
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#ended(cause));
    return worker;
  }

  /** Whatever was under way may have arrived or not; the next attempt starts a new thread. */
  #ended(cause: unknown): void {
    this.#worker = null;
    this.#load = () => 0;
    this.#out = null;
    this.#endpoints.clear();
    this.#keys.clear();
    if (cause !== undefined)
      this.#log.error({ err: cause }, 'a thread that sends webhooks has died; another takes over');
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of lost) pending.failed(new Error('the thread that made the attempt has ended', { cause }));
  }
}

/** Attempts on threads of their own (docs/adr/0010): `count` of them, each with its own kept connections. */
export function attemptThreads(count: number, settings: ThreadSettings, log: Log, file: URL = THREAD): Attempts {
  const threads = Array.from({ length: count }, () => new AttemptThread(settings, log, file));
  // An endpoint stays with its thread, where its connections are. The last digits of a UUID v7 are random.
  const threadOf = (endpointId: string): AttemptThread =>
    threads[Number.parseInt(endpointId.slice(-6), 16) % count] as AttemptThread;
  return {
    warm() {
      for (const thread of threads) thread.warm();
    },
    run: (ticket, endpointId, endpoint, keys) => threadOf(endpointId).run(ticket, endpointId, endpoint, keys),
    isBusy: (endpointId) => threadOf(endpointId).isBusy,
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
