import { countText, percentText } from '../lib/format.ts';

interface Counts {
  total: number;
  delivered: number;
  discarded: number;
}

/**
 * Share of what was sent that has arrived until now; null: nothing was sent. What is still being tried has not: it is tried for a
 * day before it is dead, so in a shorter time `successRate` tells of no failure. What was discarded does not count, which is said
 * beside it (`arrivedText`).
 */
export function arrivedShare({ total, delivered, discarded }: Counts): number | null {
  const sent = total - discarded;
  return sent === 0 ? null : delivered / sent;
}

/** "98.7% arrived", and how many are left out of that: else "100%" would be said of a time in which one never arrived. */
export function arrivedText(counts: Counts): string {
  const { discarded } = counts;
  return `${percentText(arrivedShare(counts))} arrived${discarded > 0 ? `, ${countText(discarded)} discarded` : ''}`;
}
