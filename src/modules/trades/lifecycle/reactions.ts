import type { EventData } from '../../../contracts/events/index.ts';
import type { Reaction } from '../../events/index.ts';
import { applyDecision } from './apply.ts';
import { createCheckouts } from './create-checkouts.ts';
import { createSessions } from './create-sessions.ts';
import { cancelTrade } from './decide.ts';
import { oneByOne, type React, sinceOrigin, stepOf, type TradeDeps } from './reacting.ts';
import { insertSteps } from './step-store.ts';
import { lockSessionId, lockTrade } from './trade-store.ts';

export type { TradeDeps } from './reacting.ts';

/** The marketplace cancels a trade, as when a side declines to confirm it: what is open is closed. */
const followCancellation =
  ({ publishAll }: TradeDeps): React =>
  async (trx, event, env) => {
    const { tradeSessionId, reason } = event.data as EventData<'trade.cancelled'>;
    let trade = await lockTrade(trx, tradeSessionId);
    if (!trade) {
      await lockSessionId(trx, tradeSessionId);
      trade = await lockTrade(trx, tradeSessionId);
    }
    if (!trade) {
      const refused = 'There is no such trade session yet.';
      await insertSteps(trx, [stepOf(event, { tradeSessionId, status: 'CANCELLED', refused }, env)]);
      return;
    }
    if (trade.status === 'CANCELLED') return;
    const decision = cancelTrade(trade, reason, { announced: true });
    await applyDecision(
      trx,
      { trade, decision, trigger: { cause: event.event, event, isReaction: true } },
      publishAll,
      env,
    );
  };

/** What the module does about events. */
export const tradeReactions = (deps: TradeDeps): Reaction[] => [
  {
    name: 'trade-session-creation',
    description: 'Opens a trade session for each accepted offer.',
    events: ['offer.accepted'],
    publishes: true,
    ...sinceOrigin(createSessions(deps)),
  },
  {
    name: 'checkout-creation',
    description: 'Opens a checkout for each side of an accepted trade, and reserves its items.',
    events: ['trade.accepted'],
    publishes: true,
    ...sinceOrigin(createCheckouts(deps)),
  },
  {
    name: 'trade-cancellation',
    description: 'Ends a trade that the marketplace has cancelled, and gives back what it reserved.',
    events: ['trade.cancelled'],
    react: sinceOrigin(oneByOne(followCancellation(deps))).react,
  },
];
