import type { ColumnType, Generated } from 'kysely';
import type { Db } from '../../platform/db/index.ts';

type Counter = Generated<number>;

/** Tables of migrations/0003, 0008, 0009, 0010 and 0013 (`post_tags` of 0018 is written by triggers). A type, not an interface: Kysely asks for an index signature. */
export type BlogTables = {
  posts: {
    id: string;
    author_id: string;
    slug: string | null;
    title: string | null;
    title_key: string | null;
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
    comment_count: Counter;
  };
  /** A row per post, made by the database. */
  post_counters: {
    post_id: string;
    like_count: Counter;
    view_count: Counter;
    share_count: Counter;
    trend: Generated<number>;
    listed_from: Date | null;
  };
  post_bodies: {
    post_id: string;
    body: string;
    html: Generated<string | null>;
    html_version: Generated<number>;
    html_tries: Generated<number>;
    saved_by: string | null;
    saved_at: Date | null;
    saved_version: number | null;
    autosaved: Generated<boolean>;
    public_from: Date | null;
  };
  post_revisions: {
    post_id: string;
    number: number;
    version: number;
    title: string | null;
    slug: string | null;
    excerpt: string;
    body: string;
    category: string | null;
    tags: string[];
    cover_image_url: string | null;
    cover_image_alt: string | null;
    seo_title: string | null;
    seo_description: string | null;
    featured: boolean;
    words: number;
    saved_by: string;
    saved_at: Date;
    autosaved: boolean;
    was_public: boolean;
  };
  post_previews: { post_id: string; generation: number };
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
  /** Of the accounts module; the blog reads who an author is and never writes here. */
  users: {
    id: ColumnType<string, never, never>;
    name: ColumnType<string, never, never>;
    email: ColumnType<string | null, never, never>;
    blog_role: ColumnType<'AUTHOR' | 'EDITOR' | null, never, never>;
  };
};

/** The same connection or transaction, seeing the blog's tables. */
export const blogTables = (db: Db) => db.withTables<BlogTables>();
