import type { Env, Trx } from '../../../platform/db/index.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Events, NewEvent } from '../../events/index.ts';
import type { Around } from './decide.ts';
import { saveTrades } from './save-store.ts';
import { insertSteps, type Step } from './step-store.ts';
import type { StoredTrade } from './trade-store.ts';
import type { Consequence, Decision, Trade } from './types.ts';

/** What moves trades on. */
export interface TradeDeps {
  publishAll: Events['publishAll'];
  /** Milliseconds. */
  times: Pick<Around, 'holdMs' | 'reservationMs'>;
  latestTime: Platform['latestTime'];
}

/** What a decision needs besides the trade. A time that begins does so by the later of both clocks: another node may look at its end. */
export const aroundNow = async (
  { times, latestTime }: TradeDeps,
  trx: Trx,
  { newId }: Pick<Env, 'newId'>,
): Promise<Around> => ({ ...times, newId, now: new Date(await latestTime(trx)) });

/** What moved a trade. */
export interface Trigger {
  cause: string;
  /** The event that a reaction reacts to, or by which a time began that has run out. */
  event?: { id: string };
  /** Of a time that has run out: who sees the event by which it began; in lower case. */
  seenBy?: readonly string[];
  /** Whether the event is kept with the step; one that began a time has its own. */
  isReaction?: boolean;
  reportId?: string;
  /** The account that has reported; in lower case. */
  reporter?: string;
  /** When what is published happened; default: now. */
  at?: Date;
}

/** What a decision publishes, with ids of its own, so that the first can be named by those that follow from it. */
function publications(events: readonly Consequence[], trigger: Trigger, env: Env): NewEvent[] {
  const { reporter, seenBy } = trigger;
  // What others get of a report must not lead to who has made it (interface.md §6.7.5): its request has an id that it may have
  // chosen itself, it says when it happened, and the first event of it may be one that they do not see.
  const blameless = `trade-${env.newId()}`;
  const seenOf = new Set(events[0]?.accountIds.map((id) => id.toLowerCase()));
  const ids = events.map(() => env.newId());
  return events.map(({ event, data, accountIds, follows }, i) => {
    const audience = accountIds.map((id) => id.toLowerCase());
    const isOwn = reporter === undefined || audience.every((id) => id === reporter);
    const first = i > 0 && follows && (isOwn || audience.every((id) => seenOf.has(id))) ? ids[0] : undefined;
    // A hold begins with a payment, whose moment its id tells. Both sides see that there is a hold, and when it ends; the payment only its own.
    const isSeen = seenBy === undefined || audience.every((id) => seenBy.includes(id));
    return {
      id: ids[i] as string,
      event,
      data: data,
      accountIds,
      occurredAt: (isOwn ? trigger.at : undefined) ?? env.now,
      requestId: isOwn ? env.requestId : blameless,
      causedBy: first ?? (isSeen ? trigger.event?.id : undefined) ?? null,
    };
  });
}

/** A locked trade, what was decided about it, and what moved it. */
export interface Change {
  trade: StoredTrade;
  decision: Decision;
  trigger: Trigger;
  requestId: string;
}

export interface Applied {
  /** Null: it was done. */
  refused: string | null;
  /** What was published. */
  events: readonly NewEvent[];
  trade: Trade;
}

function planned({ trade, decision, trigger, requestId }: Change, env: Omit<Env, 'requestId'>) {
  const refused = 'refused' in decision ? decision.refused : null;
  const next = 'refused' in decision ? trade : decision.trade;
  const events = 'refused' in decision ? [] : publications(decision.events, trigger, { ...env, requestId });
  // A time that has begun began with what was just told, or with the event that was reacted to.
  const began = trigger.isReaction ? trigger.event?.id : events[0]?.id;
  const isSameTime = next.dueAt?.getTime() === trade.dueAt?.getTime();
  const step: Step = {
    tradeSessionId: trade.id,
    cause: trigger.cause,
    eventId: trigger.isReaction ? (trigger.event?.id ?? null) : null,
    reportId: trigger.reportId ?? null,
    status: next.status,
    refused,
    requestId,
    at: env.now,
  };
  const dueEventId = next.dueAt === null ? null : isSameTime ? trade.dueEventId : (began ?? null);
  return { applied: { refused, events, trade: next }, step, saved: { before: trade, next, dueEventId } };
}

/**
 * Carries out what was decided for locked trades, each of them once: their new states, what they publish and the steps that tell of it,
 * in the transaction of what moved them, by as many statements as for one.
 */
export async function applyDecisions(
  trx: Trx,
  changes: readonly Change[],
  publishAll: Events['publishAll'],
  env: Omit<Env, 'requestId'>,
): Promise<Applied[]> {
  const plans = changes.map((change) => planned(change, env));
  const done = plans.filter(({ applied }) => applied.refused === null);
  await publishAll(
    trx,
    done.flatMap(({ applied }) => applied.events),
    env,
  );
  await saveTrades(
    trx,
    done.map(({ saved }) => saved),
    env.now,
  );
  await insertSteps(
    trx,
    plans.map(({ step }) => step),
  );
  return plans.map(({ applied }) => applied);
}

/** `applyDecisions` for one. */
export async function applyDecision(
  trx: Trx,
  change: Omit<Change, 'requestId'>,
  publishAll: Events['publishAll'],
  env: Env,
): Promise<Applied> {
  const [applied] = await applyDecisions(trx, [{ ...change, requestId: env.requestId }], publishAll, env);
  return applied as Applied;
}
