-- Comments in imports and exports of src/modules/blog.

-- What an import made of each comment of a post, so that it can be run again.
create table comment_imports (
  post_id uuid not null references posts (id) on delete cascade,
  source text collate "C" not null,
  -- Stays when the comment is deleted, which leaves an empty row: it stays deleted.
  comment_id uuid not null,
  imported_at timestamptz(3) not null,
  primary key (post_id, source)
);

-- The order of an export, in which no reply comes before what it answers: all comments of a post, level by level.
create index comments_export on comments (post_id, cardinality(path), created_at, id);
