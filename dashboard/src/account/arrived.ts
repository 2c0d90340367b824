interface Counts {
  total: number;
  delivered: number;
  discarded: number;
}

/**
 * Share of what was sent that has arrived until now; null: nothing was sent. What is still being tried has not: it is tried for a
 * day before it is dead, so in a shorter time `successRate` tells of no failure.
 */
export function arrivedShare({ total, delivered, discarded }: Counts): number | null {
  const sent = total - discarded;
  return sent === 0 ? null : delivered / sent;
}
