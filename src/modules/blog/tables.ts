import type { ColumnType, Generated } from 'kysely';
import type { Db } from '../../platform/db/index.ts';

type Counter = Generated<number>;

/** Tables of migrations/0003-blog.sql and 0009-blog-search.sql. A type, not an interface: Kysely asks for an index signature. */
export type BlogTables = {
  posts: {
    id: string;
    author_id: string;
    slug: string | null;
    title: string | null;
    excerpt: string;
    excerpt_auto: string;
    category: string | null;
    category_key: string | null;
    tags: string[];
    tag_keys: string[];
    cover_image_url: string | null;
    cover_image_alt: string | null;
    seo_title: string | null;
    seo_description: string | null;
    featured: boolean;
    reading_minutes: number;
    published_at: Date | null;
    archived_at: Date | null;
    first_public_at: Date | null;
    version: number;
    created_at: Date;
    updated_at: Date;
    changed_at: Date;
    like_count: Counter;
    comment_count: Counter;
    view_count: Counter;
    share_count: Counter;
  };
  post_bodies: { post_id: string; body: string; html: Generated<string | null>; html_version: Generated<number> };
  post_search: { post_id: string; at: Date; version: number; head: string; document: string };
  post_slugs: { slug: string; post_id: string };
  post_counts: { kind: string; key: string; name: string; count: number };
  post_likes: { post_id: string; user_id: string; created_at: Date };
  post_imports: {
    source: string;
    post_id: string | null;
    content_hash: string;
    post_version: number;
    imported_at: Date;
  };
  /** Of the accounts module; the blog reads the present name of an author and never writes here. */
  users: { id: ColumnType<string, never, never>; name: ColumnType<string, never, never> };
};

/** The same connection or transaction, seeing the blog's tables. */
export const blogTables = (db: Db) => db.withTables<BlogTables>();
