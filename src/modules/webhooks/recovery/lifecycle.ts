import type { Clock } from '../../../lib/clock.ts';
import { bumpVersion, type Db, type Env, inTransaction, type Trx } from '../../../platform/db/index.ts';
import type { Log } from '../../../platform/log/log.ts';
import { recordAct } from '../endpoints/record-endpoint.ts';
import type { HealthBook } from '../health/health-book.ts';
import { ENDPOINTS_VERSION, type EndpointRegistry } from '../engine/registry.ts';
import type { EngineEndpoint, Result } from '../engine/types.ts';
import { areSomeHidden } from '../storage/taking-off-store.ts';
import { attemptsBeforeProbe, type DisabledFor, type Meaning, meaningOf, probeWait } from './rules.ts';
import * as store from './store.ts';

/** Probes that are begun with one step, and endpoints that are marked with one. */
const PORTION = 100;

/** What happened to an endpoint. */
export const ENDPOINT_CHANGES = ['disabled', 'opened', 'probed'] as const;
export type EndpointChange = (typeof ENDPOINT_CHANGES)[number];

/** An endpoint that was disabled, for whoever tells its owners. */
export interface DisabledEndpoint {
  id: string;
  accountId: string;
  url: string;
  disabledFor: DisabledFor;
  failingSince: Date | null;
}

export interface LifecycleDeps {
  db: Db;
  clock: Clock;
  newId: () => string;
  log: Log;
  registry: Pick<EndpointRegistry, 'get' | 'refresh'>;
  book: Pick<HealthBook, 'failing'>;
  /** Whether this node is one that sends; asks for it. */
  hold: () => Promise<boolean>;
  /** Whether it is the one that sends to this account. */
  maySend: (accountId: string) => boolean;
  /** Whether it is the one of them that begins probes. */
  leads: () => boolean;
  /** Endpoints were changed: other nodes look. */
  changed: () => void;
  /** An endpoint is open again, and this process knows it, unless it could not be read: what was held for it may go. */
  opened: () => void;
  /** Deliveries became due. */
  wakeClaims: () => void;
  /** Tells whoever has to know, in the transaction that disables it. */
  tell: (trx: Trx, endpoint: DisabledEndpoint, now: Date) => Promise<void>;
  count: (change: EndpointChange) => void;
  disableAfterMs: number;
  probeEveryMs: number;
}

/**
 * Disables endpoints from which nothing but failures came back, and opens them again once one held delivery has arrived
 * (docs/adr/0022). Only the node that sends to an endpoint decides, and each decision is one transaction.
 */
