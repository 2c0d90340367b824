-- What is viewed most is written most, on few pages: vacuum left the entries of former counts in the indexes then, so that each list by
-- a counter read those posts' rows again and again.
alter table post_counters set (vacuum_index_cleanup = on);
