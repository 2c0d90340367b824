import { isWebhookName, webhookBody } from '../../../contracts/events/index.ts';
import { type Clock, monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { findEvents, type LoggedEvent, type Part } from '../../events/index.ts';
import {
  buryClaimed,
  claimDue,
  type ClaimedRow,
  discardClaimed,
  postponeClaimed,
  releaseClaimed,
  withDue,
} from './delivery-store.ts';
import { SMALL_CAP } from './lane.ts';
import type { EndpointRegistry } from './registry.ts';
import { faultWait, isPoison, POISON } from './rules.ts';
import type { Ticket } from './types.ts';

/** Besides the attempt itself: the wait before it and the writing of its outcome. Milliseconds. */
const LEASE_MARGIN_MS = 45_000;
/**
 * Where nothing waited at all, polls look again after this: whoever makes a delivery for now says so, and to plan a look is what costs an
 * idle worker most (0.9 ms of the database, measured with five parts of the table). Milliseconds.
 */
const NOTHING_MS = 2900;
/** Rows per claim (measured: 100–200 is best). */
const CLAIM_ROWS = 200;
export interface ClaimDeps {
  db: Db;
  log: Log;
  clock: Clock;
  nodeId: string;
  /** Longest attempt; a lease outlasts it, so that a live process never loses what it holds. Milliseconds. */
  timeoutMs: number;
  /** Whether this node is one that sends; asks for it. */
  hold: () => Promise<boolean>;
  /** Which state of its holdings this is. */
  holding: () => number | null;
  /** The parts of the fan-out that it holds. */
  parts: () => readonly Part[];
  registry: Pick<EndpointRegistry, 'refresh' | 'get'>;
  loadSecrets: (accountIds: readonly string[]) => Promise<void>;
  submit: (ticket: Ticket) => void;
  /** Our own code failed on a delivery. */
  onFault: () => void;
  /** How many more tickets can be taken on. */
  room: () => number;
  busyEndpoints: () => string[];
  /** Whether an endpoint has all it can take. */
  isBusy: (endpointId: string) => boolean;
  /** How many rows may be claimed for each endpoint that something is under way to or waiting for. */
  claimLimits: () => ReadonlyMap<string, number>;
  /** The monotonic clock. Milliseconds. */
  now?: () => number;
}

/** Takes up what is due to the accounts that this node sends to: retries, replays, what was put off, and what the sender before it left. */
export class Claims {
  readonly #deps: ClaimDeps;
  #isWaiting = false;
  /** When nothing waited at all, and nothing was told of since. */
  #nothingAt = Number.NEGATIVE_INFINITY;
  /** How often something was told of. */
  #words = 0;
  /** Full endpoints that have something due. */
  #full: readonly string[] = [];
  /** Of the claim that is being taken on. */
  readonly #taken = new Set<string>();

  constructor(deps: ClaimDeps) {
    this.#deps = deps;
  }

  /**
   * More may be taken on than was, and now. An endpoint that hangs with a queue behind it is not looked for again with every
   * outcome of others that is written, but when it has room.
   */
  get isWaiting(): boolean {
    return this.#isWaiting || this.#full.some((id) => !this.#deps.isBusy(id));
  }

  /** One that waits was written: the next poll looks, whatever the last one found. */
  expect(): void {
    this.#words++;
    this.#nothingAt = Number.NEGATIVE_INFINITY;
  }

  /** One portion; true when more may be due. `polled`: nobody said that there was anything. */
  async step(polled = false): Promise<boolean> {
    const { db, clock, nodeId } = this.#deps;
    const { now = monotonicNow } = this.#deps;
    // Also when this step fails: the next one is a poll.
    if (!polled) this.expect();
    if (now() - this.#nothingAt < NOTHING_MS) return false;
    if (!(await this.#deps.hold())) return false;
    const holding = this.#deps.holding();
    const limit = Math.min(CLAIM_ROWS, this.#deps.room());
    const busy = this.#deps.busyEndpoints();
    this.#isWaiting = limit === 0;
    this.#full = [];
    if (limit === 0) return false;
    const [words, askedAt] = [this.#words, now()];
    const rows = await claimDue(db, {
      parts: this.#deps.parts(),
      owner: nodeId,
      now: new Date(clock.now()),
      leaseMs: this.#deps.timeoutMs + LEASE_MARGIN_MS,
      limit,
      // As many as may go to one of which nothing is known yet; it is asked for more as soon as it answers.
      perEndpoint: SMALL_CAP,
      limits: this.#deps.claimLimits(),
    });
    if (rows === null) {
      if (words === this.#words) this.#nothingAt = askedAt;
      return false;
    }
    if (rows.length === 0) {
      if (busy.length > 0) this.#full = await withDue(db, nodeId, busy, new Date(clock.now()));
      return false;
    }
    try {
      await this.#takeAll(rows, holding);
    } catch (error) {
      // What was not taken is not ours to keep until the lease ends. Should this fail too, it ends all the same.
      const ids = rows.map((row) => row.id).filter((id) => !this.#taken.has(id));
      await releaseClaimed(db, nodeId, ids).catch(() => undefined);
      throw error;
    } finally {
      this.#taken.clear();
    }
    // Again at once: what is due is found endpoint by endpoint, and those that are full now are left out.
    this.#isWaiting = true;
    return true;
  }

  /** Nothing is taken when a lease was lost since: another node may have sent it, though the lease was had again. */
  async #takeAll(rows: ClaimedRow[], holding: number | null): Promise<void> {
    const { db, clock, log, nodeId, registry } = this.#deps;
    // What was made earlier goes earlier: ids are in the order of creation.
    rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    await registry.refresh();
    const positions = rows.map((r) => r.event_position).filter((p) => p !== null);
    const events = new Map((await findEvents(db, positions)).map((e) => [e.position, e]));
    await this.#deps.loadSecrets([
      ...new Set(rows.map((r) => registry.get(r.endpoint_id)?.accountId).filter((a) => a !== undefined)),
    ]);
    if (this.#deps.holding() !== holding) {
      return releaseClaimed(
        db,
        nodeId,
        rows.map((row) => row.id),
      );
    }
    const outcomes = Map.groupBy(rows, (row) => this.#takeSafely(row, events));
    const now = new Date(clock.now());
    const orphans = (outcomes.get('orphan') ?? []).map((row) => row.id);
    if (orphans.length > 0) await discardClaimed(db, nodeId, orphans, now);
    const { poison = [], fault = [] } = Object.groupBy(outcomes.get('fault') ?? [], (row) =>
      isPoison(row.faults) ? 'poison' : 'fault',
    );
    const faults = fault.map((row) => ({ id: row.id, waitMs: faultWait(row.faults) }));
    if (faults.length > 0) await postponeClaimed(db, nodeId, faults, now);
    const dead = poison.map((row) => row.id);
    if (dead.length === 0) return;
    const deliveryIds = await buryClaimed(db, nodeId, dead, now);
    if (deliveryIds.length > 0) log.error({ deliveryIds }, POISON);
  }

  /** One that cannot be taken (a newer version may know its webhook) is put off, so others go on. */
  #takeSafely(row: ClaimedRow, events: ReadonlyMap<number, LoggedEvent>): 'taken' | 'orphan' | 'fault' {
    this.#taken.add(row.id);
    try {
      return this.#take(row, events) ? 'taken' : 'orphan';
    } catch (error) {
      this.#deps.log.error({ err: error, deliveryId: row.id, webhook: row.webhook }, 'a due delivery cannot be sent');
      this.#deps.onFault();
      return 'fault';
    }
  }

  /** False when there is nowhere to send it any more: the endpoint was deleted while the row was being written. */
  #take(row: ClaimedRow, events: ReadonlyMap<number, LoggedEvent>): boolean {
    const endpoint = this.#deps.registry.get(row.endpoint_id);
    if (!endpoint) return false;
    if (!isWebhookName(row.webhook)) throw new Error('this version does not know the webhook');
    const event = row.event_position === null ? undefined : events.get(row.event_position);
    const body = row.body ?? (event && webhookBody(row.webhook, event.data, event.occurredAt));
    // The log never loses an event, so this is a fault of ours.
    if (body === undefined) throw new Error('its event is not in the log');
    this.#deps.submit({
      deliveryId: row.id,
      endpoint,
      eventId: row.event_id,
      eventPosition: row.event_position,
      webhook: row.webhook,
      body,
      requestId: row.request_id,
      attempt: row.attempts + 1,
      isReplay: row.is_replay,
      isTest: row.event_position === null,
      createdAt: row.created_at.getTime(),
      queuedAt: 0,
      lease: { until: row.lease_until },
      progress: null,
      faults: row.faults,
    });
    return true;
  }
}
