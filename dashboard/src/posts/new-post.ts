import type { ManagedPost } from '@posthorn/client';
import { posthorn } from '../api/client.ts';
import { postsThatAreOpen } from './backup.ts';
import { isEmpty } from './fields.ts';

/** Drafts among which one is looked for, those that were changed last. */
const LOOKED_AT = 50;

/**
 * A draft of this user in which nothing was ever written, and which no window of this browser has open: two windows with one post
 * would be a conflict. Those of other browsers are not seen; whoever saves second there is told. Undefined also where a browser does not tell which are open.
 */
async function untouchedDraft(userId: string): Promise<ManagedPost | undefined> {
  const open = await postsThatAreOpen();
  if (!open) return undefined;
  const { data } = await posthorn.listManagedPosts({ status: 'DRAFT', limit: LOOKED_AT });
  const found = data.find(
    ({ id, author, version, title }) => author.id === userId && version === 1 && title === null && !open.has(id),
  );
  const post = found && (await posthorn.getManagedPost({ id: found.id }));
  return post && post.version === 1 && isEmpty(post) ? post : undefined;
}

/** A post to begin with: the one that was begun and left as it was, rather than another. */
export const newPost = async (userId: string): Promise<ManagedPost> =>
  (await untouchedDraft(userId)) ?? posthorn.createPost({});
