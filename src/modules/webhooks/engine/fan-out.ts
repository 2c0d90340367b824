import { isInternalEvent, webhookBody, type WebhookName, webhooksFor } from '../../../contracts/events/index.ts';
import { type LoggedEvent, type Part, SLOTS, slotsOf, type Wanted } from '../../events/index.ts';
import { deliveryIdOf } from './delivery-id.ts';
import type { Holding } from './holding.ts';
import { Holdings, type HoldingsDeps } from './holdings.ts';
import { Recovered } from './recovered.ts';
import type { EndpointRegistry } from './registry.ts';
import type { EventProgress, Result, Ticket } from './types.ts';

const BATCH_EVENTS = 500;
/** Of a reading for some accounts, which counts the events of others as well. */
const MOST_POSITIONS = 4000;
/** Events whose deliveries are not all written. More are not read: the log is the queue, not this process's memory. */
const MAX_UNFINISHED = 5000;
/**
 * Events behind the first unfinished one. A single attempt may take 15 s, and the others must not wait for it: this is
 * 15 s of more events than one process can take in. Each costs some 50 bytes, and after a crash a look at its rows.
 */
const MAX_WINDOW = 300_000;
/** So long does a node leave the fan-out to others that know more. Milliseconds. */
const LEAVE_MS = 10_000;

export interface FanOutDeps extends HoldingsDeps {
  registry: EndpointRegistry;
  /** Loads the signing secrets of these accounts into memory. */
  loadSecrets: (accountIds: readonly string[]) => Promise<void>;
  submit: (ticket: Ticket) => void;
  /** Moves the durable cursors and renews the leases now. */
  touch: () => void;
  /** The durable cursors can move, though no delivery was made. */
  passed: () => void;
  /** More is under way than should be: read no further for now. */
  isCongested: () => boolean;
}

/** Holdings that have read the log up to the same position; they read on together. */
type Group = readonly Holding[];

/** The reader is not divided: all accounts are in its one part. */
const isWhole = (group: Group): boolean => group[0]?.part.parts === 1;
const WHOLE: Wanted = { limit: BATCH_EVENTS };

/**
 * The webhook fan-out: a reader of the log (docs/adr/0005), divided into parts by account (docs/adr/0034), each held by one node
 * at a time. Each event becomes one delivery per matching endpoint; the durable cursor of a part follows behind the deliveries'
 * first rows, so a crash repeats at most what was under way, and what has a row is skipped then.
 */
export class FanOut {
  readonly #deps: FanOutDeps;
  readonly #holdings: Holdings;
  #isWaiting = false;
  #asking: Promise<boolean> | null = null;
  /** The last step could read no further after so many groups: the others come first in the next one. 0: it came to the end. */
  #cutAfter = 0;
  readonly #recovered: Recovered;

  constructor(deps: FanOutDeps) {
    this.#deps = deps;
    this.#holdings = new Holdings(deps);
    this.#recovered = new Recovered(deps.db);
  }

  /** Events that are read and not yet done; one of several parts counts in each. */
  get open(): number {
    return this.#holdings.all.reduce((sum, h) => sum + h.open, 0);
  }

  /**
   * Whether this node sends to anybody at this moment. False also while it could not renew its leases in time: others may
   * have taken over by now, though this one has not heard of it.
   */
  get maySend(): boolean {
    return this.#holdings.all.some((h) => h.maySend);
  }

  /** Whether it is the one that sends to this account: see `maySend`. */
  maySendTo(accountId: string): boolean {
    return this.#holdings.of(accountId)?.maySend === true;
  }

  /** Since when it sends to this account, on the monotonic clock. Milliseconds. */
  sendsSince(accountId: string): number {
    return this.#holdings.of(accountId)?.since ?? Number.NEGATIVE_INFINITY;
  }

  /** The parts that it holds. */
  get parts(): readonly Part[] {
    return this.#holdings.kept.map((h) => h.part);
  }

  /** Which state of its holdings this is; null: none. Another one means that another node may have sent in between. */
  get holding(): number | null {
    return this.#holdings.epoch;
  }

