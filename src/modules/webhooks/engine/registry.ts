import type { WebhookName } from '../../../contracts/events/index.ts';
import { shareRuns } from '../../../lib/share-runs.ts';
import { type Db, readStamp } from '../../../platform/db/index.ts';
import { type EndpointRow, selectEndpointsSince } from '../endpoints/store.ts';
import { mismatch } from './rules.ts';
import type { EngineEndpoint } from './types.ts';

/** Change-version topic of endpoints (platform/db/change-versions.ts). */
export const ENDPOINTS_VERSION = 'webhook-endpoints';

/** Makes the in-memory form of a stored endpoint; null when it is deleted. */
export type ToEngine = (row: EndpointRow) => EngineEndpoint | null;

/**
 * All endpoints in memory, by account. `refresh` asks for one number and fetches only what changed since; a fan-out that
 * calls it after reading its events therefore never misses an endpoint that was created before them, on any node.
 */
export class EndpointRegistry {
  readonly #db: Db;
  readonly #toEngine: ToEngine;
  readonly #byId = new Map<string, EngineEndpoint>();
  readonly #byAccount = new Map<string, Map<string, EngineEndpoint>>();
  #version = -1;
  #stamp = -1;
  readonly #share = shareRuns(() => this.#read());

  constructor(db: Db, toEngine: ToEngine) {
    this.#db = db;
    this.#toEngine = toEngine;
  }

  /** As `refresh`, but without asking the database when nothing has changed up to the change stamps of these. */
  async refreshTo(events: readonly { stamp?: number }[]): Promise<void> {
    if (events.some(({ stamp }) => stamp === undefined || stamp > this.#stamp)) await this.refresh();
  }

  /**
   * Whoever asks gets what is committed now. One reading at a time: an older answer that arrived after a newer one would
   * bring an earlier state back.
   */
  refresh(): Promise<void> {
    return this.#share();
  }

  async #read(): Promise<void> {
    const { stamp, version } = await readStamp(this.#db, ENDPOINTS_VERSION);
    const changed = version === this.#version ? [] : await selectEndpointsSince(this.#db, this.#version);
    for (const row of changed) {
      this.#remove(row.id);
      const endpoint = this.#toEngine(row);
      if (!endpoint) continue;
      this.#byId.set(endpoint.id, endpoint);
      const ofAccount = this.#byAccount.get(endpoint.accountId) ?? new Map<string, EngineEndpoint>();
      this.#byAccount.set(endpoint.accountId, ofAccount.set(endpoint.id, endpoint));
    }
    this.#version = Math.max(this.#version, version);
    this.#stamp = stamp;
  }

  #remove(id: string): void {
    const old = this.#byId.get(id);
    if (!old) return;
    this.#byId.delete(id);
    this.#byAccount.get(old.accountId)?.delete(id);
  }

  get(id: string): EngineEndpoint | undefined {
    return this.#byId.get(id);
  }

  /** Calls `fn` for each endpoint that takes the webhook of an event at this position with this audience. */
  match(
    accountIds: readonly string[],
    webhook: WebhookName,
    position: number,
    fn: (endpoint: EngineEndpoint) => void,
  ): void {
    for (const accountId of accountIds) {
      const endpoints = this.#byAccount.get(accountId);
      if (!endpoints) continue;
      for (const endpoint of endpoints.values()) {
        if (mismatch(endpoint, webhook, position) === null) fn(endpoint);
      }
    }
  }
}
