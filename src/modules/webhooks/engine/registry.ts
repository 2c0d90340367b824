import type { WebhookName } from '../../../contracts/events/index.ts';
import { type Db, readVersions } from '../../../platform/db/index.ts';
import { type EndpointRow, selectEndpointsSince } from '../endpoints/store.ts';
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

  constructor(db: Db, toEngine: ToEngine) {
    this.#db = db;
    this.#toEngine = toEngine;
  }

  async refresh(): Promise<void> {
    const version = (await readVersions(this.#db, [ENDPOINTS_VERSION])).get(ENDPOINTS_VERSION) ?? 0;
    if (version === this.#version) return;
    for (const row of await selectEndpointsSince(this.#db, this.#version)) {
      this.#remove(row.id);
      const endpoint = this.#toEngine(row);
      if (!endpoint) continue;
      this.#byId.set(endpoint.id, endpoint);
      const ofAccount = this.#byAccount.get(endpoint.accountId) ?? new Map<string, EngineEndpoint>();
      this.#byAccount.set(endpoint.accountId, ofAccount.set(endpoint.id, endpoint));
    }
    this.#version = Math.max(this.#version, version);
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
  match(accountIds: readonly string[], webhook: WebhookName, position: number, fn: (endpoint: EngineEndpoint) => void): void {
    for (const accountId of accountIds) {
      const endpoints = this.#byAccount.get(accountId);
      if (!endpoints) continue;
      for (const endpoint of endpoints.values()) {
        if (endpoint.events.has(webhook) && endpoint.afterPosition < position) fn(endpoint);
      }
    }
  }
}
