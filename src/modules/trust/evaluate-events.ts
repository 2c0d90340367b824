import type { EventData } from '../../contracts/events/index.ts';
import { asWeWrite } from '../../lib/ids.ts';
import type { Env, Trx } from '../../platform/db/index.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Events, LoggedEvent, NewEvent } from '../events/index.ts';
import {
  type Finding,
  type FraudLimits,
  type Limit,
  offerVelocity,
  priceDeviation,
  repeatedFlags,
  type Rule,
} from './fraud-rules.ts';
import {
  type Fact,
  happeningOf,
  insertFacts,
  insertSignals,
  isSignalledAround,
  selectFactsAround,
  selectSuspects,
} from './fraud-store.ts';
import { evaluatedSince } from './purge-facts.ts';

/** The rule that holds each comment, whatever it is (modules/blog/moderation). */
const WAITS_LIKE_ALL = 'pre_moderation';
/** Neighbours that are looked at on each side; not below the largest count that a setting allows, or a burst went unseen. */
const NEIGHBOURS = 1000;

export interface EvaluationDeps {
  publishAll: Events['publishAll'];
  limits: FraudLimits;
  leastTime: Platform['leastTime'];
}

/** An event, and what of it is remembered. */
interface Happened {
  event: LoggedEvent;
  fact: Fact;
}

type EvaluationEnv = Pick<Env, 'now' | 'newId'>;

function factOf({ id, event, data, occurredAt }: LoggedEvent): Fact | null {
  if (event === 'offer.created') {
    const { initiator } = data as EventData<'offer.created'>;
    return { eventId: id, kind: 'OFFER', userId: asWeWrite(initiator.userId), reporterId: null, occurredAt };
  }
  const { targetUserId, reporterUserId, rule } = data as EventData<'moderation.flagged'>;
  const reporterId = reporterUserId === undefined ? null : asWeWrite(reporterUserId);
  // Where every comment waits for a moderator, that one waits says nothing of who wrote it.
  return targetUserId === undefined || rule === WAITS_LIKE_ALL
    ? null
    : { eventId: id, kind: 'FLAG', userId: asWeWrite(targetUserId), reporterId, occurredAt };
}

/** The rule that counts facts of this kind. */
const counting = (
  { kind }: Fact,
  { offers, flags }: FraudLimits,
): { rule: Rule; decide: typeof offerVelocity; limit: Limit } =>
  kind === 'OFFER'
    ? { rule: 'offer_velocity', decide: offerVelocity, limit: offers }
    : { rule: 'repeated_flags', decide: repeatedFlags, limit: flags };

/** Publishes what a rule has found of these facts, each once. */
async function signal(
  trx: Trx,
  rule: Rule,
  found: readonly (Happened & { finding: Finding | null })[],
  { publishAll }: EvaluationDeps,
  env: EvaluationEnv,
): Promise<void> {
  const findings = found.filter(({ finding }) => finding !== null);
  if (findings.length === 0) return;
  const first = await insertSignals(
    trx,
    rule,
    findings.map(({ fact }) => fact),
  );
  const signals = findings
    .filter(({ event }) => first.has(event.id))
    .map(
      ({ event, fact: { userId }, finding }): NewEvent => ({
        id: env.newId(),
        event: 'fraud_signal.detected',
        data: { userId, rule, ...finding },
        accountIds: [],
        occurredAt: env.now,
        requestId: event.requestId,
        causedBy: event.id,
      }),
    );
  await publishAll(trx, signals, env);
}

/** The rule that looks at an offer by itself. */
const priceOf = ({ event, fact }: Happened, { priceFactor }: FraudLimits): Finding | null =>
  fact.kind === 'OFFER' ? priceDeviation(event.data as EventData<'offer.created'>, event.id, priceFactor) : null;

/** Evaluates a fact that is new among those before it. A rule that counts is signalled for a user at most once within its time. */
async function evaluateOne(trx: Trx, one: Happened, deps: EvaluationDeps, env: EvaluationEnv): Promise<void> {
  const { fact } = one;
  const { rule, decide, limit } = counting(fact, deps.limits);
  if (!(await isSignalledAround(trx, rule, fact, limit.withinMs))) {
    const others = await selectFactsAround(trx, fact, { withinMs: limit.withinMs, limit: NEIGHBOURS });
    const finding = decide([...others, happeningOf(fact)], fact.eventId, limit);
    await signal(trx, rule, [{ ...one, finding }], deps, env);
  }
  await signal(trx, 'price_deviation', [{ ...one, finding: priceOf(one, deps.limits) }], deps, env);
}

/**
 * Those for which no rule that counts can find anything, whatever their order: of a user with so few facts in all that there are not
 * enough, or who has been signalled all over that time.
 */
async function calmOnes(
  trx: Trx,
  all: readonly Happened[],
  { limits }: EvaluationDeps,
): Promise<ReadonlySet<Happened>> {
  const groups = [...Map.groupBy(all, ({ fact: { kind, userId } }) => `${kind} ${userId}`).values()];
  const around = groups.flatMap((group) =>
    group.map(({ fact }) => {
      const { rule, limit } = counting(fact, limits);
      // Each has the others of the portion around it, at worst.
      return { fact, rule, withinMs: limit.withinMs, enough: Math.max(0, limit.atLeast - group.length) };
    }),
  );
  const suspects = await selectSuspects(trx, around);
  return new Set(groups.filter((group) => !group.some(({ event }) => suspects.has(event.id))).flat());
}

/**
 * Those of which the neighbours are still remembered, by the database's clock or by this node's: what is passed over once is never evaluated. The
 * database is only asked when some are too old by the node.
 */
async function evaluated(
  trx: Trx,
  all: readonly Happened[],
  { leastTime }: EvaluationDeps,
  { now }: EvaluationEnv,
): Promise<readonly Happened[]> {
  const since = (at: Date): Happened[] => all.filter(({ fact }) => fact.occurredAt >= evaluatedSince(fact.kind, at));
  const found = since(now);
  return found.length === all.length ? found : since(new Date(Math.min(now.getTime(), await leastTime(trx))));
}

/**
 * Fraud evaluation: remembers offers and flags and publishes a signal for each rule that one fulfils. An event is evaluated
 * once, however often the log is read; one that happened so long ago that its neighbours are forgotten, never. What no rule
 * can find anything in, which is nearly all, is done together; the rest one after another, in the order of the log.
 */
export const evaluateEvents =
  (deps: EvaluationDeps) =>
  async (trx: Trx, events: readonly LoggedEvent[], env: EvaluationEnv): Promise<void> => {
    const happened = events.flatMap((event): Happened[] => {
      const fact = factOf(event);
      return fact === null ? [] : [{ event, fact }];
    });
    const all = await evaluated(trx, happened, deps, env);
    if (all.length === 0) return;
    const calm = all.length === 1 ? new Set<Happened>() : await calmOnes(trx, all, deps);
    const together = all.filter((one) => calm.has(one));
    if (together.length > 0) {
      const facts = together.map(({ fact }) => fact);
      const remembered = await insertFacts(trx, facts);
      const found = together
        .filter(({ event }) => remembered.has(event.id))
        .map((one) => ({ ...one, finding: priceOf(one, deps.limits) }));
      await signal(trx, 'price_deviation', found, deps, env);
    }
    for (const one of all) {
      if (calm.has(one)) continue;
      const remembered = await insertFacts(trx, [one.fact]);
      if (remembered.has(one.event.id)) await evaluateOne(trx, one, deps, env);
    }
  };
