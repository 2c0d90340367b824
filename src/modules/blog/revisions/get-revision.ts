import { AppError } from '../../../contracts/errors.ts';
import type { Db } from '../../../platform/db/index.ts';
import { findOwnPost, type OnPost } from '../authoring/own-post.ts';
import type { RevisionDetail } from './schemas.ts';
import { findRevision, type Revision } from './store.ts';
import { revisionDetail } from './views.ts';

/** What every operation on one revision is given. */
export interface OnRevision extends OnPost {
  /** Its number, or any version of the post that had its content. */
  number: number;
}

/** The revision of a post that the caller may manage. Throws NOT_FOUND: there is none, or it was dropped. */
export async function requireRevision(db: Db, postId: string, number: number): Promise<Revision> {
  const revision = await findRevision(db, postId, number);
  if (!revision) throw new AppError('NOT_FOUND', { message: `The post has no revision ${number} (any more).` });
  return revision;
}

/** A former content in full. Throws NOT_FOUND. */
export async function getRevision(db: Db, input: OnRevision): Promise<RevisionDetail> {
  const { id } = await findOwnPost(db, input);
  return revisionDetail(await requireRevision(db, id, input.number));
}
