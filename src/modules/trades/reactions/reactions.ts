import type { EventData } from '../../../contracts/events/index.ts';
import type { Reaction } from '../../events/index.ts';
import { applyDecision, type TradeDeps } from '../lifecycle/apply.ts';
import { createCheckouts } from './create-checkouts.ts';
import { createSessions } from './create-sessions.ts';
import { cancelTrade } from '../lifecycle/decide.ts';
import { oneByOne, type React, type ReactToAll, sinceOrigin, stepOf } from './reacting.ts';
import { insertSteps } from '../lifecycle/step-store.ts';
import { lockNamed, lockSessionId } from '../lifecycle/trade-store.ts';

/** The marketplace cancels a trade, as when a side declines to confirm it: what is open is closed. */
const followCancellation =
  ({ publishAll }: TradeDeps): React =>
  async (trx, event, env) => {
    const { tradeSessionId, reason } = event.data as EventData<'trade.cancelled'>;
    const lock = async () => (await lockNamed(trx, [tradeSessionId]))(tradeSessionId);
    let trade = await lock();
    if (!trade) {
      await lockSessionId(trx, tradeSessionId);
      trade = await lock();
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

/** Many cancellations, each by itself; locked in the order in which checkout creation does it, or the two would often deadlock. */
const followCancellations =
  (deps: TradeDeps): ReactToAll =>
  async (trx, events, env) => {
    const ids = events.map((event) => (event.data as EventData<'trade.cancelled'>).tradeSessionId);
    if (events.length > 1) await lockNamed(trx, ids);
    await oneByOne(followCancellation(deps))(trx, events, env);
  };

/** The reaction that ends trades. */
export const TRADE_CANCELLATION = 'trade-cancellation';

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
    name: TRADE_CANCELLATION,
    description:
      'Ends a trade that the marketplace has cancelled, and gives back what it reserved and nobody has handed over.',
    events: ['trade.cancelled'],
    publishes: true,
    ...sinceOrigin(followCancellations(deps)),
  },
];
