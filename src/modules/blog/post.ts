/** What a writer can write (interface.md §2.6). Absent values are null, or empty where the wire has no null. */
export interface PostContent {
  title: string | null;
  slug: string | null;
  excerpt: string;
  body: string;
  coverImageUrl: string | null;
  coverImageAlt: string | null;
  category: string | null;
  tags: readonly string[];
  seoTitle: string | null;
  seoDescription: string | null;
  featured: boolean;
}

/** The times that its state is derived from. */
export interface PostTimes {
  publishedAt: Date | null;
  archivedAt: Date | null;
  /** When the post became public for the first time, or will, if that is in the future. */
  firstPublicAt: Date | null;
}

/** How the present content came about. */
export interface Save {
  /** User id. */
  by: string;
  at: Date;
  /** The version that the post got with this content. */
  version: number;
  /** Saved by an editor on its own, not by a person's command. */
  auto: boolean;
  /** Since when readers see this content, or will, if that is in the future; null: they never did. */
  publicFrom: Date | null;
}

/** A post as it is stored. */
export interface Post extends PostContent, PostTimes {
  id: string;
  authorId: string;
  authorName: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  changedAt: Date;
  readingMinutes: number;
  likeCount: number;
  commentCount: number;
  viewCount: number;
  shareCount: number;
  saved: Save;
}

/** A post as lists read it. */
export type ListedPost = Omit<Post, 'body' | 'saved'>;

/** A post to be stored. */
export type NewPost = Omit<
  Post,
  'authorName' | 'readingMinutes' | 'likeCount' | 'commentCount' | 'viewCount' | 'shareCount' | 'saved'
> & {
  /** Who creates or changes it: user id. */
  changedBy: string;
  /** See `Save.auto`. */
  autosave?: boolean | undefined;
};

export const EMPTY_CONTENT: PostContent = {
  title: null,
  slug: null,
  excerpt: '',
  body: '',
  coverImageUrl: null,
  coverImageAlt: null,
  category: null,
  tags: [],
  seoTitle: null,
  seoDescription: null,
  featured: false,
};

/** The writable part of a post but for its body, which lists do not read. */
export const headOf = (post: Omit<PostContent, 'body'>): Omit<PostContent, 'body'> => ({
  title: post.title,
  slug: post.slug,
  excerpt: post.excerpt,
  coverImageUrl: post.coverImageUrl,
  coverImageAlt: post.coverImageAlt,
  category: post.category,
  tags: post.tags,
  seoTitle: post.seoTitle,
  seoDescription: post.seoDescription,
  featured: post.featured,
});

/** The writable part of a post. */
export const contentOf = (post: PostContent): PostContent => ({ ...headOf(post), body: post.body });
