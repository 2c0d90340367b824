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
export interface Positioned {
  position: number;
}

export interface Settled<T> {
  /** Safe to handle, in order. */
  events: T[];
  /** Rows behind a gap that is not yet known to be dead. */
  blocked: boolean;
}

/** The rows (ascending, all above `after`) that may be handled: gaps up to `deadUpTo` are known to be dead. */
export function settle<T extends Positioned>(after: number, rows: readonly T[], deadUpTo: number): Settled<T> {
  let last = after;
  for (const [i, row] of rows.entries()) {
    if (row.position !== last + 1 && row.position > deadUpTo) return { events: rows.slice(0, i), blocked: true };
    last = row.position;
  }
  return { events: [...rows], blocked: false };
}
