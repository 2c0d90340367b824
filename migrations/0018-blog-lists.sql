-- The posts that are published or scheduled (and not archived), by tag, in the order of their dates, with what else lists
-- filter by: a page of a tag is read off this index, however many posts there are. Kept by the triggers below.
create table post_tags (
  tag_key text collate "C" not null,
  published_at timestamptz(3) not null,
  post_id uuid not null,
  category_key text collate "C" not null,
  author_id uuid not null,
  featured boolean not null,
  primary key (tag_key, published_at, post_id) include (category_key, author_id, featured)
  -- A list of a tag is to be read off the index alone: see that soon after posts were added.
) with (autovacuum_vacuum_insert_scale_factor = 0.02);
insert into post_tags
select distinct t.key, p.published_at, p.id, p.category_key, p.author_id, p.featured
from posts p, unnest(p.tag_keys) as t (key) where p.archived_at is null and p.published_at is not null;
-- Nothing looks posts up in it any more.
drop index posts_tags;

create function add_post_tags() returns trigger language plpgsql as $$
begin
  insert into post_tags
  select distinct t.key, p.published_at, p.id, p.category_key, p.author_id, p.featured
  from added p, unnest(p.tag_keys) as t (key) where p.archived_at is null and p.published_at is not null;
  return null;
end
$$;
create trigger posts_add_tags after insert on posts referencing new table as added
  for each statement execute function add_post_tags();
create function remove_post_tags() returns trigger language plpgsql as $$
begin
  delete from post_tags t using unnest(old.tag_keys) as k (key)
  where t.tag_key = k.key and t.published_at = old.published_at and t.post_id = old.id;
  return null;
end
$$;
create trigger posts_remove_tags after delete on posts for each row
  when (old.published_at is not null) execute function remove_post_tags();
create function move_post_tags() returns trigger language plpgsql as $$
begin
  delete from post_tags t using unnest(old.tag_keys) as k (key)
  where t.tag_key = k.key and t.published_at = old.published_at and t.post_id = old.id;
  if new.archived_at is null and new.published_at is not null then
    insert into post_tags
    select distinct k.key, new.published_at, new.id, new.category_key, new.author_id, new.featured
    from unnest(new.tag_keys) as k (key);
  end if;
  return null;
end
$$;
create trigger posts_move_tags after update on posts for each row
  when ((old.published_at is not null or new.published_at is not null)
    and (old.published_at, old.archived_at, old.tag_keys, old.category_key, old.author_id, old.featured)
      is distinct from (new.published_at, new.archived_at, new.tag_keys, new.category_key, new.author_id, new.featured))
  execute function move_post_tags();

-- How many posts each month has (in UTC): a far page of the list is found by these.
insert into post_counts (kind, key, name, count)
select 'month', to_char(published_at at time zone 'UTC', 'YYYY-MM'), '', count(*)
from posts where archived_at is null and published_at is not null group by 2;

-- A search sorts many matches by their time and reads the vectors of few: both vectors are kept apart from the row, so that
-- a hundred rows are on a page.
alter table post_search set (toast_tuple_target = 128);
