-- Counts over time are read off indexes alone (docs/adr/0021-insights.md): what they are asked for is held beside keys that were
-- there already, so that no further index has to be written for an event or a delivery.

-- The log by position, with all that is counted by. 100 accounts, the most that an audience has, fit into an index entry.
create unique index events_wide on events (position) include (event, recorded_at, account_ids);
alter table events drop constraint events_pkey;
alter table events add constraint events_pkey primary key using index events_wide;

-- The deliveries of an account by time, with all that they are counted by.
create index webhook_deliveries_wide on webhook_deliveries (account_id, id) include (endpoint_id, webhook);
drop index webhook_deliveries_account;
alter index webhook_deliveries_wide rename to webhook_deliveries_account;
-- All that did not arrive by its first attempt, which is rare. The others are what is left of all.
create index webhook_deliveries_unusual on webhook_deliveries (account_id, status, id)
  include (endpoint_id, webhook, attempts, error_class) where status <> 'DELIVERED' or attempts > 1;
drop index webhook_deliveries_undelivered;

-- An index is read alone where its table is known to be visible to all, which vacuum finds out: soon after rows were added,
-- while they are still in memory.
alter table events set (autovacuum_vacuum_insert_scale_factor = 0.05);
alter table webhook_deliveries set (autovacuum_vacuum_insert_scale_factor = 0.05);

-- Views and shares have a row per post and day, written when the day comes: a few bytes for each megabyte of them.
create index post_views_day on post_views using brin (day) with (pages_per_range = 16, autosummarize = on);
create index post_shares_day on post_shares using brin (day) with (pages_per_range = 16, autosummarize = on);
-- Likes are taken back, and others take their place in the table.
create index post_likes_created on post_likes (created_at, post_id);
