import { monotonicNow } from '../../../lib/clock.ts';
import type { Db } from '../types.ts';
import { type Checked, checkAgainst } from './check.ts';
import { isOther, readIdentity, readPosition } from './position.ts';
import { openReplicaPool, type ReplicaPoolOptions } from './replica-pool.ts';

/** Between two looks at a replica that is late. Milliseconds. */
const LOOK_MS = 10;

export interface LookedAt extends Checked {
  /** See ReplicaPool. */
  unset: readonly string[];
}

/**
 * How a replica stands to the primary now, or after `waitMs` while it is late. Changes nothing; so whether it followed the primary through its
 * last failover is told only once a node has run since. Throws what the servers say.
 */
export async function lookAtReplica(
  at: Omit<ReplicaPoolOptions, 'size' | 'tellFull'>,
  { primary, waitMs }: { primary: Db; waitMs: number },
): Promise<LookedAt> {
  const identity = await readIdentity(primary);
  const pool = await openReplicaPool({ ...at, size: 1 });
  try {
    const there = await pool.on(readIdentity);
    if (isOther(there, identity)) return { verdict: 'foreign', behind: null, lagMs: null, unset: pool.unset };
    const position = await readPosition(primary);
    const askAgain = () => readPosition(primary);
    const startedAt = monotonicNow();
    for (;;) {
      const checked = await pool.on((db) => checkAgainst(db, { identity, position, askAgain }));
      const canCome = checked.verdict === 'late' && (checked.behind ?? 0) > 0;
      if (!canCome || monotonicNow() - startedAt >= waitMs) return { ...checked, unset: pool.unset };
      await new Promise((done) => setTimeout(done, LOOK_MS));
    }
  } finally {
    await pool.close();
  }
}
