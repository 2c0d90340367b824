import { monotonicNow } from '../../../lib/clock.ts';
import type { Log } from '../../../platform/log/log.ts';
import { type Job, NobodyThere, type WorkQueue } from '../../../platform/nats/work-queue.ts';
import type { SigningSecret } from '../../accounts/index.ts';
import type { EndpointRegistry } from '../engine/registry.ts';
import type { SendSigned } from '../engine/sign-anew.ts';
import { type FromThread, noOutcomes, readAttempts, writeFault, writeOutcome } from '../engine/thread-messages.ts';
import type { EngineEndpoint, Ticket } from '../engine/types.ts';
import { type Handed, readHanded, readWanted, type Wanted, writeQuestion } from './messages.ts';
import type { Peers } from './peers.ts';

/** What waited longer in the queue may be wanted no more: the holder is asked first. Milliseconds. */
const OLD_MS = 3000;
/** A batch is spoken of once it is under way for so long. Milliseconds. */
const LONG_MS = 1000;
/** For so long is a holder that does not answer told of its outcomes again. Milliseconds. */
const TELL_MS = 30_000;
const TELL_AGAIN_MS = 250;
/** What this version does not know is offered again after so long. */
const LATER_MS = 1000;
/** A holder that nobody is there for may be connecting anew. */
const MOST_ABSENT = 8;

export interface TakeOnDeps {
  queue: Pick<WorkQueue, 'ask'>;
  nodeId: string;
  peers: Pick<Peers, 'isThere'>;
  registry: Pick<EndpointRegistry, 'get' | 'refresh'>;
  secretsOf: (accountId: string) => readonly SigningSecret[] | undefined;
  loadSecrets: (accountIds: readonly string[]) => Promise<void>;
  /** Makes an attempt in this process. */
  here: SendSigned;
  slots: number;
  log: Log;
}

interface Taken {
  from: string;
  batch: number;
  job: Job;
  takenAt: number;
}

/** What goes to one holder with the next message. */
interface Outbox {
  outcomes: FromThread;
  back: number[];
}

/** The side of a worker: takes attempts on, makes them, and tells their holder how they ended (docs/adr/0036). */
export class TakeOn {
  readonly #deps: TakeOnDeps;
  readonly #taken = new Map<string, Taken>();
  readonly #outboxes = new Map<string, Outbox>();
  #inFlight = 0;
  /** Attempts of others made here since the start. */
  made = 0;
  #telling = 0;
  #room: (() => void) | null = null;
  #idle: (() => void)[] = [];

  constructor(deps: TakeOnDeps) {
    this.#deps = deps;
  }

  /** Attempts of others under way here. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Begins what is wanted of a job; resolves when there is room for another one. */
  async take(job: Job): Promise<void> {
    const handed = this.#read(job);
    if (handed) {
      try {
        await this.#begin(job, handed);
      } catch (error) {
        this.#taken.delete(keyOf(handed));
        job.giveBack(0);
        this.#deps.log.warn({ err: error }, 'attempts of another worker could not be begun; they are given back');
        // The next one would fare no better at once.
        await new Promise((done) => setTimeout(done, TELL_AGAIN_MS));
      }
    }
    if (this.#inFlight >= this.#deps.slots) await new Promise<void>((done) => (this.#room = done));
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

  async #begin(job: Job, handed: Handed): Promise<void> {
    const key = keyOf(handed);
    const known = this.#taken.get(key);
    if (known) {
      known.job = job;
      return;
    }
    const wanted = await this.#wantedOf(job, handed);
    if (wanted === 'unknown') job.done();
    // Its outcomes have no rows yet: it is given out again, until they have.
    if (wanted === 'unknown' || wanted === 'none') return;
    const endpoints = await this.#endpointsOf(handed);
    this.#taken.set(key, { from: handed.from, batch: handed.batch, job, takenAt: monotonicNow() });
    readAttempts({ ...handed, forget: false, endpoints: [], keys: [] }, (id, number, heading, { body }) => {
      if (wanted !== 'all' && !wanted.has(id)) return;
      const [endpoint, secrets] = endpoints[number] ?? [];
      if (endpoint && secrets) this.#attempt(handed.from, id, { ...heading, body } as Ticket, endpoint, secrets);
      else this.#outbox(handed.from).back.push(id);
    });
  }

  /** What may have been made before, or is of a holder that nobody knows, is asked for. */
  async #wantedOf(job: Job, { from, batch }: Handed): Promise<ReadonlySet<number> | 'all' | 'none' | 'unknown'> {
    const isFresh = job.times === 1 && Math.abs(job.ageMs) < OLD_MS && this.#deps.peers.isThere(from);
    if (isFresh) return 'all';
    try {
      const [ids] = await this.#ask(from, [batch], [job.times]);
      if (!ids) return 'unknown';
      return ids.length > 0 ? new Set(ids) : 'none';
    } catch (error) {
      if (error instanceof NobodyThere) return 'unknown';
      throw error;
    }
  }

