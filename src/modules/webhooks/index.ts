import type { Trx } from '../../platform/db/index.ts';
import { type OutboundPolicy, parseTargetUrl } from '../../platform/outbound/index.ts';
import type { Module, Platform } from '../../platform/platform.ts';
import {
  type Accounts,
  accountTypeOf,
  actingAccount,
  countActiveKeys,
  lockAccount,
  visibleAccounts,
} from '../accounts/index.ts';
import type { Events } from '../events/index.ts';
import { sendRoutes } from './afterwards/routes.ts';
import { deadLetterRoutes } from './dead-letters/routes.ts';
import { deliveryRoutes } from './deliveries/routes.ts';
import { openHeaders } from './endpoints/deps.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { subscribedTo } from './endpoints/schemas.ts';
import type { EndpointRow } from './endpoints/store.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import { READER } from './engine/holdings.ts';
import { ENDPOINTS_VERSION, EndpointRegistry } from './engine/registry.ts';
import type { EngineEndpoint } from './engine/types.ts';
import { createFeed, type Feed } from './feed/create-feed.ts';
import type { LifecycleDeps } from './recovery/lifecycle.ts';
import { insightRoutes } from './insights/routes.ts';
import { createJobs } from './jobs/create-jobs.ts';
import type { JobRunner } from './jobs/run-jobs.ts';
import { retentionRoutes } from './retention/routes.ts';
import { routingRoutes } from './routing/routes.ts';
import { Keeper } from './storage/keeper.ts';

export type { DisabledEndpoint } from './recovery/lifecycle.ts';
export { deliveriesOfEvents } from './deliveries/list-deliveries.ts';

/** Bus topic: a delivery became due. */
const DUE_TOPIC = 'webhook-due';
export interface WebhookDeps {
  events: Events;
  accounts: Pick<Accounts, 'cachedSecretsOf' | 'loadSecretsOf' | 'secretsOf'>;
  policy: OutboundPolicy;
  version: string;
  /** Tells whoever has to know that an endpoint was disabled, in the same transaction. */
  tellDisabled: LifecycleDeps['tell'];
  /** For tests: what jitter is made of. */
  random?: () => number;
}

export interface Webhooks {
  module: Module;
  engine: Engine;
  jobs: JobRunner;
  feed: Feed;
}

function toEngine(platform: Platform, policy: OutboundPolicy, row: EndpointRow): EngineEndpoint | null {
  if (row.deleted_at !== null) return null;
  const parsed = parseTargetUrl(row.url, policy);
  const headers = openHeaders(platform, row);
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    target: parsed.ok && headers !== null ? parsed.url : null,
    events: new Set(subscribedTo(row)),
    headers: Object.entries(headers ?? {}).flat(),
    isSealed: headers === null,
    maxInFlight: row.max_in_flight ?? platform.config.WEBHOOK_MAX_IN_FLIGHT,
    ratePerSecond: row.rate_per_second,
    status: row.status,
    failingSince: row.failing_since?.getTime() ?? null,
    disabledFor: row.disabled_for ?? (row.status === 'DISABLED' ? 'GONE' : null),
    probeId: row.probe_id,
    probes: row.probes,
    openedAt: row.opened_at?.getTime() ?? null,
    afterPosition: row.after_position,
    version: row.version,
    ...(row.updated_at > row.created_at ? { changedAt: row.updated_at.getTime() } : {}),
  };
}

