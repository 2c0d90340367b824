import type { NewPost, Post, PostTimes, Save } from '../post.ts';
import { stateOf } from '../rules.ts';

/** Former contents kept per post (contract: "Blog"). */
export const KEPT = 50;

/** Consecutive autosaves of one user leave one revision in this time (docs/adr/0014). Milliseconds. */
export const MERGE_MS = 5 * 60_000;

/** Since when readers see a content saved (or published) now, or will; null: not yet planned. */
function publicFrom(times: PostTimes, now: Date): Date | null {
  if (times.publishedAt === null || times.archivedAt !== null) return null;
  return times.publishedAt > now ? times.publishedAt : now;
}

/**
 * What is remembered of how the content came about. `unchanged` is the post before a change that leaves its content as it
 * was, else null: publishing and archiving are no saves, but they decide whether readers ever saw the content.
 */
export function nextSave(unchanged: Post | null, after: NewPost): Save {
  const now = after.changedAt;
  if (unchanged === null) {
    const auto = after.autosave === true;
    return { by: after.changedBy, at: now, version: after.version, auto, publicFrom: publicFrom(after, now) };
  }
  const { saved } = unchanged;
  return { ...saved, publicFrom: wasSeen(unchanged, now) ? (saved.publicFrom ?? now) : publicFrom(after, now) };
}

/** Whether readers ever saw the present content of the post. */
export const wasSeen = (post: Post, now: Date): boolean =>
  (post.saved.publicFrom !== null && post.saved.publicFrom <= now) || stateOf(post, now) === 'PUBLISHED';

/**
 * Whether a save may pass over the present content, so that it leaves no revision: both are autosaves of one user, no
 * reader ever saw it, and a revision saved less than five minutes ago is there (`lastKeptAt`; null: there is none).
 */
export const mayPassOver = (before: Post, after: NewPost, lastKeptAt: Date | null): boolean =>
  before.saved.auto &&
  after.autosave === true &&
  before.saved.by === after.changedBy &&
  !wasSeen(before, after.changedAt) &&
  lastKeptAt !== null &&
  after.changedAt.getTime() - lastKeptAt.getTime() < MERGE_MS;
