import type { Db } from '../../platform/db/index.ts';
import { decodePosition, encodePosition } from '../events/index.ts';
import { scoreOf } from './reputation-rules.ts';
import { type ChangeRow, selectReputation } from './reputation-store.ts';

export interface GetReputationQuery {
  cursor?: string;
  limit: number;
}

/**
 * How much of a user somebody may see: `score` is what everybody may, `own` what the user himself may too, `all` is for
 * operators.
 */
export type Seeing = 'score' | 'own' | 'all';

/**
 * A user's score and a page of the changes that made it, newest first; null where only the score may be seen, since a
 * change tells which side of a trade paid, and when. Except for `all` both are as if there were no fraud signals: a score that did
 * not fit its changes would give them away. Somebody of whom nothing is known has the base score. Throws VALIDATION_ERROR for a
 * cursor that is none.
 */
export async function getReputation(
  db: Db,
  userId: string,
  { cursor, limit }: GetReputationQuery,
  seeing: Seeing,
): Promise<{ score: number; changes: ChangeRow[] | null; nextCursor: string | null }> {
  const before = cursor === undefined ? null : decodePosition(cursor);
  const { sum, changes: rows } = await selectReputation(db, userId, {
    hidden: seeing === 'all',
    before,
    limit: seeing === 'score' ? 0 : limit + 1,
  });
  if (seeing === 'score') return { score: scoreOf(sum), changes: null, nextCursor: null };
  const changes = rows.slice(0, limit);
  return {
    score: scoreOf(sum),
    changes,
    nextCursor: rows.length > limit ? encodePosition((changes.at(-1) as ChangeRow).position) : null,
  };
}
