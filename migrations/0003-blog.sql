-- Tables of src/modules/blog.

-- One row per post. The body lives apart, so that lists read, and counters rewrite, short rows only.
create table posts (
  id uuid primary key,
  author_id uuid not null references users (id),
  -- Null until a title or a slug is given; always one of post_slugs.
  slug text collate "C",
  title text,
  -- As the writer wrote it, and what is shown while that is empty: derived from the body at write time.
  excerpt text not null default '',
  excerpt_auto text not null default '',
  -- Keys are the case-folded forms that filters compare (src/lib/fold-case.ts).
  category text,
  category_key text collate "C",
  tags text[] not null default '{}',
  tag_keys text[] collate "C" not null default '{}',
  cover_image_url text,
  cover_image_alt text,
  seo_title text,
  seo_description text,
  featured boolean not null default false,
  reading_minutes integer not null default 1,
  -- The state is derived from these and the time of the request: see src/modules/blog/rules.ts.
  published_at timestamptz(3),
  archived_at timestamptz(3),
  -- The first moment at which the post is (or, if in the future, would be) public. Its old slugs redirect from then on.
  first_public_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null,
  -- Last change of content.
  updated_at timestamptz(3) not null,
  -- Last change of anything that a writer can change.
  changed_at timestamptz(3) not null,
  like_count integer not null default 0,
  comment_count integer not null default 0,
  view_count bigint not null default 0,
  share_count bigint not null default 0,
  constraint posts_archived_was_public check (archived_at is null or published_at is not null),
  constraint posts_public_is_complete check
    (published_at is null or archived_at is not null or (slug is not null and title is not null and category is not null))
) with (fillfactor = 85);

-- Public lists: newest, by category, by author, featured, by tag. All only over what is or will be public.
create index posts_newest on posts (published_at desc, id desc)
  where archived_at is null and published_at is not null;
create index posts_category on posts (category_key, published_at desc, id desc)
  where archived_at is null and published_at is not null;
create index posts_author on posts (author_id, published_at desc, id desc)
  where archived_at is null and published_at is not null;
create index posts_featured on posts (published_at desc, id desc)
  where archived_at is null and published_at is not null and featured;
create index posts_tags on posts using gin (tag_keys)
  where archived_at is null and published_at is not null;

-- Managed lists: latest change first, of everyone or of one author; the states of which there are few.
create index posts_changed on posts (changed_at desc, id desc);
create index posts_author_changed on posts (author_id, changed_at desc, id desc);
create index posts_drafts on posts (changed_at desc, id desc) where published_at is null;
create index posts_archived on posts (changed_at desc, id desc) where archived_at is not null;

create table post_bodies (
  post_id uuid primary key references posts (id) on delete cascade,
  body text not null
);

-- Every slug in use: the present one of each post, and the old ones of posts that were public. The key makes a slug
-- belong to one post, whoever asks for it at the same time.
create table post_slugs (
  slug text collate "C" primary key,
  -- Deferred, because a new post takes its slug before its row is written.
  post_id uuid not null references posts (id) on delete cascade deferrable initially deferred
);
create index post_slugs_post on post_slugs (post_id);

-- How many posts are published or scheduled (and not archived): in all ('all', ''), featured ('featured', ''), per
-- 'category' and 'tag' (by key; name is the spelling shown), per 'author' (by id). Counting a million rows takes
-- longer than a list may take; reads subtract the few that are scheduled for later.
create table post_counts (
  kind text collate "C" not null,
  key text collate "C" not null,
  name text not null,
  count integer not null,
  primary key (kind, key)
);

create table post_likes (
  post_id uuid not null references posts (id) on delete cascade,
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null,
  primary key (post_id, user_id)
);

-- What an import made of each source, so that it can be run again.
create table post_imports (
  source text collate "C" primary key,
  -- Null once the post was deleted: it stays deleted.
  post_id uuid references posts (id) on delete set null,
  content_hash text not null,
  -- The post's version as the import left it; another one means that somebody edited it here.
  post_version integer not null,
  imported_at timestamptz(3) not null
);
create index post_imports_post on post_imports (post_id);
