import type { EventData } from '../../../contracts/events/index.ts';
import type { TradeDeps } from '../lifecycle/apply.ts';
import { openTrade } from '../lifecycle/decide.ts';
import { ignored, type ReactToAll, stepOf } from './reacting.ts';
import { insertTrades } from '../lifecycle/save-store.ts';
import { insertSteps } from '../lifecycle/step-store.ts';
import { lockNamed, tradeOfOffer } from '../lifecycle/trade-store.ts';

/** Trade session creation: one for an accepted offer, however often its acceptance is told (interface.md §6.7.6). */
export const createSessions =
  (deps: TradeDeps): ReactToAll =>
  async (trx, events, env) => {
    const all = events.map((event) => ({
      event,
      ...openTrade(env.newId(), event.data as EventData<'offer.accepted'>),
    }));
    const ids = await insertTrades(
      trx,
      all.map(({ trade }) => trade),
      env.now,
    );
    const opened = all.filter(({ trade }) => ids.has(trade.id));
    await deps.publishAll(
      trx,
      opened.flatMap(({ event, events: told }) =>
        told.map(({ event: name, data, accountIds }) => ({
          id: env.newId(),
          event: name,
          data: data as Record<string, unknown>,
          accountIds,
          occurredAt: env.now,
          requestId: event.requestId,
          causedBy: event.id,
        })),
      ),
      env,
    );
    await insertSteps(
      trx,
      opened.map(({ event, trade: { id, status } }) =>
        stepOf(event, { tradeSessionId: id, status, refused: null }, env),
      ),
    );
    const others = all.filter(({ trade }) => !ids.has(trade.id));
    // All at once, in their order.
    await lockNamed(
      trx,
      [],
      others.map(({ trade }) => trade.offerId),
    );
    for (const { event, trade } of others) {
      const existing = await tradeOfOffer(trx, trade.offerId);
      const why = 'The offer has this trade session already.';
      if (existing !== null) await ignored(trx, existing, { event, why }, deps, { ...env, requestId: event.requestId });
    }
  };
