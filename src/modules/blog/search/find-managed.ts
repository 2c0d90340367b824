import type { Db } from '../../../platform/db/index.ts';
import { type PostState, STATES } from '../rules.ts';
import { MARK } from './document.ts';
import { findAmong, findMatches } from './find-matches.ts';
import { anyOf } from './query.ts';
import { postsWithSlugFrom, scheduledIds } from './store.ts';

/** Of the posts that are scheduled, so many are looked through, the next ones first: one by one, which takes some 0.02 ms each. */
const SCHEDULED = 5000;
/** Posts whose slug begins with the query. */
const BY_SLUG = 100;

const STATE_MARKS = { DRAFT: MARK.draft, PUBLISHED: MARK.public, ARCHIVED: MARK.archived } as const;

/**
 * Ids of posts in these states that match, or whose slug begins so; an author's own where one is given. At most
 * `MATCHES_MAX` per state. A caller must still ask each post for its state: slugs are looked up without.
 */
export async function findManaged(
  db: Db,
  { q, authorId, status, now }: { q: string; authorId: string | undefined; status: PostState | undefined; now: Date },
): Promise<string[]> {
  const slug = q.trim().toLowerCase();
  const ids = new Set(/^[a-z0-9-]+$/.test(slug) ? await postsWithSlugFrom(db, slug, { authorId, most: BY_SLUG }) : []);
  const marks = authorId === undefined ? [] : [anyOf([MARK.author(authorId)])];
  for (const state of status === undefined ? STATES : [status]) {
    const found =
      state === 'SCHEDULED'
        ? await findAmong(db, { q, marks }, await scheduledIds(db, now, { authorId, most: SCHEDULED }))
        : await findMatches(db, { q, marks, state: STATE_MARKS[state], now, keep: 'newest' });
    for (const id of found) ids.add(id);
  }
  return [...ids];
}
