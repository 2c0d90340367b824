-- Tables of src/modules/blog/engagement. docs/adr/0012-counters.md says why they are as they are.

-- What readers do with a post, in numbers, one narrow row per post: a like or a view locks and rewrites this row and its
-- few indexes only, never the row of posts, which an edit or an import holds locked.
create table post_counters (
  post_id uuid primary key references posts (id) on delete cascade,
  like_count integer not null default 0,
  view_count bigint not null default 0,
  share_count bigint not null default 0,
  -- Recent activity, as a logarithm that stays right as time passes: see trend.ts. 0: none yet.
  trend double precision not null default 0,
  -- When the post became public or will; null for drafts and archived posts. Kept by the triggers below.
  listed_from timestamptz(3)
  -- Each change leaves dead entries in the indexes, at the top of which readers look most.
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
insert into post_counters (post_id, like_count, view_count, share_count, listed_from)
select id, like_count, view_count, share_count, case when archived_at is null then published_at end from posts;
alter table posts drop column like_count, drop column view_count, drop column share_count;

-- The sorts by counters, over what is or will be public. The time is included, so that the order and who may be seen
-- are read from the index alone.
create index post_counters_liked on post_counters (like_count desc, post_id desc) include (listed_from)
  where listed_from is not null;
create index post_counters_viewed on post_counters (view_count desc, post_id desc) include (listed_from)
  where listed_from is not null;
create index post_counters_shared on post_counters (share_count desc, post_id desc) include (listed_from)
  where listed_from is not null;
create index post_counters_trend on post_counters (trend desc, post_id desc) include (listed_from)
  where listed_from is not null;
create index posts_commented on posts (comment_count desc, id desc) include (published_at)
  where archived_at is null and published_at is not null;

-- Every post has its row of counters, whoever stores it.
create function add_post_counters() returns trigger language plpgsql as $$
begin
  insert into post_counters (post_id, listed_from)
  select id, case when archived_at is null then published_at end from added;
  return null;
end
$$;
create trigger posts_add_counters after insert on posts referencing new table as added
  for each statement execute function add_post_counters();
create function list_post_counters() returns trigger language plpgsql as $$
begin
  update post_counters set listed_from = case when new.archived_at is null then new.published_at end
  where post_id = new.id;
  return null;
end
$$;
create trigger posts_list_counters after update on posts for each row
  when (old.published_at is distinct from new.published_at or old.archived_at is distinct from new.archived_at)
  execute function list_post_counters();

-- A like hangs on the counters' row, not on that of the post: its foreign key then locks what its writer holds anyway.
alter table post_likes drop constraint post_likes_post_id_fkey;
alter table post_likes add constraint post_likes_post foreign key (post_id) references post_counters (post_id)
  on delete cascade;

-- The rows behind view_count and share_count: one per post and day (in UTC), and channel of a share.
create table post_views (
  post_id uuid not null references post_counters (post_id) on delete cascade,
  day date not null,
  views bigint not null,
  primary key (post_id, day)
) with (fillfactor = 70);
create table post_shares (
  post_id uuid not null references post_counters (post_id) on delete cascade,
  day date not null,
  channel text collate "C" not null,
  shares bigint not null,
  primary key (post_id, day, channel)
) with (fillfactor = 70);