  /** As they are known here, and not older than where they come from. Undefined: it cannot be sent to from here. */
  async #endpointsOf({ endpoints }: Handed): Promise<([EngineEndpoint, readonly SigningSecret[]] | undefined)[]> {
    const { registry, secretsOf, loadSecrets } = this.#deps;
    const isOld = ([id, version]: Handed['endpoints'][number]): boolean => (registry.get(id)?.version ?? -1) < version;
    if (endpoints.some(isOld)) await registry.refresh();
    const found = endpoints.map(([id]) => registry.get(id));
    await loadSecrets(found.flatMap((endpoint) => endpoint?.accountId ?? []));
    return found.map((endpoint) => {
      const secrets = endpoint ? (secretsOf(endpoint.accountId) ?? []) : [];
      return endpoint && secrets.length > 0 ? [endpoint, secrets] : undefined;
    });
  }

  #attempt(
    from: string,
    id: number,
    ticket: Ticket,
    endpoint: EngineEndpoint,
    secrets: readonly SigningSecret[],
  ): void {
    this.#inFlight++;
    this.made++;
    this.#deps.here(ticket, endpoint, secrets).then(
      (outcome) => this.#ended(from, (to) => writeOutcome(to, id, outcome)),
      (error: unknown) => this.#ended(from, (to) => writeFault(to, id, String(error))),
    );
  }

  #ended(from: string, write: (to: FromThread) => void): void {
    write(this.#outbox(from).outcomes);
    this.#inFlight--;
    this.#room?.();
    this.#room = null;
  }

  /** Whatever ends in one turn of the event loop goes to its holder in one message. */
  #outbox(from: string): Outbox {
    let outbox = this.#outboxes.get(from);
    if (!outbox) {
      outbox = { outcomes: noOutcomes(), back: [] };
      this.#outboxes.set(from, outbox);
      setImmediate(() => {
        this.#telling++;
        void this.#tell(from).finally(() => {
          this.#telling--;
          if (this.isIdle) for (const done of this.#idle.splice(0)) done();
        });
      });
    }
    return outbox;
  }

  /** Until the holder has heard it, or is not there any more: then whoever has taken over sends it anew. */
  async #tell(from: string): Promise<void> {
    const { outcomes, back } = this.#outboxes.get(from) as Outbox;
    this.#outboxes.delete(from);
    const data = writeQuestion({ kind: 'outcomes', worker: this.#deps.nodeId, outcomes, back });
    const begunAt = monotonicNow();
    for (let absent = 0; absent < MOST_ABSENT && monotonicNow() - begunAt < TELL_MS; ) {
      try {
        await this.#deps.queue.ask(from, data);
        return;
      } catch (error) {
        if (error instanceof NobodyThere) absent++;
        await new Promise((done) => setTimeout(done, TELL_AGAIN_MS));
      }
    }
    this.#deps.log.warn(
      { holder: from },
      'the outcomes of attempts could not be told: who wanted them does not answer',
    );
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
    const now = monotonicNow();
    const long = [...this.#taken.values()].filter((t) => now - t.takenAt > LONG_MS);
    for (const { job } of long) job.working();
    const asked = [...Map.groupBy(long, (t) => t.from)].map(([from, taken]) => this.#askAfter(from, taken));
    await Promise.all(asked);
  }

  async #askAfter(from: string, taken: readonly Taken[]): Promise<void> {
    try {
      const batches = taken.map((t) => t.batch);
      const times = taken.map((t) => t.job.times);
      const wanted = await this.#ask(from, batches, times);
      for (const [i, ids] of wanted.entries()) if (ids === null) this.#end(keyOf(taken[i] as Taken));
    } catch (error) {
      // Not one that does not answer for a moment.
      if (error instanceof NobodyThere) for (const t of taken) this.#end(keyOf(t));
    }
  }

  async #ask(from: string, batches: number[], times: number[]): Promise<Wanted> {
    const { queue, nodeId } = this.#deps;
    return readWanted(await queue.ask(from, writeQuestion({ kind: 'wanted', worker: nodeId, batches, times })));
  }

  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#telling === 0 && this.#outboxes.size === 0;
  }

  /** Resolves when nothing is under way and its holders know, or after `ms`. */
  async drain(ms: number): Promise<void> {
    if (this.isIdle) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((done) => this.#idle.push(done)),
      new Promise<void>((done) => (timer = setTimeout(done, ms))),
    ]);
    clearTimeout(timer);
  }
}

const keyOf = ({ from, batch }: { from: string; batch: number }): string => `${from} ${batch}`;