  /** Takes what nobody holds, or renews what has run out, if no other node has it; whether this node has something. */
  hold(): Promise<boolean> {
    if (this.maySend) return Promise.resolve(true);
    return (this.#asking ??= this.#hold().finally(() => (this.#asking = null)));
  }

  async #hold(): Promise<boolean> {
    await (this.#holdings.all.length === 0 ? this.#holdings.look() : this.write([]));
    return this.maySend;
  }

  /** Whether this ticket's event still belongs to what this node fans out. */
  holds(progress: EventProgress): boolean {
    return this.#holdings.holds(progress);
  }

  /** Events may be there that no process told of. */
  mayHaveMissed(): void {
    this.#holdings.mayHaveMissed();
  }

  /** One portion; true when more is waiting. */
  async step(): Promise<boolean> {
    await this.#holdings.look();
    await this.#holdings.letGo();
    const isHolding = await this.hold();
    this.#recovered.keep(this.#holdings.epoch);
    if (!isHolding) return false;
    if (this.#holdings.all.some((h) => h.isRenewalDue)) this.#deps.touch();
    const isFull = this.open >= MAX_UNFINISHED || this.#holdings.kept.some((h) => h.size >= MAX_WINDOW);
    this.#isWaiting = isFull || this.#deps.isCongested();
    if (this.#mustStop()) return false;
    const groups = this.#groups();
    const first = this.#cutAfter % Math.max(1, groups.length);
    this.#cutAfter = 0;
    let more = false;
    let reached: Group = [];
    const order = [...groups.keys()].map((k) => (first + k) % groups.length);
    for (const [n, i] of order.entries()) {
      const next = groups[i + 1]?.[0]?.readUpTo;
      const together = [...(groups[i] as Group), ...reached];
      more = (await this.#read(together, next)) || more;
      // With what is left unread, the next step finds out whether it has to wait.
      if (n + 1 < groups.length && this.#mustStop()) {
        this.#cutAfter = i + 1;
        return true;
      }
      // Nobody is ahead of the last one.
      reached = together.filter((h) => h.readUpTo === next && this.#holdings.kept.includes(h));
    }
    return more || this.#deps.isCongested();
  }

  #mustStop(): boolean {
    return this.open >= MAX_UNFINISHED || this.#deps.isCongested();
  }

  /** In the order of how far they have read. */
  #groups(): Group[] {
    const reading = this.#holdings.kept.filter((h) => h.maySend && h.size < MAX_WINDOW);
    return [...Map.groupBy(reading, (h) => h.readUpTo)].toSorted(([a], [b]) => a - b).map(([, group]) => group);
  }

  /** It reads no further until outcomes are written. */
  get isWaiting(): boolean {
    return this.#isWaiting || this.#holdings.isLeaving;
  }

  /** Writes first outcomes with the cursors behind them; forgets what it was at where a lease is lost. */
  write(results: readonly Result[]): Promise<void> {
    return this.#holdings.write(results);
  }

  /** Gives the leases to whoever asks next. */
  release(): Promise<void> {
    return this.#holdings.release();
  }

  /**
   * True when more is to be read. `upTo`: where the next group is. Both go on as one when this one has come there, so it reads
   * no further.
   */
  async #read(group: Group, upTo = Number.POSITIVE_INFINITY): Promise<boolean> {
    const [{ source, readUpTo: at }] = group as readonly [Holding];
    const batch = await source.next(at, this.#wanted(group));
    const recoverUpTo = Math.max(...group.map((h) => h.recoverUpTo));
    const repeated = batch.events.slice(0, BATCH_EVENTS).filter((e) => e.position <= recoverUpTo);
    const known = await this.#recovered.lookUp(this.#holdings.epoch, repeated);
    // However many of what was read are for these accounts.
    const to = Math.min(upTo, known, batch.events[BATCH_EVENTS - 1]?.position ?? upTo);
    const events = batch.events.filter((e) => e.position <= to);
    const isCut = batch.upTo > to;
    if (isCut) source.mayHaveMissed();
    const end = Math.min(batch.upTo, to);
    if (events.length > 0) return this.#fanOut(group, events, { end, more: batch.more || isCut });
    const isPassed = end <= at || this.#pass(group, end);
    return batch.more || isCut || !isPassed;
  }

  #wanted(group: Group): Wanted {
    if (isWhole(group)) return WHOLE;
    const slots = slotsOf(group.map((h) => h.part));
    return {
      limit: Math.min(MOST_POSITIONS, Math.ceil((BATCH_EVENTS * SLOTS) / slots.length)),
      slots: slots.length === SLOTS ? null : new Set(slots),
      share: slotsOf(this.parts).length / SLOTS,
    };
  }

  /** What was lost while something was awaited is not gone on with, nor what was had again since. */
  #stillHeld(group: Group): Group {
    const left = group.filter((h) => this.#holdings.kept.includes(h));
    if (left.length < group.length) this.#holdings.mayHaveMissed();
    return left;
  }

  /** There is nothing for the group up to here. False when some of the group was lost meanwhile. */
  #pass(group: Group, upTo: number): boolean {
    const left = this.#stillHeld(group);
    for (const h of left) {
      h.pass(upTo);
      h.source.consumed(upTo);
    }
    this.#deps.passed();
    return left.length === group.length;
  }

  /**
   * True when more is to be read, which is false at an event that it cannot pass. Should a lease be lost and had again meanwhile, what
   * to read is told by the cursor anew, which may be before these events. `end`: up to there nothing else is for the group;
   * `more`: behind it there may be something.
   */
  async #fanOut(
    group: Group,
    events: readonly LoggedEvent[],
    { end, more }: { end: number; more: boolean },
  ): Promise<boolean> {
    const { registry } = this.#deps;
    const last = (events.at(-1) as LoggedEvent).position;
    await registry.refreshTo(events);
    const concerned = new Set<string>();
    for (const event of events) for (const id of this.#concerned(group, event)) concerned.add(id);
    await this.#deps.loadSecrets([...concerned]);
    const left = this.#stillHeld(group);
    if (left.length === 0) return this.#holdings.kept.length > 0;
    let created = 0;
    let unknown: LoggedEvent | null = null;
    let readUpTo = 0;
    for (const event of events) {
      if (!isInternalEvent(event.event)) {
        unknown = event;
        break;
      }
      created += this.#deliver(left, event);
      readUpTo = event.position;
      if (this.#deps.isCongested()) break;
    }
    if (readUpTo === last) for (const h of left) h.pass(end);
    for (const { source, readUpTo: at } of left) source.consumed(at);
    this.#recovered.passed(Math.min(...this.#holdings.kept.map((h) => h.readUpTo)));
    if (created === 0) this.#deps.passed();
    // What was read and not fanned out has to be read again, also when nobody publishes meanwhile.
    if (readUpTo < last) this.#holdings.mayHaveMissed();
    if (unknown) await this.#leaveToNewer(unknown);
    return unknown === null && (more || readUpTo < last || left.length < group.length);
  }

  /** Accounts of the event's audience that are in the parts of the group. */
  #concerned(group: Group, { accountIds }: LoggedEvent): readonly string[] {
    if (isWhole(group)) return accountIds;
    return accountIds.filter((id) => {
      const holding = this.#holdings.of(id);
      return holding !== undefined && group.includes(holding);
    });
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
    await this.#holdings.release(LEAVE_MS);
  }

  /** Submits a ticket for each endpoint of the group's accounts that takes the event; returns how many. */
  #deliver(group: Group, event: LoggedEvent): number {
    const tickets: Ticket[] = [];
    const progress = new Map<Holding, EventProgress>();
    const counts = new Map<Holding, number>();
    const accountIds = this.#concerned(group, event);
    for (const webhook of accountIds.length === 0 ? [] : webhooksFor(event.event, event.data)) {
      let body: string | undefined;
      this.#deps.registry.match(accountIds, webhook, event.position, (endpoint) => {
        if (this.#recovered.has(event.position, endpoint.id, webhook)) return;
        body ??= webhookBody(webhook, event.data, event.occurredAt);
        const holding = this.#holdings.of(endpoint.accountId) as Holding;
        const mine = progress.get(holding) ?? holding.create(event.position);
        progress.set(holding, mine);
        counts.set(holding, (counts.get(holding) ?? 0) + 1);
        tickets.push(this.#ticket(event, webhook, body, endpoint, mine));
      });
    }
    // Nothing is counted before all of it is made, and all is counted before the first can finish.
    for (const holding of group) {
      const mine = progress.get(holding);
      if (mine) holding.take(mine, counts.get(holding) ?? 0);
      else holding.pass(event.position);
    }
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
      isTest: false,
      createdAt: this.#deps.clock.now(),
      queuedAt: 0,
      lease: null,
      progress,
      faults: 0,
    };
  }
}
