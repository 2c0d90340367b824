import type { Db } from '../../../platform/db/index.ts';
import { countersText } from './cache/page-template.ts';
import type { Personal } from './cache/read-cache.ts';
import { likedWithCounters } from './store.ts';

/** Whether a user likes a post, and its counters of the same moment; null: the post is gone. */
export async function personalOf(db: Db, postId: string, userId: string): Promise<Personal | null> {
  const found = await likedWithCounters(db, postId, userId);
  return found && { liked: found.liked, counters: countersText(found) };
}
