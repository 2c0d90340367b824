import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import {
  acquireParts,
  acquireReader,
  divideParts,
  forgetNode,
  hasSlot,
  keepNode,
  keepNodeAndReadParts,
  lastPosition,
  type LogSource,
  type Part,
  readParts,
  releaseReaders,
  shareOf,
  type StoredPart,
  SLOTS,
  slotOf,
  wantParts,
} from '../../events/index.ts';
import { insertResults } from './delivery-store.ts';
import { Holding } from './holding.ts';
import type { EventProgress, Result } from './types.ts';

/** Name of the reader, and of its cursor while it is one. */
export const READER = 'webhook-fan-out';
/** How often a holder looks whether it should hold more or less. Milliseconds. */
const LOOK_MS = 1000;
/** A node without a part asks for one at most this often. Milliseconds. */
const ASK_AGAIN_MS = 500;
/**
 * So long is waited for what is under way to the accounts of a part that is given up. Nearly all receivers answer within it; what
 * takes longer is sent again by the next holder, since others of the part must not wait for one that hangs. Milliseconds.
 */
const DRAIN_MS = 2000;

export interface HoldingsDeps {
  db: Db;
  clock: Clock;
  log: Log;
  nodeId: string;
  /** Into how many parts this node wants the fan-out divided; there may be more. */
  partitions: number;
  openSource: (part: string) => LogSource;
  /** Deliveries of its accounts whose outcomes are not written. */
  underWay: (part: Part) => number;
  /** It sends to the accounts of the part from now on. */
  onAcquired: (part: Part) => void;
  /** It does so no more: nothing of what waits here for these accounts may be sent. */
  onLost: (part: Part) => void;
}

/**
 * The parts of the fan-out that this node holds (docs/adr/0034). Which ones there are, who is there to hold them and who does is
 * in the database; each node takes what nobody holds up to its share, and gives up what is beyond.
 */
