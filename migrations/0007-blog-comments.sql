-- Tables of src/modules/blog/comments and src/modules/blog/moderation.

-- Threads of the post that are listed: those with a VISIBLE comment. Like comment_count, kept by each change of a
-- comment, so that no page counts a million rows.
alter table posts add column comment_threads integer not null default 0;

create table comments (
  id uuid primary key,
  post_id uuid not null references posts (id) on delete cascade,
  -- The comment that it answers; null at the top. No foreign keys among comments: a row leaves the table with its post
  -- only, and checking each of a million rows would make that take minutes.
  parent_id uuid,
  -- The comment at the top of its thread; a top comment's own id.
  root_id uuid not null,
  -- The comments under which it is nested, outermost first: bounded, see MAX_LEVEL in comments/rules.ts.
  path uuid[] not null,
  -- Null once its author has deleted it, and then the body is empty.
  author_id uuid references users (id),
  body text not null,
  status text not null constraint comments_status check (status in ('VISIBLE', 'HIDDEN', 'DELETED')),
  -- The rule that holds it, while it does.
  held_rule text,
  held_reason text,
  -- Digest of the text, for finding repeats; null once deleted.
  text_key text collate "C",
  -- Reports that no moderator has decided on.
  report_count integer not null default 0,
  -- Of a top comment: the VISIBLE comments of its thread, itself included.
  thread_visible integer not null default 0,
  -- A column of its own, so that an answer to a listed thread changes no indexed value.
  listed boolean not null generated always as (thread_visible > 0) stored,
  created_at timestamptz(3) not null,
  constraint comments_deleted check ((status = 'DELETED') = (author_id is null)),
  constraint comments_top check ((parent_id is null) = (root_id = id))
) with (fillfactor = 85);
create index comments_threads on comments (post_id, created_at, id) where parent_id is null and listed;
create index comments_replies on comments (root_id, created_at, id) where parent_id is not null and status = 'VISIBLE';
create index comments_post on comments (post_id, status, created_at, id);
create index comments_status on comments (status, created_at, id);
create index comments_reported on comments (created_at, id) where report_count > 0;
create index comments_text on comments (author_id, text_key, created_at) where text_key is not null;

create table comment_reports (
  comment_id uuid not null,
  user_id uuid not null references users (id),
  -- Reports leave with the post, as its comments do.
  post_id uuid not null references posts (id) on delete cascade,
  reason text not null,
  created_at timestamptz(3) not null,
  -- When a moderator decided on the comment.
  resolved_at timestamptz(3),
  primary key (comment_id, user_id)
);
create index comment_reports_post on comment_reports (post_id);

-- One row: what holds new comments back. Editors change it while the service runs.
create table comment_settings (
  only_row boolean primary key default true constraint comment_settings_one check (only_row),
  pre_moderation boolean not null default false,
  max_links integer not null default 3,
  repeat_seconds integer not null default 3600,
  blocked_words text[] not null default '{}',
  updated_at timestamptz(3),
  updated_by uuid references users (id)
);
insert into comment_settings (only_row) values (true);

-- Who did what to which comment, and why. Outlives the comment and its post.
create table moderation_log (
  id uuid primary key,
  comment_id uuid not null,
  post_id uuid not null,
  -- Who wrote the comment.
  author_id uuid references users (id),
  -- The moderator; null when a rule held it.
  actor_id uuid references users (id),
  rule text,
  -- Null when it was held as it was written.
  from_status text,
  to_status text not null,
  reason text,
  created_at timestamptz(3) not null,
  constraint moderation_log_cause check ((actor_id is null) <> (rule is null))
);
create index moderation_log_comment on moderation_log (comment_id, id);

create function refuse_moderation_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the moderation log is append-only: % is refused', lower(tg_op)
    using errcode = 'insufficient_privilege';
end
$$;
create trigger moderation_log_append_only before update or delete on moderation_log
  for each row execute function refuse_moderation_log_change();
create trigger moderation_log_no_truncate before truncate on moderation_log
  for each statement execute function refuse_moderation_log_change();
