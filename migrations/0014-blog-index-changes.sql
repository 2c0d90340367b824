-- Tables of src/modules/blog/addresses: what changed in the index of public posts (docs/adr/0017-index-changes.md).

-- One row, locked by each change until its commit, so that times become visible in their order and are never equal.
create table post_index_clock (
  only_row boolean primary key default true constraint post_index_clock_one check (only_row),
  -- Of the last change.
  changed_at timestamptz(3) not null,
  -- Changes up to here have been forgotten, or were before this table.
  kept_since timestamptz(3) not null
);
insert into post_index_clock (changed_at, kept_since)
select at, at from (select case when exists (select from posts) then now() else timestamptz '1970-01-01Z' end as at) as t;

-- The last change of each address that had one since then. What is public is asked of posts.
create table post_index_changes (
  slug text collate "C" primary key,
  changed_at timestamptz(3) not null,
  -- When a public post left this address last; null: none did. Addresses that were never public must not be told.
  removed_at timestamptz(3)
);
create index post_index_changes_at on post_index_changes (changed_at);
