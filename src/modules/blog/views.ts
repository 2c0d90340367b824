import { headOf, type ListedPost, type Post } from './post.ts';
import { stateOf } from './rules.ts';
import type { ManagedPost, ManagedSummary } from './schemas.ts';

const countersOf = (post: ListedPost) => ({
  readingMinutes: post.readingMinutes,
  likeCount: post.likeCount,
  commentCount: post.commentCount,
  viewCount: post.viewCount,
  shareCount: post.shareCount,
});

/** A post as the managed list shows it to writers. */
export const managedSummary = (post: ListedPost, now: Date): ManagedSummary => ({
  id: post.id,
  status: stateOf(post, now),
  version: post.version,
  ...headOf(post),
  tags: [...post.tags],
  createdAt: post.createdAt.toISOString(),
  updatedAt: post.updatedAt.toISOString(),
  changedAt: post.changedAt.toISOString(),
  publishedAt: post.publishedAt?.toISOString() ?? null,
  ...countersOf(post),
  author: { id: post.authorId, name: post.authorName },
});

/** A post in full, for writers. */
export const managedPost = (post: Post, now: Date): ManagedPost => ({ ...managedSummary(post, now), body: post.body });
