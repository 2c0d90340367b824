import { isInternalEvent, webhookBody, type WebhookName, webhooksFor } from '../../../contracts/events/index.ts';
import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import {
  acquireReader,
  advanceSql,
  lastPosition,
  type LoggedEvent,
  type LogSource,
  READER_LEASE_MS,
  releaseReader,
} from '../../events/index.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { existingDeliveries, insertResults, keyOf } from './delivery-store.ts';
import type { EndpointRegistry } from './registry.ts';
import type { EventProgress, Result, Ticket } from './types.ts';
import { Window } from './window.ts';

/** Name of its cursor. */
export const READER = 'webhook-fan-out';
const BATCH_EVENTS = 500;
/** Events whose deliveries are not all written. More are not read: the log is the queue, not this process's memory. */
const MAX_UNFINISHED = 5000;
/**
 * Events behind the first unfinished one. A single attempt may take 15 s, and the others must not wait for it: this is
 * 15 s of more events than one process can take in. Each costs some 50 bytes, and after a crash a look at its rows.
 */
const MAX_WINDOW = 300_000;
/** The lease is renewed when it was not for this long. A third of its length. Milliseconds. */
const RENEW_MS = 1500;
/** A node without the lease asks for it at most this often. Milliseconds. */
const ASK_AGAIN_MS = 500;
/** So long does a node leave the fan-out to others that know more. Milliseconds. */
const LEAVE_MS = 10_000;

export interface FanOutDeps {
  db: Db;
  clock: Clock;
  log: Log;
  nodeId: string;
  source: LogSource;
  registry: EndpointRegistry;
  /** Loads the signing secrets of these accounts into memory. */
  loadSecrets: (accountIds: readonly string[]) => Promise<void>;
  submit: (ticket: Ticket) => void;
  /** Moves the durable cursor soon, though no delivery was made. */
  touch: () => void;
  /** More is under way than should be: read no further for now. */
  isCongested: () => boolean;
  /** It holds the fan-out from now on. */
  onAcquired: () => void;
  /** It holds it no more: nothing of what waits here may be sent. */
  onLost: () => void;
}

/**
 * The webhook fan-out: a reader of the log (docs/adr/0005). One node holds it at a time. Each event becomes one delivery
 * per matching endpoint; the durable cursor follows behind the deliveries' first rows, so a crash repeats at most what
 * was under way, and what has a row is skipped then.
 */
