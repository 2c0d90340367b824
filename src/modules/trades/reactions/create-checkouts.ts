import type { EventData } from '../../../contracts/events/index.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { getEvent, type LoggedEvent } from '../../events/index.ts';
import { applyDecision, applyDecisions, aroundNow, type Change, type TradeDeps } from '../lifecycle/apply.ts';
import { acceptTrade, adoptTrade, type Around, cancelTrade } from '../lifecycle/decide.ts';
import { ignored, type React, type ReactToAll } from './reacting.ts';
import { insertTrade } from '../lifecycle/save-store.ts';
import { eventOfStep } from '../lifecycle/step-store.ts';
import {
  lockNamed,
  lockOffers,
  lockSessionId,
  lockTrade,
  type StoredTrade,
  tradeOfOffer,
} from '../lifecycle/trade-store.ts';

/** What becomes of a trade that was accepted. */
function accepted(trade: StoredTrade, event: LoggedEvent, around: Around): Change {
  const decision = acceptTrade(trade, event.data as EventData<'trade.accepted'>, around);
  return { trade, decision, trigger: { cause: event.event, event, isReaction: true }, requestId: event.requestId };
}

/** Checkout creation of a trade by itself: of a session that the marketplace has opened, or that was accepted before. */
const createAlone =
  (deps: TradeDeps): React =>
  async (trx, event, env) => {
    const terms = event.data as EventData<'trade.accepted'>;
    const { tradeSessionId } = terms;
    const trade = (await lockNamed(trx, [tradeSessionId]))(tradeSessionId) ?? (await adopt(trx, terms, deps, env));
    if (trade) {
      await applyDecisions(trx, [accepted(trade, event, await aroundNow(deps, trx, env))], deps.publishAll, env);
      return;
    }
    const other = await tradeOfOffer(trx, terms.offerId);
    const why = `The offer has this trade session; ${tradeSessionId} was accepted.`;
    if (other !== null) await ignored(trx, other, { event, why }, deps, env);
  };

/**
 * Checkout creation: a checkout per side of an accepted trade, and its reservations (interface.md §6.7.6). A session that the
 * marketplace opened itself is taken over with the terms of its acceptance. In the order of the log: the first acceptances of
 * known sessions are done together, as far as none between them needs to be done by itself.
 */
export const createCheckouts =
  (deps: TradeDeps): ReactToAll =>
  async (trx, events, env) => {
    const idOf = (event: LoggedEvent): string => (event.data as EventData<'trade.accepted'>).tradeSessionId;
    const offerIds = events.map((event) => (event.data as EventData<'trade.accepted'>).offerId);
    await lockOffers(trx, offerIds);
    // Those of the offers as well: what another session of theirs has to be told is told below.
    const named = await lockNamed(trx, events.map(idOf), offerIds);
    const moved = new Set<string>();
    const around = await aroundNow(deps, trx, env);
    let changes: Change[] = [];
    const apply = async (): Promise<void> => {
      await applyDecisions(trx, changes, deps.publishAll, env);
      changes = [];
    };
    for (const event of events) {
      const trade = named(idOf(event));
      if (trade && !moved.has(trade.id)) {
        changes.push(accepted(trade, event, around));
        moved.add(trade.id);
      } else {
        await apply();
        await createAlone(deps)(trx, event, { ...env, requestId: event.requestId });
      }
    }
    await apply();
  };

/**
 * Takes over a session that the marketplace opened itself; null: its offer has another one. Its cancellation may have been read
 * already, by a reaction that is ahead of this one: then it begins as cancelled.
 */
async function adopt(
  trx: Trx,
  terms: EventData<'trade.accepted'>,
  { publishAll }: TradeDeps,
  env: Env,
): Promise<StoredTrade | null> {
  const { tradeSessionId: id } = terms;
  await lockSessionId(trx, id);
  await insertTrade(trx, adoptTrade(terms), env.now);
  const trade = await lockTrade(trx, id);
  const cancellation = await eventOfStep(trx, id, 'trade.cancelled');
  if (!trade || cancellation === null) return trade;
  const { reason } = (await getEvent(trx, cancellation, 'all')).data as EventData<'trade.cancelled'>;
  const decision = cancelTrade(trade, reason, { announced: true });
  await applyDecision(trx, { trade, decision, trigger: { cause: 'trade.cancelled' } }, publishAll, env);
  return lockTrade(trx, id);
}
