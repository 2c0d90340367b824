/**
 * Positions come from a sequence, so a transaction that commits late fills a gap behind events that are visible
 * already. A reader that moved past the gap would skip its event for ever. So a reader takes the run of consecutive
 * positions, and stops at a gap until the gap is known to be dead.
 *
 * A gap below position p is dead once every transaction that might fill it has ended. Each publisher locks the table
 * *before* it draws a position and until its rows can be seen, so every filler of a gap below a visible p is among those
 * that hold the lock after p was seen: the barrier. When none of them is left, all gaps below p that are still empty
 * stay so. Transactions that write elsewhere, however long, hold nobody up. Nothing of this is stored: a restart just
 * asks again.
 */
export interface Settled {
  /** Safe to handle, in order. */
  settled: number[];
  /** Positions behind a gap that is not yet known to be dead. */
  blocked: boolean;
}

/** The positions (ascending, all above `after`) that may be handled: gaps up to `deadUpTo` are known to be dead. */
export function settle(after: number, positions: readonly number[], deadUpTo: number): Settled {
  let last = after;
  for (const [i, position] of positions.entries()) {
    if (position !== last + 1 && position > deadUpTo) return { settled: positions.slice(0, i), blocked: true };
    last = position;
  }
  return { settled: [...positions], blocked: false };
}