export class FanOut {
  readonly #deps: FanOutDeps;
  #window: Window | null = null;
  #generation = 0;
  #readUpTo = 0;
  /** Events up to here may have been fanned out by an earlier holder. */
  #recoverUpTo = 0;
  #renewedAt = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  /**
   * Until when no other node can have taken over. On this node's monotonic clock, from before the lease was asked for, so
   * that it ends here no later than in the database. Milliseconds.
   */
  #validUntil = Number.NEGATIVE_INFINITY;
  #asking: Promise<boolean> | null = null;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
  }

  /** Events that are read and not yet done. */
  get open(): number {
    return this.#window?.unfinished ?? 0;
  }

  /**
   * Whether this node is the one that sends at this moment. False also while it could not renew its lease in time: another
   * one may have taken over by now, though this one has not heard of it.
   */
  get maySend(): boolean {
    return this.#window !== null && monotonicNow() < this.#validUntil;
  }

  /** Which holding of the lease this is; null: none. Another one means that another node may have sent in between. */
  get holding(): number | null {
    return this.#window === null ? null : this.#generation;
  }

  /** Takes the lease, or renews it when it has run out, if no other node has it; whether this node has it. */
  hold(): Promise<boolean> {
    if (this.maySend) return Promise.resolve(true);
    return (this.#asking ??= this.#hold().finally(() => (this.#asking = null)));
  }

  async #hold(): Promise<boolean> {
    if (!this.#window) return this.#acquire();
    await this.write([]);
    return this.maySend;
  }

  /** Whether this ticket's event still belongs to what this node fans out. */
  holds({ generation }: EventProgress): boolean {
    return this.#window !== null && generation === this.#generation;
  }

  /** One portion; true when more is waiting. */
  async step(): Promise<boolean> {
    if (!(await this.hold())) return false;
    if (monotonicNow() - this.#renewedAt > RENEW_MS) this.#deps.touch();
    this.#isWaiting = this.#isFull || this.#deps.isCongested();
    const window = this.#window;
    if (this.#isWaiting || !window) return false;
    const batch = await this.#deps.source.next(this.#readUpTo, BATCH_EVENTS);
    if (batch.events.length === 0) return batch.more;
    return (await this.#fanOut(window, batch.events)) && batch.more;
  }

  get #isFull(): boolean {
    return this.open >= MAX_UNFINISHED || (this.#window?.size ?? 0) >= MAX_WINDOW;
  }

  /** It reads no further until outcomes are written. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Writes first outcomes with the cursor behind them; forgets everything when the lease is lost. */
  async write(results: readonly Result[]): Promise<void> {
    const window = this.#window;
    if (!window) return;
    const mine = results.filter((r) => r.ticket.progress?.generation === this.#generation);
    const { db, clock, nodeId } = this.#deps;
    const closing = new Map<NonNullable<Ticket['progress']>, number>();
    for (const {
      ticket: { progress },
    } of mine)
      if (progress) closing.set(progress, (closing.get(progress) ?? 0) + 1);
    const cursor = window.cursorAfter(closing);
    const askedAt = monotonicNow();
    const held = await insertResults(db, mine, advanceSql(READER, nodeId, cursor, new Date(clock.now())));
    // Lost by another statement meanwhile, and perhaps taken again.
    if (this.#window !== window) return;
    if (!held) {
      this.#lose();
      return;
    }
    window.close(closing);
    this.#renewed(askedAt);
  }

  #renewed(askedAt: number): void {
    this.#renewedAt = monotonicNow();
    this.#validUntil = Math.max(this.#validUntil, askedAt + READER_LEASE_MS);
  }

  /** Gives the lease to whoever asks next. */
  async release(): Promise<void> {
    if (!this.#window) return;
    this.#window = null;
    this.#deps.source.unfollow();
    this.#deps.onLost();
    await releaseReader(this.#deps.db, READER, this.#deps.nodeId);
  }

  async #acquire(): Promise<boolean> {
    const { db, nodeId, clock, log, source } = this.#deps;
    if (monotonicNow() - this.#refusedAt < ASK_AGAIN_MS) return false;
    const askedAt = monotonicNow();
    const cursor = await acquireReader(db, READER, nodeId, new Date(clock.now()));
    if (cursor === null) {
      this.#refusedAt = monotonicNow();
      return false;
    }
    // Everything that may fail comes first: half a take-over would send again what has rows.
    const recoverUpTo = await lastPosition(db);
    this.#window = new Window(cursor, ++this.#generation);
    this.#readUpTo = cursor;
    this.#recoverUpTo = recoverUpTo;
    this.#deps.source.follow(cursor);
    this.#validUntil = Number.NEGATIVE_INFINITY;
    this.#renewed(askedAt);
    this.#deps.onAcquired();
    source.mayHaveMissed();
    log.info({ cursor, upTo: this.#recoverUpTo }, 'this node fans webhooks out');
    return true;
  }

  #lose(): void {
    this.#window = null;
    this.#deps.source.unfollow();
    this.#deps.onLost();
    this.#deps.log.warn('another node has taken the webhook fan-out over');
  }

  /**
   * False when it has come to an event that it cannot pass. `window`: as it was before the events were read. Should the lease
   * be lost and had again meanwhile, what to read is told by the cursor anew, which may be before these events.
   */
  async #fanOut(window: Window, events: readonly LoggedEvent[]): Promise<boolean> {
    const { registry } = this.#deps;
    const last = (events.at(-1) as LoggedEvent).position;
    await registry.refreshTo(events.map((e) => e.stamp));
    await this.#deps.loadSecrets([...new Set(events.flatMap((e) => e.accountIds))]);
    const repeated = events.filter((e) => e.position <= this.#recoverUpTo);
    const done = repeated.length > 0 ? await existingDeliveries(this.#deps.db, repeated) : null;
    if (this.#window !== window) {
      this.#deps.source.mayHaveMissed();
      return this.#window !== null;
    }
    let created = 0;
    let unknown: LoggedEvent | null = null;
    for (const event of events) {
      if (!isInternalEvent(event.event)) {
        unknown = event;
        break;
      }
      created += this.#deliver(window, event, done);
      // Event by event: one that cannot be fanned out stops the reader, and those before it are not sent again.
      this.#readUpTo = event.position;
      if (this.#deps.isCongested()) break;
    }
    this.#deps.source.consumed(this.#readUpTo);
    if (created === 0) this.#deps.touch();
    // What was read and not fanned out has to be read again, also when nobody publishes meanwhile.
    if (this.#readUpTo < last) this.#deps.source.mayHaveMissed();
    if (unknown) await this.#leaveToNewer(unknown);
    return unknown === null;
  }

  /**
   * During an upgrade another node may publish what this version does not know; a newer one has to fan it out. Not before
   * the outcomes of what comes before it are written: whoever takes over would send those again.
   */
  async #leaveToNewer(event: LoggedEvent): Promise<void> {
    this.#isWaiting = this.open > 0;
    if (this.#isWaiting) return;
    this.#deps.log.error(
      { event: event.event, position: event.position },
      'this version does not know an event of the log',
    );
    this.#refusedAt = monotonicNow() + LEAVE_MS;
    await this.release();
  }

  /** Submits a ticket for each endpoint that takes the event; returns how many. */
  #deliver(window: Window, event: LoggedEvent, done: ReadonlySet<string> | null): number {
    const tickets: Ticket[] = [];
    const progress = window.create(event.position);
    for (const webhook of webhooksFor(event.event, event.data)) {
      let body: string | undefined;
      this.#deps.registry.match(event.accountIds, webhook, event.position, (endpoint) => {
        if (done?.has(keyOf(event.position, endpoint.id, webhook))) return;
        body ??= webhookBody(webhook, event.data, event.occurredAt);
        tickets.push(this.#ticket(event, webhook, body, endpoint, progress));
      });
    }
    // Nothing is counted before all of it is made, and all is counted before the first can finish.
    window.open(progress, tickets.length);
    for (const ticket of tickets) this.#deps.submit(ticket);
    return tickets.length;
  }

  #ticket(
    event: LoggedEvent,
    webhook: WebhookName,
    body: string,
    endpoint: Ticket['endpoint'],
    progress: Ticket['progress'],
  ): Ticket {
    return {
      deliveryId: deliveryIdOf(event.id, endpoint.id, webhook),
      endpoint,
      eventId: event.id,
      eventPosition: event.position,
      webhook,
      body,
      requestId: event.requestId,
      attempt: 1,
      isReplay: false,
      createdAt: this.#deps.clock.now(),
      queuedAt: 0,
      lease: null,
      progress,
      faultWaitMs: null,
    };
  }
}