/** Outbound webhooks: who is called, and the engine that calls them. */
export function createWebhooks(platform: Platform, deps: WebhookDeps): Webhooks {
  const { db, bus, cipher, config, log } = platform;
  const { accounts, policy } = deps;
  const registry = new EndpointRegistry(db, (row) => toEngine(platform, policy, row));
  const refresh = (): Promise<void> =>
    registry.refresh().catch((error: unknown) => log.error({ err: error }, 'the changed endpoints could not be read'));
  // What waits is looked for once this process knows the endpoint as it is: until then it may put off something more.
  const refreshAndLook = (): Promise<void> => refresh().then(() => engine.wakeUpkeep());
  bus.subscribe(ENDPOINTS_VERSION, () => void refreshAndLook());
  // The caller's reply waits for it: after a 204 to DELETE nothing that is queued here leaves any more.
  const changed = (): Promise<void> => {
    bus.publish(ENDPOINTS_VERSION);
    return refreshAndLook();
  };
  const wakeClaims = (): void => {
    engine.wakeClaims();
    bus.publish(DUE_TOPIC);
  };
  const engine: Engine = createEngine(platform, {
    events: deps.events,
    registry,
    secretsOf: (accountId) => accounts.cachedSecretsOf(accountId),
    loadSecrets: (accountIds) => accounts.loadSecretsOf(accountIds),
    announceDue: wakeClaims,
    endpointsChanged: () => bus.publish(ENDPOINTS_VERSION),
    tellDisabled: deps.tellDisabled,
    policy,
    version: deps.version,
    ...(deps.random ? { random: deps.random } : {}),
  });
  bus.subscribe(DUE_TOPIC, () => engine.wakeClaims());
  const userAgent = `Posthorn/${deps.version}`;
  const jobs = createJobs(platform, {
    visibleAccounts,
    actingAccount,
    accountType: accountTypeOf,
    wakeClaims,
    leads: () => engine.leads(),
  });
  const feed = createFeed(platform, { visibleAccounts, events: deps.events, accounts, userAgent });
  const endpointDeps = {
    cipher,
    log,
    policy,
    maxEndpoints: config.WEBHOOK_MAX_ENDPOINTS,
    actingAccount,
    visibleAccounts,
    accountType: accountTypeOf,
    hasSecret: async (trx: Trx, accountId: string, now: Date) => (await countActiveKeys(trx, accountId, now)) > 0,
    changed,
    wakeClaims,
    disableAfterMs: config.WEBHOOK_DISABLE_AFTER_HOURS * 3_600_000,
  };
  const sendDeps = { visibleAccounts, wakeClaims, retentionDays: config.DELIVERY_RETENTION_DAYS };
  const keeper = new Keeper({
    db,
    clock: platform.clock,
    log,
    reader: READER,
    retentionDays: config.DELIVERY_RETENTION_DAYS,
    deadLetterDays: config.DEAD_LETTER_RETENTION_DAYS,
  });
  const findEndpoint = async (id: string) => {
    await registry.refresh();
    return registry.get(id);
  };
  return {
    module: {
      name: 'webhooks',
      routes: [
        ...endpointRoutes(endpointDeps, 'MERCHANT'),
        ...endpointRoutes(endpointDeps, 'BUSINESS'),
        ...sendRoutes(sendDeps, 'MERCHANT'),
        ...sendRoutes(sendDeps, 'BUSINESS'),
        ...feed.routes,
        ...routingRoutes({ visibleAccounts, retentionDays: config.DELIVERY_RETENTION_DAYS }),
        ...deliveryRoutes({
          visibleAccounts,
          actingAccount,
          findEndpoint,
          canSign: async (accountId) => (await accounts.secretsOf(accountId)).length > 0,
          userAgent,
          retentionDays: config.DELIVERY_RETENTION_DAYS,
          wakeClaims,
        }),
        ...deadLetterRoutes({ visibleAccounts, actingAccount }),
        ...jobs.routes,
        ...retentionRoutes({ accountType: accountTypeOf, lockAccount, usualDays: config.DELIVERY_RETENTION_DAYS }),
        ...insightRoutes({
          reads: platform.reads,
          visibleAccounts,
          actingAccount,
          retentionDays: config.DELIVERY_RETENTION_DAYS,
        }),
      ],
      loops: [...engine.loops, keeper, ...jobs.loops, feed.loop],
      leave: () => feed.seats.close(),
      stop: (ms) => engine.stop(ms),
    },
    engine,
    jobs: jobs.runner,
    feed,
  };
}
