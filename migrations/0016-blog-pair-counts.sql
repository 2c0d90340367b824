-- How many posts are published or scheduled (and not archived) with both of two of these: an author ('a' and the id), a
-- category ('c' and its key), featured ('f'), a tag ('t' and its key). The first is the lesser one. As post_counts, for
-- lists with two conditions.
create table post_pair_counts (
  first text collate "C" not null,
  second text collate "C" not null,
  count integer not null,
  primary key (first, second)
);
insert into post_pair_counts (first, second, count)
select x.id, y.id, count(*)
from (
  select array['a' || author_id::text] || array['c' || category_key] || case when featured then array['f'] else '{}' end
    || array(select 't' || t.key from unnest(tag_keys) as t (key)) as ids
  from posts where archived_at is null and published_at is not null
) as p, unnest(p.ids) as x (id), unnest(p.ids) as y (id)
where x.id collate "C" < y.id collate "C"
group by x.id, y.id;
