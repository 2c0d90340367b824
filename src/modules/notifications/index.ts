import type { Module } from '../../platform/platform.ts';
import type { Events } from '../events/index.ts';
import { NOTIFYING } from './concerned.ts';
import { reactToEvents } from './react-to-event.ts';
import { type NotificationRoutesDeps, notificationRoutes } from './routes.ts';

export { noticesOfEvents } from './store.ts';

export interface NotificationsDeps extends NotificationRoutesDeps {
  events: Pick<Events, 'react'>;
}

/** What users are told of offers, trades, checkouts and fulfillments. */
export const createNotifications = ({ events, ...deps }: NotificationsDeps): { module: Module } => ({
  module: {
    name: 'notifications',
    routes: notificationRoutes(deps),
    loops: [
      events.react({
        name: 'notifications',
        description: 'Tells each user concerned of offers, trades, checkouts and fulfillments.',
        events: NOTIFYING,
        react: (trx, event, env) => reactToEvents(trx, [event], env),
        reactToAll: reactToEvents,
      }),
    ],
  },
});
