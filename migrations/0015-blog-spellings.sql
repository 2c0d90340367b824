-- post_counts also holds how often each spelling of a category ('category_as') and of a tag ('tag_as') is used by posts
-- that are published or scheduled: its key is the spelling, its name the key of the category or tag.
insert into post_counts (kind, key, name, count)
select 'category_as', category, category_key, count(*) from posts
where archived_at is null and published_at is not null and category_key is not null
group by category, category_key
union all
select 'tag_as', t.tag, t.key, count(*) from posts cross join unnest(tags, tag_keys) as t (tag, key)
where archived_at is null and published_at is not null
group by t.tag, t.key;
