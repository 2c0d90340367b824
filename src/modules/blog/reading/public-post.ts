import type { PostSummary } from '../schemas.ts';

/** A public post as lists read it: without body, with everything that a public post has. */
export interface PublicPost {
  id: string;
  slug: string;
  title: string;
  excerpt: string;
  coverImageUrl: string | null;
  coverImageAlt: string | null;
  category: string;
  tags: string[];
  publishedAt: Date;
  featured: boolean;
  readingMinutes: number;
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
  authorName: string;
  /** What the page was asked to count besides. */
  counted?: number | null;
}

/** interface.md §2.1. */
export const summaryOf = ({ authorName, publishedAt, ...post }: PublicPost): PostSummary => ({
  id: post.id,
  slug: post.slug,
  title: post.title,
  excerpt: post.excerpt,
  coverImageUrl: post.coverImageUrl,
  coverImageAlt: post.coverImageAlt,
  category: post.category,
  tags: post.tags,
  publishedAt: publishedAt.toISOString(),
  featured: post.featured,
  readingMinutes: post.readingMinutes,
  likeCount: post.likeCount,
  commentCount: post.commentCount,
  viewCount: post.viewCount,
  shareCount: post.shareCount,
  author: { name: authorName },
});
