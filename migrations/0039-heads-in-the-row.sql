-- The short vector of a post, by which matches are ranked, is in its row: apart from it, each was read by way of eight pages, which was two fifths
-- of what a search of many posts took. Documents are still stored apart, but for short ones. What is there already moves when its post is
-- saved, or all at once with `vacuum full post_search` (which keeps searches waiting).
alter table post_search alter column head set storage main;
alter table post_search reset (toast_tuple_target);
