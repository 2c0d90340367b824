import { countWords } from '../../../lib/markdown-text.ts';
import type { Trx } from '../../../platform/db/index.ts';
import type { NewPost, Post } from '../post.ts';
import { KEPT, mayPassOver, wasSeen } from './rules.ts';
import { dropOldest, insertPresent, lastKeptAt } from './store.ts';

/**
 * Keeps the present content of a locked post as a revision, before `after` is stored, and drops the oldest beyond 50. An
 * autosave may pass over the one before it.
 */
export async function keepRevision(trx: Trx, before: Post, after: NewPost): Promise<void> {
  if (after.autosave && before.saved.auto && mayPassOver(before, after, await lastKeptAt(trx, before.id))) return;
  await insertPresent(trx, before, { words: countWords(before.body), wasPublic: wasSeen(before, after.changedAt) });
  await dropOldest(trx, before.id, KEPT);
}