export class Lifecycle {
  readonly #deps: LifecycleDeps;
  /** One decision per endpoint at a time, however many of its requests end together. */
  readonly #deciding = new Map<string, Promise<void>>();

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
  }

  /**
   * Null: the outcome means nothing for its endpoint. Else what is to be written of it, once what it means is committed: so a
   * process that is killed in between sends again and finds out again.
   */
  settle(result: Result): Promise<Result> | null {
    const { registry, disableAfterMs } = this.#deps;
    const { id } = result.ticket.endpoint;
    const endpoint = registry.get(id);
    const meaning = endpoint ? meaningOf(endpoint, result, disableAfterMs) : null;
    if (!meaning && result.disable === null) return null;
    // Held only if the endpoint is closed: else what looks held for an active endpoint would be made due again.
    return this.#decideOnce(meaning, endpoint, result).then(() => this.#asOfNow(meaning, result));
  }

  async #decideOnce(meaning: Meaning | null, endpoint: EngineEndpoint | undefined, result: Result): Promise<void> {
    const id = result.ticket.endpoint.id;
    const running = this.#deciding.get(id);
    if (running) return running;
    if (!meaning || !endpoint) return;
    const { log } = this.#deps;
    const mine = this.#carryOut(meaning, endpoint, result)
      .catch((error: unknown) => log.error({ err: error, endpointId: id, meaning }, 'an endpoint could not be changed'))
      .finally(() => this.#deciding.delete(id));
    this.#deciding.set(id, mine);
    return mine;
  }

  #asOfNow(meaning: Meaning | null, result: Result): Result {
    const isActive = this.#deps.registry.get(result.ticket.endpoint.id)?.status === 'ACTIVE';
    if (meaning === 'PROBE_BAD' && result.status === 'PENDING' && !isActive)
      return { ...result, status: 'HELD', nextAttemptAt: null };
    if (result.status === 'HELD' && isActive && result.disable !== null)
      return { ...result, status: 'PENDING', nextAttemptAt: result.at };
    return result;
  }

  async #carryOut(meaning: Meaning, endpoint: EngineEndpoint, result: Result): Promise<void> {
    const isOpened = await this.#decide(meaning, endpoint, result);
    const { registry, log, opened } = this.#deps;
    await registry
      .refresh()
      .catch((error: unknown) =>
        log.warn({ err: error, endpointId: endpoint.id }, 'a changed endpoint could not be read; it is tried again'),
      );
    if (isOpened) opened();
  }

  /** Whether it opened the endpoint. */
  async #decide(meaning: Meaning, endpoint: EngineEndpoint, result: Result): Promise<boolean> {
    if (meaning === 'PROBE_GOOD') return this.#open(endpoint, result.ticket.deliveryId);
    if (meaning === 'GONE' || meaning === 'FAILING') await this.#disable(meaning, endpoint);
    else if (meaning === 'RECOVERED') await this.#change((trx, change) => store.clearFailing(trx, endpoint, change));
    else await this.#endProbe(endpoint, result, meaning === 'PROBE_BAD');
    return false;
  }

  async #open(endpoint: EngineEndpoint, deliveryId: string): Promise<boolean> {
    const { log, count } = this.#deps;
    const opened = await this.#change(async (trx, change) => {
      const row = await store.open(trx, endpoint, change, deliveryId);
      if (row) await recordAct(trx, { action: 'endpoint.opened' }, row, this.#env(change.now));
      return row;
    });
    if (!opened) return false;
    log.warn({ endpointId: endpoint.id, deliveryId }, 'a disabled endpoint is well again: it is open');
    count('opened');
    return true;
  }

  async #disable(disabledFor: DisabledFor, endpoint: EngineEndpoint): Promise<void> {
    const { clock, tell, log, count, probeEveryMs } = this.#deps;
    const since = endpoint.failingSince === null ? '' : ` since ${new Date(endpoint.failingSince).toISOString()}`;
    const reason = disabledFor === 'GONE' ? 'the receiver answered 410 Gone' : `nothing but failures${since}`;
    const probeAt = disabledFor === 'GONE' ? null : new Date(clock.now() + probeEveryMs);
    const disabled = await this.#change(async (trx, change) => {
      const row = await store.disable(trx, endpoint, change, { disabledFor, reason, probeAt });
      if (!row) return null;
      await recordAct(trx, { action: 'endpoint.disabled', after: { reason } }, row, this.#env(change.now));
      await tell(trx, { ...row, disabledFor }, change.now);
      return row;
    });
    if (!disabled) return;
    log.warn({ endpointId: endpoint.id, accountId: endpoint.accountId, reason }, 'an endpoint was disabled');
    count('disabled');
  }

  async #endProbe(endpoint: EngineEndpoint, { ticket, disable }: Result, failed: boolean): Promise<void> {
    const { clock, probeEveryMs, log, count } = this.#deps;
    const isGone = disable !== null || endpoint.disabledFor === 'GONE';
    const wait = probeWait(endpoint.probes + (failed ? 1 : 0), probeEveryMs);
    const ended = {
      probeId: ticket.deliveryId,
      probeAt: isGone ? null : new Date(clock.now() + wait),
      failed,
      gone: disable,
    };
    await this.#change((trx, change) => store.endProbe(trx, endpoint, change, ended));
    log.info({ endpointId: endpoint.id, deliveryId: ticket.deliveryId, failed }, 'a disabled endpoint stays closed');
    if (failed) count('probed');
  }

  /** One portion of what time brings: since when endpoints fail, and probes. True when more may be due. */
  async step(): Promise<boolean> {
    const { db, clock, registry, hold, leads, wakeClaims } = this.#deps;
    if (!(await hold())) return false;
    // Where no word of others arrives, nothing else looks for what became of an endpoint while no event and no due delivery comes.
    await registry.refresh();
    await this.#markFailing();
    if (!leads()) return false;
    const now = new Date(clock.now());
    for (const lost of await this.#lostProbes(now))
      await this.#change((trx, change) =>
        store.endProbe(trx, lost, change, { probeId: lost.probeId, probeAt: now, failed: false, gone: null }),
      );
    const due = await store.selectDueProbes(db, {
      now,
      attempts: attemptsBeforeProbe(false),
      attemptsIfAsked: attemptsBeforeProbe(true),
      limit: PORTION,
    });
    for (const probe of due) await this.#change((trx, change) => store.beginProbe(trx, probe, change));
    if (due.length === 0) return false;
    await registry.refresh();
    wakeClaims();
    return due.length === PORTION;
  }

  /** One whose delivery is out of sight is not lost. */
  #lostProbes(now: Date): ReturnType<typeof store.selectLostProbes> {
    return inTransaction(this.#deps.db, async (trx) =>
      (await areSomeHidden(trx)) ? [] : store.selectLostProbes(trx, now),
    );
  }

  async #markFailing(): Promise<void> {
    const { book, registry, clock, maySend } = this.#deps;
    const found: (EngineEndpoint & { since: number })[] = [];
    for (const [id, { url, since }] of book.failing(clock.now())) {
      const endpoint = registry.get(id);
      if (!endpoint || !maySend(endpoint.accountId)) continue;
      if (endpoint.failingSince !== null || endpoint.status === 'DISABLED' || endpoint.url !== url) continue;
      // What came back before it was opened again is over.
      found.push({ ...endpoint, since: Math.max(since, endpoint.openedAt ?? 0) });
    }
    if (found.length === 0) return;
    await this.#change((trx, { version }) => store.markFailing(trx, found, version));
    await registry.refresh();
  }

  /** Nobody asks for what is decided here. */
  #env(now: Date): Env {
    return { now, newId: this.#deps.newId, requestId: '' };
  }

  /** In one transaction, under a version of its own. */
  async #change<T>(fn: (trx: Trx, change: { version: number; now: Date }) => Promise<T>): Promise<T> {
    const { db, clock, changed } = this.#deps;
    const done = await inTransaction(db, async (trx) =>
      fn(trx, { version: await bumpVersion(trx, ENDPOINTS_VERSION), now: new Date(clock.now()) }),
    );
    changed();
    return done;
  }
}