export class Holdings {
  readonly #deps: HoldingsDeps;
  #held: readonly Holding[] = [];
  #bySlot: readonly (Holding | undefined)[] = [];
  readonly #byGeneration = new Map<number, Holding>();
  readonly #sources = new Map<string, LogSource>();
  #generation = 0;
  #epoch = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #awayUntil = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #isWanted = false;
  #isNode = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: HoldingsDeps) {
    this.#deps = deps;
    this.#sources.set(READER, deps.openSource(READER));
  }

  /** All that it holds, also what it is giving up. */
  get all(): readonly Holding[] {
    return this.#held;
  }

  /** What it holds and does not give up. */
  get kept(): readonly Holding[] {
    return this.#held.filter((h) => h.leavingSince === null);
  }

  /** Another number means that another node may have sent in between; null: it holds nothing. */
  get epoch(): number | null {
    return this.kept.length === 0 ? null : this.#epoch;
  }

  /** The holding that an account belongs to, unless it is being given up. */
  of(accountId: string): Holding | undefined {
    return this.#bySlot[slotOf(accountId)];
  }

  /** Whether this ticket's event still belongs to what this node holds. */
  holds({ generation }: EventProgress): boolean {
    return this.#byGeneration.has(generation);
  }

  get isLeaving(): boolean {
    return this.#held.some((h) => h.leavingSince !== null);
  }

  /** Events may be there that no process told of. */
  mayHaveMissed(): void {
    for (const { source } of this.#held) source.mayHaveMissed();
  }

  /** Looks, at most so often, whether the node holds what it should. Without a database it goes on with what it has. */
  look(): Promise<void> {
    const now = monotonicNow();
    if (now < this.#awayUntil) return Promise.resolve();
    if (now - this.#lookedAt < (this.#held.length > 0 ? LOOK_MS : ASK_AGAIN_MS))
      return this.#looking ?? Promise.resolve();
    this.#lookedAt = now;
    return this.#alone(() =>
      this.#look().catch((error: unknown) => {
        // What was begun is gone on with at once.
        this.#lookedAt = Number.NEGATIVE_INFINITY;
        if (this.#held.length === 0) throw error;
        this.#deps.log.warn({ err: error }, 'who fans out could not be looked at');
      }),
    );
  }

  /** What changes the leases is one thing at a time; who comes meanwhile waits for that. */
  #alone(fn: () => Promise<unknown>): Promise<void> {
    return (this.#looking ??= fn()
      .then(() => undefined)
      .finally(() => (this.#looking = null)));
  }

  async #look(): Promise<void> {
    const { db, clock, nodeId, partitions } = this.#deps;
    const now = new Date(clock.now());
    if (!this.#isWanted && partitions > 1) await wantParts(db, READER, partitions, now);
    this.#isWanted = true;
    await this.#letGo();
    // One that takes part says so with the same statement.
    let nodes: readonly string[] | null = null;
    let wanted: number;
    let parts: readonly StoredPart[];
    if (this.#isNode) ({ wanted, parts, nodes } = await keepNodeAndReadParts(db, READER, nodeId));
    else ({ wanted, parts } = await readParts(db, READER));
    const isOld = (p: Part): boolean => p.parts < wanted;
    for (const holding of this.kept) if (isOld(holding.part)) this.#leave(holding);
    if (await this.#letGo()) ({ wanted, parts } = await readParts(db, READER));
    if (wanted === 1) return this.#takeWhole(now);
    this.#isNode = true;
    nodes ??= await keepNode(db, READER, nodeId);
    if (parts.some((p) => isOld(p) && p.isFree)) {
      await divideParts(db, READER, wanted, now);
      ({ wanted, parts } = await readParts(db, READER));
    }
    const counts = new Map<string, number>();
    for (const { owner, isFree } of parts)
      if (owner !== null && !isFree) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const { kept } = this;
    const share = shareOf(nodeId, nodes, counts, parts.length);
    for (const holding of kept.slice(share)) this.#leave(holding);
    await this.#letGo();
    if (kept.length < share) await this.#takeParts(share - kept.length, wanted, now);
  }

  async #takeWhole(now: Date): Promise<void> {
    if (this.#held.length > 0) return;
    const { db, nodeId } = this.#deps;
    const askedAt = monotonicNow();
    const cursor = await acquireReader(db, READER, nodeId, now);
    if (cursor !== null) await this.#taken([{ name: READER, part: 0, parts: 1, position: cursor }], askedAt);
  }

  async #takeParts(limit: number, wanted: number, now: Date): Promise<void> {
    const { db, nodeId: owner } = this.#deps;
    const held = this.#held.map((h) => h.part.name);
    const askedAt = monotonicNow();
    const taken = await acquireParts(db, { reader: READER, owner, wanted, held, limit, now });
    if (taken.length > 0) await this.#taken(taken, askedAt);
  }

  async #taken(parts: readonly (Part & { position: number })[], askedAt: number): Promise<void> {
    const { db, log } = this.#deps;
    // Everything that may fail comes first: half a take-over would send again what has rows.
    const recoverUpTo = await lastPosition(db);
    for (const { position: cursor, ...part } of parts) {
      const source = this.#sourceOf(part.name);
      const holding = new Holding(part, { generation: ++this.#generation, cursor, recoverUpTo, askedAt, source });
      source.follow(cursor);
      this.#held = [...this.#held, holding];
      this.#byGeneration.set(holding.generation, holding);
      this.#changed();
      this.#deps.onAcquired(part);
      source.mayHaveMissed();
      log.info({ cursor, upTo: recoverUpTo, part: part.name }, 'this node fans webhooks out');
    }
  }

  #sourceOf(part: string): LogSource {
    const source = this.#sources.get(part) ?? this.#deps.openSource(part);
    this.#sources.set(part, source);
    return source;
  }

  #changed(): void {
    this.#epoch++;
    const { kept } = this;
    this.#bySlot = Array.from({ length: SLOTS }, (_, slot) => kept.find((h) => hasSlot(h.part, slot)));
  }

  #leave(holding: Holding): void {
    holding.leavingSince = monotonicNow();
    this.#changed();
    this.#deps.onLost(holding.part);
  }

  /** Gives up what was to be given up and has nothing under way any more. */
  async letGo(): Promise<void> {
    if (this.isLeaving) await this.#alone(() => this.#letGo());
  }

  /** Whether it gave up anything. */
  async #letGo(): Promise<boolean> {
    const { db, nodeId, log, underWay } = this.#deps;
    const now = monotonicNow();
    const over = this.#held.filter(
      ({ leavingSince, part }) => leavingSince !== null && (now - leavingSince > DRAIN_MS || underWay(part) === 0),
    );
    if (over.length === 0) return false;
    await this.write([]);
    const names = over.filter((h) => this.#held.includes(h)).map((h) => h.part.name);
    for (const holding of over) this.#remove(holding);
    await releaseReaders(db, names, nodeId);
    log.info({ parts: names }, 'this node leaves parts of the fan-out to others');
    return true;
  }

  #remove(holding: Holding): void {
    this.#held = this.#held.filter((h) => h !== holding);
    this.#byGeneration.delete(holding.generation);
    holding.source.unfollow();
    this.#changed();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  #lose(holding: Holding): void {
    const wasKept = holding.leavingSince === null;
    this.#remove(holding);
    if (wasKept) this.#deps.onLost(holding.part);
    this.#deps.log.warn({ part: holding.part.name }, 'another node has taken the webhook fan-out over');
  }

  /** Writes first outcomes with the cursors behind them, and renews the leases; forgets what it has lost. */
  write(results: readonly Result[]): Promise<void> {
    if (this.#held.length < 2) return this.#write(results);
    // One after another: two statements that change several rows could wait for each other.
    const mine = this.#turn.then(() => this.#write(results));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #write(results: readonly Result[]): Promise<void> {
    if (this.#held.length === 0) return;
    const { db, clock, nodeId } = this.#deps;
    const byHolding = Map.groupBy(results, ({ ticket: { progress } }) =>
      progress ? this.#byGeneration.get(progress.generation) : undefined,
    );
    const moves = this.#held.map((holding) => holding.plan(byHolding.get(holding) ?? []));
    const moved = await insertResults(db, moves, { owner: nodeId, now: new Date(clock.now()) });
    for (const move of moves) {
      // Lost by another statement meanwhile, and perhaps taken again.
      if (!this.#held.includes(move.holding)) continue;
      if (moved.has(move.name)) move.holding.written(move);
      else this.#lose(move.holding);
    }
  }

  /** Gives everything to whoever asks next, and takes nothing for so long. */
  async release(awayMs = 0): Promise<void> {
    const { db, nodeId, onLost } = this.#deps;
    if (awayMs > 0) this.#awayUntil = monotonicNow() + awayMs;
    await this.#looking?.catch(() => undefined);
    const held = this.#held;
    for (const holding of held) {
      this.#remove(holding);
      onLost(holding.part);
    }
    if (this.#isNode) await forgetNode(db, READER, nodeId);
    if (held.length > 0)
      await releaseReaders(
        db,
        held.map((h) => h.part.name),
        nodeId,
      );
  }
}
