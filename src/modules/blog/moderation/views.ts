import type { ManagedComment } from './schemas.ts';
import type { ManagedCommentRow } from './store.ts';

/** A comment as moderators see it, with the present names of its author and post. */
export const managedComment = (row: ManagedCommentRow): ManagedComment => ({
  id: row.id,
  body: row.body,
  parentId: row.parentId,
  status: row.status,
  createdAt: row.createdAt.toISOString(),
  author: { id: row.authorId, name: row.authorName },
  post: { id: row.postId, slug: row.postSlug, title: row.postTitle },
  reportCount: row.reportCount,
  heldReason: row.heldReason,
});
