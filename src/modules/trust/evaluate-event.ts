import type { EventData } from '../../contracts/events/index.ts';
import type { Env, Trx } from '../../platform/db/index.ts';
import type { Events, LoggedEvent } from '../events/index.ts';
import {
  type Finding,
  type FraudLimits,
  type Happening,
  type Limit,
  offerVelocity,
  priceDeviation,
  repeatedFlags,
  type Rule,
} from './fraud-rules.ts';
import {
  type Fact,
  happeningOf,
  insertFact,
  insertSignal,
  isSignalledAround,
  selectFactsAround,
} from './fraud-store.ts';
import { evaluatedSince } from './purge-facts.ts';

/** Neighbours that are looked at on each side; not below the largest count that a setting allows, or a burst went unseen. */
const NEIGHBOURS = 1000;

export interface EvaluationDeps {
  publish: Events['publish'];
  limits: FraudLimits;
}

function factOf({ id, event, data, occurredAt }: LoggedEvent): Fact | null {
  if (event === 'offer.created') {
    const { initiator } = data as EventData<'offer.created'>;
    return { eventId: id, kind: 'OFFER', userId: initiator.userId, reporterId: null, occurredAt };
  }
  const { targetUserId, reporterUserId: reporterId = null } = data as EventData<'moderation.flagged'>;
  return targetUserId === undefined
    ? null
    : { eventId: id, kind: 'FLAG', userId: targetUserId, reporterId, occurredAt };
}

/**
 * Fraud evaluation: remembers an offer or a flag and publishes a signal for each rule that it fulfils. An event is evaluated
 * once, however often the log is read; one that happened so long ago that its neighbours are forgotten, never. A rule that
 * counts is signalled for a user at most once within the time over which it counts.
 */
export const evaluateEvent =
  ({ publish, limits }: EvaluationDeps) =>
  async (trx: Trx, event: LoggedEvent, env: Env): Promise<void> => {
    const fact = factOf(event);
    if (fact === null || fact.occurredAt < evaluatedSince(fact.kind, env.now)) return;
    if (!(await insertFact(trx, fact))) return;

    const signal = async (rule: Rule, finding: Finding | null): Promise<void> => {
      if (finding === null || !(await insertSignal(trx, rule, fact))) return;
      const data = { userId: fact.userId, rule, ...finding };
      await publish(trx, 'fraud_signal.detected', data, { accountIds: [], causedBy: event.id }, env);
    };
    const count = async (
      rule: Rule,
      decide: (happenings: Happening[], eventId: string, limit: Limit) => Finding | null,
      limit: Limit,
    ): Promise<void> => {
      if (await isSignalledAround(trx, rule, fact, limit.withinMs)) return;
      const others = await selectFactsAround(trx, fact, { withinMs: limit.withinMs, limit: NEIGHBOURS });
      const happenings = [...others, happeningOf(fact)];
      await signal(rule, decide(happenings, fact.eventId, limit));
    };

    if (fact.kind === 'FLAG') {
      await count('repeated_flags', repeatedFlags, limits.flags);
    } else {
      await count('offer_velocity', offerVelocity, limits.offers);
      const offer = event.data as EventData<'offer.created'>;
      await signal('price_deviation', priceDeviation(offer, event.id, limits.priceFactor));
    }
  };
