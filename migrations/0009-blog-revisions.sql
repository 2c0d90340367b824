-- Revisions, previews and counts per state of src/modules/blog.

-- Who saved the present content, when, and as which version of the post; null: its author, at updated_at.
alter table post_bodies
  add column saved_by uuid references users (id),
  add column saved_at timestamptz(3),
  add column saved_version integer,
  -- Saved by an editor on its own, not by a person's command.
  add column autosaved boolean not null default false,
  -- Since when readers see this content (or, if in the future, will); null: they never did.
  add column public_from timestamptz(3);

update post_bodies b
set saved_by = p.author_id, saved_at = p.updated_at, saved_version = p.version, public_from = p.first_public_at
from posts p where p.id = b.post_id;

-- The former contents of a post: at most 50, the oldest go (src/modules/blog/revisions/rules.ts).
create table post_revisions (
  post_id uuid not null references posts (id) on delete cascade,
  -- The versions of the post that had this content: from number to version.
  number integer not null,
  version integer not null,
  title text,
  slug text,
  excerpt text not null,
  body text not null,
  category text,
  tags text[] not null,
  cover_image_url text,
  cover_image_alt text,
  seo_title text,
  seo_description text,
  featured boolean not null,
  words integer not null,
  saved_by uuid not null references users (id),
  saved_at timestamptz(3) not null,
  autosaved boolean not null,
  was_public boolean not null,
  primary key (post_id, number)
);

-- How often all preview links of a post were ended; a link names the number that was valid when it was made.
create table post_previews (
  post_id uuid primary key references posts (id) on delete cascade,
  generation integer not null
);

-- Finds another post of the same title; the case-folded form, as category_key.
alter table posts add column title_key text collate "C";
update posts set title_key = lower(title) where title is not null;
create index posts_title on posts (title_key) where archived_at is null and published_at is not null;

-- post_counts also holds how many posts are drafts ('draft') and archived ('archived'): in all ('') and per author.
insert into post_counts (kind, key, name, count)
select case when published_at is null then 'draft' else 'archived' end as state, coalesce(author_id::text, ''), '', count(*)
from posts where published_at is null or archived_at is not null
group by grouping sets ((state), (state, author_id));
