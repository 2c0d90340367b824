import type { Trx } from '../../platform/db/index.ts';
import { purging } from '../../platform/loop/purging.ts';
import type { Module, Platform } from '../../platform/platform.ts';
import type { Events } from '../events/index.ts';
import { NOTIFYING } from './concerned.ts';
import { createMails } from './mails/create-mails.ts';
import type { MailRunner, MailRunnerDeps } from './mails/mail-runner.ts';
import { deleteGivenUp } from './mails/store.ts';
import { reactToEvents } from './react-to-event.ts';
import { type DirectNotice, tellUsers } from './tell-users.ts';
import { type NotificationRoutesDeps, notificationRoutes } from './routes.ts';

export { noticesOfEvents } from './store.ts';

export interface NotificationsDeps extends NotificationRoutesDeps, Pick<MailRunnerDeps, 'recipientOf'> {
  events: Pick<Events, 'react'>;
}

export interface Notifications {
  module: Module;
  /** null: no mail server is set. */
  mails: MailRunner | null;
  /** Tells each of these users of something that is no event of the log: once if `trx` is committed. */
  tell(trx: Trx, users: readonly string[], notice: Omit<DirectNotice, 'newId' | 'mailsQueued'>): Promise<void>;
}

/** What users are told of offers, trades, checkouts and fulfillments. */
export function createNotifications(platform: Platform, deps: NotificationsDeps): Notifications {
  const mails = createMails(platform, deps.recipientOf);
  const told = { leastTime: platform.leastTime, mailsQueued: mails?.wake };
  const reaction = deps.events.react({
    name: 'notifications',
    description: 'Tells each user concerned of offers, trades, checkouts and fulfillments.',
    events: NOTIFYING,
    react: (trx, event, env) => reactToEvents(trx, [event], env, told),
    reactToAll: (trx, events, env) => reactToEvents(trx, events, env, told),
  });
  const { db, config } = platform;
  const purge = purging({
    name: 'notifications.purge-mails',
    db,
    days: config.RECORD_RETENTION_DAYS,
    remove: (before, portion) => deleteGivenUp(db, before, portion),
  });
  return {
    module: {
      name: 'notifications',
      routes: notificationRoutes(deps),
      loops: [reaction, purge, ...(mails ? [mails.loop] : [])],
      ...(mails ? { stop: (ms: number) => mails.runner.stop(ms) } : {}),
    },
    mails: mails?.runner ?? null,
    tell: (trx, users, notice) =>
      tellUsers(trx, users, { ...notice, newId: platform.newId, ...(mails ? { mailsQueued: mails.wake } : {}) }),
  };
}
