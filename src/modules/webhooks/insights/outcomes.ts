import type { Outcome } from './store.ts';

/** What became of deliveries. */
export interface Outcomes {
  total: number;
  delivered: number;
  pending: number;
  held: number;
  dead: number;
  discarded: number;
  attempts: number;
  failedAttempts: number;
  /** Of those that ended, delivered or dead, the share that was delivered; null: none ended. */
  successRate: number | null;
}

const FIELDS = { PENDING: 'pending', HELD: 'held', DEAD: 'dead', DISCARDED: 'discarded' } as const;

/** Sums up what one key, or any number of them, has. */
export function outcomesOf(counted: readonly Outcome[]): Outcomes {
  const ended = { pending: 0, held: 0, dead: 0, discarded: 0 };
  let [total, attempts] = [0, 0];
  for (const { status, count, more } of counted) {
    attempts += more;
    if (status === 'ALL') total += count;
    else if (status !== 'DELIVERED') ended[FIELDS[status]] += count;
  }
  attempts += total;
  const delivered = total - ended.pending - ended.held - ended.dead - ended.discarded;
  const finished = delivered + ended.dead;
  return {
    total,
    delivered,
    ...ended,
    attempts,
    failedAttempts: attempts - delivered,
    successRate: finished === 0 ? null : Math.floor((delivered / finished) * 10_000) / 10_000,
  };
}

/** Why deliveries are dead letters, most frequent first. */
export function reasonsOf(counted: readonly Outcome[]): { reason: string | null; count: number }[] {
  const sums = new Map<string | null, number>();
  for (const { status, reason, count } of counted) {
    if (status === 'DEAD') sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  return [...sums].map(([reason, count]) => ({ reason, count })).toSorted((a, b) => b.count - a.count);
}
