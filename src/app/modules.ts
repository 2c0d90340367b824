import type { OutboundPolicy } from '../platform/outbound/index.ts';
import type { Module, Platform } from '../platform/platform.ts';
import {
  type Accounts,
  actingAccount,
  createAccounts,
  findOrCreateAuthor,
  marketplaceId,
  marketplaceIds,
  membersAndOperators,
  visibleAccounts,
} from '../modules/accounts/index.ts';
import { createBlog } from '../modules/blog/index.ts';
import { createChanges } from '../modules/changes/index.ts';
import { createEvents, type Events } from '../modules/events/index.ts';
import { createNotifications, noticesOfEvents, type Notifications } from '../modules/notifications/index.ts';
import { createSite } from '../modules/site/index.ts';
import { createSystem } from '../modules/system/index.ts';
import { createTrades } from '../modules/trades/index.ts';
import { changesOfEvents, createTrust } from '../modules/trust/index.ts';
import { createWebhooks, deliveriesOfEvents, type Webhooks } from '../modules/webhooks/index.ts';
import { disabledNotice } from './disabled-notice.ts';
import { createMaintenance } from './maintenance.ts';
import { VERSION } from './version.ts';

export interface Modules {
  accounts: Accounts;
  events: Events;
  notifications: Notifications;
  webhooks: Webhooks;
  all: readonly Module[];
}

/** The table of contents of the system: which modules there are, and who knows whom. */
export function createModules(
  platform: Platform,
  policy: OutboundPolicy,
  options: { random?: () => number } = {},
): Modules {
  const accounts = createAccounts(platform);
  const events = createEvents(platform, {
    missingAccounts: (db, ids) => accounts.missingAccounts(db, ids),
    visibleAccounts,
    actingAccount,
  });
  const blog = createBlog(platform, { findOrCreateAuthor, publish: events.publish, marketplaceId });
  const notifications = createNotifications(platform, {
    events,
    marketplaceIds,
    recipientOf: (db, id) => accounts.mailRecipient(db, id),
  });
  const trust = createTrust(platform, { events, visibleAccounts, marketplaceIds });
  const trades = createTrades(platform, {
    events,
    secretsOf: (accountId) => accounts.secretsOf(accountId),
    visibleAccounts,
    actingAccount,
    deliveriesOfEvents: (db, of, limit) =>
      deliveriesOfEvents(db, { ...of, retentionDays: platform.config.DELIVERY_RETENTION_DAYS }, limit),
    noticesOfEvents,
    changesOfEvents,
  });
  const webhooks = createWebhooks(platform, {
    events,
    accounts,
    policy,
    version: VERSION,
    async tellDisabled(trx, endpoint, now) {
      const users = await membersAndOperators(trx, endpoint.accountId);
      const text = disabledNotice(endpoint);
      await notifications.tell(trx, users, { about: 'webhook_endpoint.disabled', endpoint, text, now });
    },
    ...options,
  });
  const site = createSite(platform, { blog: blog.pages, readers: accounts.readers });
  return {
    accounts,
    events,
    notifications,
    webhooks,
    all: [
      accounts.module,
      createChanges(platform, { actingAccount, accountType: (db, id) => accounts.accountType(db, id) }),
      createSystem(platform, { version: VERSION }),
      events.module,
      blog.module,
      notifications.module,
      trades.module,
      trust.module,
      webhooks.module,
      site.module,
      createMaintenance(platform),
    ],
  };
}
