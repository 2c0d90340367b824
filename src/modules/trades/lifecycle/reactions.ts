import type { EventData } from '../../../contracts/events/index.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import { type Events, findEvents, type LoggedEvent, positionsOfTrade, type Reaction } from '../../events/index.ts';
import { applyDecision } from './apply.ts';
import { acceptTrade, adoptTrade, type Around, cancelTrade, openTrade } from './decide.ts';
import { hasStep, insertStep, type Step } from './step-store.ts';
import {
  insertTrade,
  lockSessionId,
  lockTrade,
  originPosition,
  type StoredTrade,
  tradeOfOffer,
} from './trade-store.ts';
import type { Decision } from './types.ts';

export interface TradeDeps {
  publish: Events['publish'];
  /** Milliseconds. */
  times: Pick<Around, 'holdMs' | 'reservationMs'>;
}

type React = Reaction['react'];

/** Skips what was published before this service kept trades. */
function sinceOrigin(react: React): React {
  let origin: number | undefined;
  return async (trx, event, env) => {
    origin ??= await originPosition(trx);
    if (event.position > origin) await react(trx, event, env);
  };
}

const keepStep = (
  trx: Trx,
  { event, ...step }: Pick<Step, 'tradeSessionId' | 'status' | 'refused'> & { event: LoggedEvent },
  { requestId, now: at }: Env,
): Promise<void> => insertStep(trx, { ...step, cause: event.event, eventId: event.id, reportId: null, requestId, at });

/** Keeps with a trade that an event did nothing to it. */
async function ignored(trx: Trx, tradeSessionId: string, event: LoggedEvent, why: string, env: Env): Promise<void> {
  const trade = await lockTrade(trx, tradeSessionId);
  if (!trade) return;
  const decision: Decision = { refused: why };
  const trigger = { cause: event.event, event, isReaction: true };
  // Nothing is published for what is refused.
  await applyDecision(trx, { trade, decision, trigger }, () => Promise.reject(new Error('nothing to publish')), env);
}

/** Trade session creation: one for an accepted offer, however often its acceptance is told (interface.md §6.7.6). */
const createTrade =
  ({ publish }: TradeDeps): React =>
  async (trx, event, env) => {
    const { trade, events } = openTrade(env.newId(), event.data as EventData<'offer.accepted'>);
    if (!(await insertTrade(trx, trade, env.now))) {
      const existing = await tradeOfOffer(trx, trade.offerId);
      if (existing !== null) await ignored(trx, existing, event, 'The offer has this trade session already.', env);
      return;
    }
    const [created] = events;
    if (created) {
      const data = created.data as EventData<'trade.created'>;
      await publish(trx, 'trade.created', data, { accountIds: created.accountIds, causedBy: event.id }, env);
    }
    await keepStep(trx, { tradeSessionId: trade.id, event, status: trade.status, refused: null }, env);
  };

/**
 * Checkout creation: a checkout per side of an accepted trade, and its reservations (interface.md §6.7.6). A session that the
 * marketplace opened itself is taken over with the terms of its acceptance.
 */
const createCheckouts =
  ({ publish, times }: TradeDeps): React =>
  async (trx, event, env) => {
    const terms = event.data as EventData<'trade.accepted'>;
    const trade = (await lockTrade(trx, terms.tradeSessionId)) ?? (await adopt(trx, terms, { publish, times }, env));
    if (!trade) {
      const other = await tradeOfOffer(trx, terms.offerId);
      const why = `The offer has this trade session; ${terms.tradeSessionId} was accepted.`;
      if (other !== null) await ignored(trx, other, event, why, env);
      return;
    }
    const decision = acceptTrade(trade, terms, { now: env.now, newId: env.newId, ...times });
    await applyDecision(
      trx,
      { trade, decision, trigger: { cause: event.event, event, isReaction: true } },
      publish,
      env,
    );
  };

/**
 * Takes over a session that the marketplace opened itself; null: its offer has another one. Its cancellation may have been read
 * already, by a reaction that is ahead of this one: then it begins as cancelled.
 */
async function adopt(
  trx: Trx,
  terms: EventData<'trade.accepted'>,
  { publish }: TradeDeps,
  env: Env,
): Promise<StoredTrade | null> {
  const { tradeSessionId: id } = terms;
  await lockSessionId(trx, id);
  await insertTrade(trx, adoptTrade(terms), env.now);
  const trade = await lockTrade(trx, id);
  if (!trade || !(await hasStep(trx, id, 'trade.cancelled'))) return trade;
  const events = await findEvents(trx, await positionsOfTrade(trx, id));
  const cancelled = events.find((event) => event.event === 'trade.cancelled');
  if (!cancelled) return trade;
  const { reason } = cancelled.data as EventData<'trade.cancelled'>;
  const decision = cancelTrade(trade, reason, { announced: true });
  await applyDecision(trx, { trade, decision, trigger: { cause: 'trade.cancelled' } }, publish, env);
  return lockTrade(trx, id);
}

/** The marketplace cancels a trade, as when a side declines to confirm it: what is open is closed. */
const followCancellation =
  ({ publish }: TradeDeps): React =>
  async (trx, event, env) => {
    const { tradeSessionId, reason } = event.data as EventData<'trade.cancelled'>;
    let trade = await lockTrade(trx, tradeSessionId);
    if (!trade) {
      await lockSessionId(trx, tradeSessionId);
      trade = await lockTrade(trx, tradeSessionId);
    }
    if (!trade) {
      const refused = 'There is no such trade session yet.';
      await keepStep(trx, { tradeSessionId, event, status: 'CANCELLED', refused }, env);
      return;
    }
    if (trade.status === 'CANCELLED') return;
    const decision = cancelTrade(trade, reason, { announced: true });
    await applyDecision(
      trx,
      { trade, decision, trigger: { cause: event.event, event, isReaction: true } },
      publish,
      env,
    );
  };

/** What the module does about events. */
export const tradeReactions = (deps: TradeDeps): Reaction[] => [
  {
    name: 'trade-session-creation',
    description: 'Opens a trade session for each accepted offer.',
    events: ['offer.accepted'],
    react: sinceOrigin(createTrade(deps)),
  },
  {
    name: 'checkout-creation',
    description: 'Opens a checkout for each side of an accepted trade, and reserves its items.',
    events: ['trade.accepted'],
    react: sinceOrigin(createCheckouts(deps)),
  },
  {
    name: 'trade-cancellation',
    description: 'Ends a trade that the marketplace has cancelled, and gives back what it reserved.',
    events: ['trade.cancelled'],
    react: sinceOrigin(followCancellation(deps)),
  },
];
