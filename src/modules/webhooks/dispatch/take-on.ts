import { setTimeout as pause } from 'node:timers/promises';
import { monotonicNow } from '../../../lib/clock.ts';
import type { Log } from '../../../platform/log/log.ts';
import { type Job, NobodyThere, type WorkQueue } from '../../../platform/nats/work-queue.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import type { EndpointRegistry } from '../engine/registry.ts';
import type { SendSigned } from '../engine/sign-anew.ts';
import { readAttempts } from '../engine/thread-messages.ts';
import type { EngineEndpoint, Ticket } from '../engine/types.ts';
import { type Handed, readHanded, readWanted, type Wanted, writeQuestion } from './messages.ts';
import { Outbox } from './outbox.ts';
import type { Peers } from './peers.ts';

/** What was handed over longer ago may be wanted no more: the holder is asked first. Milliseconds. */
const OLD_MS = 500;
/** A batch is spoken of once it is under way for so long, and each second from then on. Milliseconds. */
const LONG_MS = 1000;
/** What is this process's own and is another's to make is offered again after so long: before it is late (hand-over.ts). Milliseconds. */
const OTHERS_MS = 500;
/** What cannot be begun now is offered again after so long. Milliseconds. */
const LATER_MS = 1000;
/** A holder that nobody was there for during all this time has ended: longer than it takes to connect anew. Milliseconds. */
const ABSENT_MS = 10_000;
const FORGET_MS = 60_000;
/** So often is a holder asked that does not answer. */
const MOST_ASKED = 4;
/** Batches about which a holder is being asked before they are begun. */
const MOST_ASKING = 16;
/** A full process looks so often whether it is still full. Milliseconds. */
const FULL_MS = 50;

/** What the side of the worker needs. */
export interface TakeOnDeps {
  queue: Pick<WorkQueue, 'ask' | 'maxBytes'>;
  nodeId: string;
  peers: Pick<Peers, 'isThere'>;
  registry: Pick<EndpointRegistry, 'get' | 'refresh'>;
  /** As known now; undefined: not loaded. */
  secretsOf: (accountId: string) => readonly SigningSecret[] | undefined;
  loadSecrets: (accountIds: readonly string[]) => Promise<void>;
  /** Makes an attempt in this process. */
  here: SendSigned;
  /** A message of this process's own has come back to it; false: another has it. */
  own: (batch: number) => boolean;
  /** Attempts that this process makes at once, and how many it makes by its own decision. */
  slots: number;
  busy: () => number;
  now: () => number;
  log: Log;
}

interface Taken {
  from: string;
  batch: number;
  job: Job;
  takenAt: number;
  /** Attempts under way, or whose outcomes the holder has not heard. */
  left: number;
}

/** The side of a worker: takes attempts on, makes them, and tells their holder how they ended (docs/adr/0036). */
export class TakeOn {
  readonly #deps: TakeOnDeps;
  readonly #taken = new Map<string, Taken>();
  readonly #outbox: Outbox<Taken>;
  /** Since when nobody is there for a holder. On the monotonic clock, milliseconds. */
  readonly #absentSince = new Map<string, number>();
  #inFlight = 0;
  /** Batches that are about to begin; of these, by holder, those that it is being asked about. */
  #beginning = 0;
  readonly #asking = new Map<string, number>();
  #isSweeping = false;
  #idle: (() => void)[] = [];
  /** Attempts of others made here since the start. */
  made = 0;

