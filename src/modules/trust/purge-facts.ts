import type { Clock } from '../../lib/clock.ts';
import type { Db } from '../../platform/db/index.ts';
import type { Loop } from '../../platform/loop/loop.ts';
import type { FraudLimits } from './fraud-rules.ts';
import { deleteBefore } from './fraud-store.ts';

const DAY_MS = 86_400_000;
/** How late an event may be read, after it happened, besides the time over which a rule counts: as long as a long outage. */
const LATE_MS = 30 * DAY_MS;
/** Nodes' clocks differ by less. */
const CLOCKS_MS = DAY_MS;
const EVERY_MS = 10 * 60_000;
/** Rows per step: a delete that takes a few milliseconds. */
const PORTION = 5000;

const longest = ({ offers, flags }: FraudLimits): number => Math.max(offers.withinMs, flags.withinMs);

/** What happened before is not evaluated any more: what it would be counted with may be gone. */
export const evaluatedSince = (limits: FraudLimits, now: Date): Date =>
  new Date(now.getTime() - longest(limits) - LATE_MS);

/** What happened before is in no rule's reach of anything that is still evaluated. */
export const keptSince = (limits: FraudLimits, now: Date): Date =>
  new Date(evaluatedSince(limits, now).getTime() - longest(limits) - CLOCKS_MS);

/** Forgets facts and signals that no rule can need again. */
export const purgeFacts = ({ db, clock }: { db: Db; clock: Clock }, limits: FraudLimits): Loop => ({
  name: 'trust.purge-facts',
  everyMs: EVERY_MS,
  step: async () => (await deleteBefore(db, keptSince(limits, new Date(clock.now())), PORTION)) === PORTION,
});
