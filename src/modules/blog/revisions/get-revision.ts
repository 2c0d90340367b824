import { AppError } from '../../../contracts/errors.ts';
import { countWords } from '../../../lib/markdown-text.ts';
import type { Db, Env } from '../../../platform/db/index.ts';
import { findOwnPost, type OnPost } from '../authoring/own-post.ts';
import type { Post, PostContent } from '../post.ts';
import { wasSeen } from './rules.ts';
import type { RevisionDetail } from './schemas.ts';
import { findRevision, nameOf, type Revision } from './store.ts';
import { revisionDetail } from './views.ts';

/** What every operation on one revision is given. */
export interface OnRevision extends OnPost {
  /** Its number, or any version of the post that had its content. */
  number: number;
}

/** A former content of a post that the caller may manage. Throws NOT_FOUND: there is none, or it was dropped. */
async function requireRevision(db: Db, postId: string, number: number): Promise<Revision> {
  const revision = await findRevision(db, postId, number);
  if (!revision) throw new AppError('NOT_FOUND', { message: `The post has no revision ${number} (any more).` });
  return revision;
}

/** A content with the versions of the post that had it, from `number` to `version`. */
export type ContentAt = PostContent & { number: number; version: number };

const isPresent = ({ saved, version }: Post, number: number): boolean => number >= saved.version && number <= version;

/** The content that the post had at a version, also the present one. Throws NOT_FOUND. */
export async function contentAt(db: Db, post: Post, version: number): Promise<ContentAt> {
  if (isPresent(post, version)) return { ...post, number: post.saved.version };
  return requireRevision(db, post.id, version);
}

/** The present content in the form of a revision. */
async function presentOf(db: Db, post: Post, now: Date): Promise<Revision> {
  const { saved } = post;
  return {
    ...post,
    number: saved.version,
    words: countWords(post.body),
    savedAt: saved.at,
    savedById: saved.by,
    savedByName: await nameOf(db, saved.by),
    autosaved: saved.auto,
    wasPublic: wasSeen(post, now),
  };
}

/** A content in full: a former one, or the present. Throws NOT_FOUND. */
export async function getRevision(db: Db, input: OnRevision, { now }: Pick<Env, 'now'>): Promise<RevisionDetail> {
  const post = await findOwnPost(db, input);
  const { number } = input;
  return revisionDetail(
    isPresent(post, number) ? await presentOf(db, post, now) : await requireRevision(db, post.id, number),
  );
}
