import type { Db } from '../../platform/db/index.ts';
import { decodePosition, encodePosition } from '../events/index.ts';
import { scoreOf } from './reputation-rules.ts';
import { type ChangeRow, selectReputation } from './reputation-store.ts';

export interface GetReputationQuery {
  cursor?: string;
  limit: number;
}

/**
 * A user's score and a page of the changes that made it, newest first. Without `hidden` both are as if there were no fraud
 * signals: a score that did not fit its changes would give them away. Somebody of whom nothing is known has the base score.
 */
export async function getReputation(
  db: Db,
  userId: string,
  { cursor, limit }: GetReputationQuery,
  { hidden }: { hidden: boolean },
): Promise<{ score: number; changes: ChangeRow[]; nextCursor: string | null }> {
  const before = cursor === undefined ? null : decodePosition(cursor);
  const { sum, changes: rows } = await selectReputation(db, userId, { hidden, before, limit: limit + 1 });
  const changes = rows.slice(0, limit);
  return {
    score: scoreOf(sum),
    changes,
    nextCursor: rows.length > limit ? encodePosition((changes.at(-1) as ChangeRow).position) : null,
  };
}
