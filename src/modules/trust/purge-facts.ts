import { SETTINGS } from '../../platform/config/settings.ts';
import type { Loop } from '../../platform/loop/loop.ts';
import type { Platform } from '../../platform/platform.ts';
import { deleteFactsBefore, deleteSignalsBefore, type FactKind } from './fraud-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/**
 * The longest over which facts of a kind can be counted: what the settings allow, not what they say. Otherwise a setting
 * that is raised would make events count as new whose facts are purged, and reading the log again would signal them again.
 */
const LONGEST_MS: Record<FactKind, number> = {
  OFFER: SETTINGS.FRAUD_OFFER_MINUTES.max * MINUTE_MS,
  FLAG: SETTINGS.FRAUD_FLAG_DAYS.max * DAY_MS,
};
/** How late an event may be read, after it happened, besides that: as long as a long outage. */
const LATE_MS = 30 * DAY_MS;
/** Nodes' clocks differ by less. */
const CLOCKS_MS = DAY_MS;
const EVERY_MS = 10 * 60_000;
/** Rows per step: a delete that takes a few milliseconds. */
const PORTION = 5000;

/** What happened before is not evaluated any more: what it would be counted with may be gone. */
export const evaluatedSince = (kind: FactKind, now: Date): Date => new Date(now.getTime() - LONGEST_MS[kind] - LATE_MS);

/** What happened before is in no rule's reach of anything that is still evaluated. */
export const keptSince = (kind: FactKind, now: Date): Date =>
  new Date(evaluatedSince(kind, now).getTime() - LONGEST_MS[kind] - CLOCKS_MS);

/** Forgets facts, and signals of all rules, that none can need again, by the database's clock as well as by the node's. */
export const purgeFacts = ({ db, leastTime }: Pick<Platform, 'db' | 'leastTime'>): Loop => ({
  name: 'trust.purge-facts',
  everyMs: EVERY_MS,
  async step() {
    const now = new Date(await leastTime());
    const removed = [
      await deleteFactsBefore(db, 'OFFER', keptSince('OFFER', now), PORTION),
      await deleteFactsBefore(db, 'FLAG', keptSince('FLAG', now), PORTION),
      await deleteSignalsBefore(db, keptSince('FLAG', now), PORTION),
    ];
    return removed.includes(PORTION);
  },
});
