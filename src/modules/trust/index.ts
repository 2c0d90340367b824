import type { Module, Platform } from '../../platform/platform.ts';
import type { Events } from '../events/index.ts';
import { changeReputations } from './change-reputations.ts';
import { evaluateEvents } from './evaluate-events.ts';
import { fraudLimits } from './fraud-rules.ts';
import { purgeFacts } from './purge-facts.ts';
import { SCORING } from './reputation-rules.ts';
import { deleteReputations } from './reputation-store.ts';
import { type TrustRoutesDeps, trustRoutes } from './routes.ts';

export { changesOfEvents } from './reputation-store.ts';

export interface TrustDeps extends TrustRoutesDeps {
  events: Pick<Events, 'publishAll' | 'react'>;
}

/** Fraud evaluation and reputation. */
export function createTrust(platform: Platform, { events, ...deps }: TrustDeps): { module: Module } {
  const evaluate = evaluateEvents({
    publishAll: events.publishAll,
    limits: fraudLimits(platform.config),
    leastTime: platform.leastTime,
  });
  return {
    module: {
      name: 'trust',
      routes: trustRoutes(deps),
      loops: [
        events.react({
          name: 'fraud-evaluation',
          description: 'Looks for fraud in offers and flags, and publishes what it finds as fraud_signal.detected.',
          events: ['offer.created', 'moderation.flagged'],
          publishes: true,
          react: (trx, event, env) => evaluate(trx, [event], env),
          reactToAll: evaluate,
        }),
        events.react({
          name: 'reputation',
          description: 'Keeps the score of each user, with the changes that made it.',
          events: SCORING,
          react: (trx, event) => changeReputations(trx, [event]),
          reactToAll: changeReputations,
          reset: deleteReputations,
        }),
        purgeFacts(platform),
      ],
    },
  };
}
