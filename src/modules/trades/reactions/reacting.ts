import type { Env, Trx } from '../../../platform/db/index.ts';
import type { LoggedEvent, Reaction } from '../../events/index.ts';
import { applyDecision, type TradeDeps } from '../lifecycle/apply.ts';
import type { Step } from '../lifecycle/step-store.ts';
import { lockTrade, originPosition } from '../lifecycle/trade-store.ts';
import type { Decision } from '../lifecycle/types.ts';

/** What the reactions of this module have in common. */

/** Of a reaction: what it does with many events, and with one. */
export type ReactToAll = NonNullable<Reaction['reactToAll']>;
export type React = Reaction['react'];

/** A reaction to events, alone or many; skips what was published before this service kept trades. */
export function sinceOrigin(reactToAll: ReactToAll): { react: React; reactToAll: ReactToAll } {
  let origin: number | undefined;
  const all: ReactToAll = async (trx, events, env) => {
    origin ??= await originPosition(trx);
    const since = origin;
    await reactToAll(
      trx,
      events.filter(({ position }) => position > since),
      env,
    );
  };
  return { react: (trx, event, env) => all(trx, [event], env), reactToAll: all };
}

/** Many events, each by itself and in their order. */
export const oneByOne =
  (react: React): ReactToAll =>
  async (trx, events, env) => {
    for (const event of events) await react(trx, event, { ...env, requestId: event.requestId });
  };

/** The step by which an event stays with a trade. */
export const stepOf = (
  event: LoggedEvent,
  step: Pick<Step, 'tradeSessionId' | 'status' | 'refused'>,
  { now: at }: Pick<Env, 'now'>,
): Step => ({ ...step, cause: event.event, eventId: event.id, reportId: null, requestId: event.requestId, at });

/** Keeps with a trade that an event did nothing to it. */
export async function ignored(
  trx: Trx,
  tradeSessionId: string,
  { event, why }: { event: LoggedEvent; why: string },
  { publishAll }: TradeDeps,
  env: Env,
): Promise<void> {
  const trade = await lockTrade(trx, tradeSessionId);
  if (!trade) return;
  const decision: Decision = { refused: why };
  const trigger = { cause: event.event, event, isReaction: true };
  await applyDecision(trx, { trade, decision, trigger }, publishAll, env);
}
