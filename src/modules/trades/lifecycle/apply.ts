import type { EventData } from '../../../contracts/events/index.ts';
import type { Env, Trx } from '../../../platform/db/index.ts';
import type { Events, LoggedEvent } from '../../events/index.ts';
import { insertStep } from './step-store.ts';
import { type StoredTrade, saveTrade } from './trade-store.ts';
import type { Decision, Trade } from './types.ts';

/** What moved a trade. */
export interface Trigger {
  cause: string;
  /** The event that a reaction reacts to, or by which a time began that has run out. */
  event?: { id: string };
  /** Whether the event is kept with the step; one that began a time has its own. */
  isReaction?: boolean;
  reportId?: string;
  /** The account that has reported; in lower case. */
  reporter?: string;
  /** When what is published happened; default: now. */
  at?: Date;
}

type Publish = Events['publish'];

async function publishAll(
  publish: Publish,
  trx: Trx,
  { events, trigger }: { events: Extract<Decision, { trade: Trade }>['events']; trigger: Trigger },
  env: Env,
): Promise<LoggedEvent[]> {
  const logged: LoggedEvent[] = [];
  const { reporter } = trigger;
  // What others get of a report must not lead to who has made it (interface.md §6.7.5): its request has an id that it may have
  // chosen itself, it says when it happened, and the first event of it may be one that they do not see.
  const blameless = { ...env, requestId: `trade-${env.newId()}` };
  for (const { event, data, accountIds, follows } of events) {
    const isOwn = reporter === undefined || accountIds.every((id) => id.toLowerCase() === reporter);
    const [first] = logged;
    const isSeen = isOwn || accountIds.every((id) => first?.accountIds.includes(id.toLowerCase()));
    const causedBy = (follows && isSeen ? first?.id : undefined) ?? trigger.event?.id;
    const options = {
      accountIds,
      ...(causedBy === undefined ? {} : { causedBy }),
      ...(trigger.at === undefined || !isOwn ? {} : { occurredAt: trigger.at }),
    };
    logged.push(await publish(trx, event, data as EventData<typeof event>, options, isOwn ? env : blameless));
  }
  return logged;
}

export interface Applied {
  /** Null: it was done. */
  refused: string | null;
  events: readonly LoggedEvent[];
  trade: Trade;
}

/**
 * Carries out what was decided for a locked trade: its new state, what it publishes and the step that tells of it, in the
 * transaction of what moved it.
 */
export async function applyDecision(
  trx: Trx,
  { trade, decision, trigger }: { trade: StoredTrade; decision: Decision; trigger: Trigger },
  publish: Publish,
  env: Env,
): Promise<Applied> {
  const refused = 'refused' in decision ? decision.refused : null;
  const next = 'refused' in decision ? trade : decision.trade;
  const events = 'refused' in decision ? [] : await publishAll(publish, trx, { events: decision.events, trigger }, env);
  if (!('refused' in decision)) {
    // A time that has begun began with what was just told, or with the event that was reacted to.
    const began = trigger.isReaction ? trigger.event?.id : events[0]?.id;
    const isSameTime = next.dueAt?.getTime() === trade.dueAt?.getTime();
    const dueEventId = next.dueAt === null ? null : isSameTime ? trade.dueEventId : (began ?? null);
    await saveTrade(trx, next, { number: trade.number, now: env.now, dueEventId });
  }
  await insertStep(trx, {
    tradeSessionId: trade.id,
    cause: trigger.cause,
    eventId: trigger.isReaction ? (trigger.event?.id ?? null) : null,
    reportId: trigger.reportId ?? null,
    status: next.status,
    refused,
    requestId: env.requestId,
    at: env.now,
  });
  return { refused, events, trade: next };
}
