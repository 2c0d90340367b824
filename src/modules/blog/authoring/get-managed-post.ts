import type { Db, Env } from '../../../platform/db/index.ts';
import type { ManagedPost } from '../schemas.ts';
import { managedPost } from '../views.ts';
import { findOwnPost, type OnPost } from './own-post.ts';

/** A post in full, in whatever state. Throws NOT_FOUND, also to an author for another's post. */
export const getManagedPost = async (db: Db, input: OnPost, env: Env): Promise<ManagedPost> =>
  managedPost(await findOwnPost(db, input), env.now);