  constructor(deps: TakeOnDeps) {
    this.#deps = deps;
    this.#outbox = new Outbox({
      maxBytes: () => deps.queue.maxBytes,
      worker: deps.nodeId,
      ask: (from, data) => deps.queue.ask(from, data),
      told: (taken) => {
        taken.left--;
        this.heard(taken.from);
      },
      // Its holder may have it made by another, and whoever has taken over sends it anew.
      untold: (taken) => this.#taken.delete(keyOf(taken)),
      idle: () => this.#tellIdle(),
      log: deps.log,
    });
  }

  /** Attempts of others under way here. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Begins what is wanted of a job; resolves when there is room for another one. */
  async take(job: Job): Promise<void> {
    const handed = this.#read(job);
    if (handed) this.#consider(job, handed);
    while (this.#inFlight + this.#deps.busy() >= this.#deps.slots) await pause(FULL_MS);
  }

  #read(job: Job): Handed | null {
    try {
      const handed = readHanded(job.data);
      // A worker of its version may be there.
      if (!handed) job.giveBack(LATER_MS);
      return handed;
    } catch (error) {
      this.#deps.log.error({ err: error }, 'the stream of attempts has a message that is none; it is left out');
      job.done();
      return null;
    }
  }

  #consider(job: Job, handed: Handed): void {
    const { peers, nodeId, own, log } = this.#deps;
    const known = this.#taken.get(keyOf(handed));
    if (known) {
      known.job = job;
      return;
    }
    if (handed.from === nodeId) {
      if (own(handed.batch)) job.done();
      else job.giveBack(OTHERS_MS);
      return;
    }
    // By the time of all nodes: it was written down by another machine.
    const isNew = Math.abs(this.#deps.now() - handed.at) < OLD_MS;
    const isFresh = isNew && !job.isAgain && peers.isThere(handed.from);
    const asking = this.#asking.get(handed.from) ?? 0;
    if (!isFresh && asking >= MOST_ASKING) {
      job.giveBack(LATER_MS);
      return;
    }
    const taken: Taken = { from: handed.from, batch: handed.batch, job, takenAt: monotonicNow(), left: 0 };
    this.#taken.set(keyOf(taken), taken);
    this.#beginning++;
    if (!isFresh) this.#asking.set(handed.from, asking + 1);
    this.#begin(taken, handed, isFresh)
      .catch((error: unknown) => {
        this.#taken.delete(keyOf(taken));
        taken.job.giveBack(LATER_MS);
        log.warn({ err: error }, 'attempts of another worker could not be begun; they are given back');
      })
      .finally(() => {
        this.#beginning--;
        const left = (this.#asking.get(handed.from) ?? 0) - 1;
        if (!isFresh && left > 0) this.#asking.set(handed.from, left);
        else if (!isFresh) this.#asking.delete(handed.from);
        this.#tellIdle();
      });
  }

  async #begin(taken: Taken, handed: Handed, isFresh: boolean): Promise<void> {
    const wanted = isFresh ? 'all' : await this.#wantedOf(taken.job, handed);
    if (wanted === 'unknown') {
      this.#end(keyOf(taken));
      return;
    }
    if (wanted === 'none') {
      // Another has it, or its outcomes have no rows yet: it is given out again, until they have.
      this.#taken.delete(keyOf(taken));
      // A first copy that lay here for long is another's by now: a word about it would take it from that one.
      if (taken.job.isAgain) taken.job.giveBack(LATER_MS);
      return;
    }
    if (!isFresh) taken.job.working();
    const endpoints = await this.#endpointsOf(handed);
    readAttempts({ ...handed, forget: false, endpoints: [], keys: [] }, (id, number, heading, body) => {
      if (wanted !== 'all' && !wanted.has(id)) return;
      taken.left++;
      const [endpoint, secrets] = endpoints[number] ?? [];
      if (endpoint && secrets) this.#attempt(taken, id, { ...heading, body } as Ticket, endpoint, secrets);
      else this.#outbox.back(taken, id);
    });
  }

  /** What may have been made before, or is of a holder that nobody knows, is asked for. */
  async #wantedOf(job: Job, { from, batch }: Handed): Promise<ReadonlySet<number> | 'none' | 'unknown'> {
    for (let asked = 1; ; asked++) {
      try {
        const [ids] = (await this.#ask(from, [batch])) ?? [null];
        if (!ids) return 'unknown';
        return ids.length > 0 ? new Set(ids) : 'none';
      } catch (error) {
        // A busy holder has perhaps heard it, and then counts on this worker.
        if (error instanceof NobodyThere || asked === MOST_ASKED) throw error;
        job.working();
      }
    }
  }

  /** Null: the holder has ended. Rejects while that is not sure. */
  async #ask(from: string, batches: number[]): Promise<Wanted | null> {
    const { queue, nodeId } = this.#deps;
    try {
      const wanted = readWanted(await queue.ask(from, writeQuestion({ kind: 'wanted', worker: nodeId, batches })));
      this.#absentSince.delete(from);
      return wanted;
    } catch (error) {
      if (!(error instanceof NobodyThere)) throw error;
      const now = monotonicNow();
      const since = this.#absentSince.get(from) ?? now;
      this.#absentSince.set(from, since);
      if (now - since < ABSENT_MS) throw error;
      return null;
    }
  }

  /** As they are known here, and not older than where they come from. Undefined: it cannot be sent to from here. */
  async #endpointsOf({ endpoints }: Handed): Promise<([EngineEndpoint, readonly SigningSecret[]] | undefined)[]> {
    const { registry, secretsOf, loadSecrets } = this.#deps;
    const isOld = ([id, version]: Handed['endpoints'][number]): boolean => (registry.get(id)?.version ?? -1) < version;
    if (endpoints.some(isOld)) await registry.refresh();
    const found = endpoints.map(([id]) => registry.get(id));
    const accounts = found.flatMap((endpoint) => endpoint?.accountId ?? []);
    const unknown = accounts.filter((id) => secretsOf(id) === undefined);
    if (unknown.length > 0) await loadSecrets(unknown);
    return found.map((endpoint) => {
      const secrets = endpoint ? (secretsOf(endpoint.accountId) ?? []) : [];
      return endpoint && !endpoint.isSealed && secrets.length > 0 ? [endpoint, secrets] : undefined;
    });
  }

  #attempt(
    taken: Taken,
    id: number,
    ticket: Ticket,
    endpoint: EngineEndpoint,
    secrets: readonly SigningSecret[],
  ): void {
    this.#inFlight++;
    this.made++;
    this.#deps
      .here(ticket, endpoint, secrets)
      .then(
        (outcome) => this.#outbox.outcome(taken, id, outcome),
        (error: unknown) => this.#outbox.fault(taken, id, String(error)),
      )
      .finally(() => this.#inFlight--);
  }

  /** A holder is there. */
  heard(from: string): void {
    this.#absentSince.delete(from);
  }

  /** The holder has written all of these. */
  written(from: string, batches: readonly number[]): void {
    for (const batch of batches) this.#end(keyOf({ from, batch }));
  }

  #end(key: string): void {
    this.#taken.get(key)?.job.done();
    this.#taken.delete(key);
  }

  /** Keeps what is under way for long, and drops what its holder does not know any more; once a second. */
  async sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const now = monotonicNow();
    for (const [from, since] of this.#absentSince) if (now - since > FORGET_MS) this.#absentSince.delete(from);
    const long = [...this.#taken.values()].filter((t) => now - t.takenAt > LONG_MS);
    for (const { job } of long) job.working();
    const asked = [...Map.groupBy(long, (t) => t.from)].map(([from, taken]) => this.#askAfter(from, taken));
    await Promise.all(asked);
    this.#isSweeping = false;
  }

  async #askAfter(from: string, taken: readonly Taken[]): Promise<void> {
    // One that does not answer for a moment is asked again.
    const batches = taken.map((t) => t.batch);
    const wanted = await this.#ask(from, batches).catch(() => undefined);
    if (wanted === undefined) return;
    for (const [i, t] of taken.entries()) if (wanted === null || wanted[i] === null) this.#end(keyOf(t));
  }

  get #isIdle(): boolean {
    return this.#inFlight === 0 && this.#beginning === 0 && this.#outbox.isEmpty;
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const done of this.#idle.splice(0)) done();
  }

  /** Resolves when nothing is under way and its holders know, or after `ms`. */
  async drain(ms: number): Promise<void> {
    if (this.#isIdle) return;
    await Promise.race([new Promise<void>((done) => this.#idle.push(done)), pause(ms, undefined, { ref: false })]);
  }
}

const keyOf = ({ from, batch }: { from: string; batch: number }): string => `${from} ${batch}`;
