-- The audit trail of one account. Written in bulk (fastupdate); a small pending list keeps each of these writes short.
create index events_audience on events using gin (account_ids) with (gin_pending_list_limit = 1024);
-- What was not delivered is rare and looked for; what was delivered pays nothing for it.
create index webhook_deliveries_undelivered on webhook_deliveries (account_id, status, id) where status <> 'DELIVERED';
-- Deliveries of an event: first ones are found by webhook_deliveries_once.
create index webhook_deliveries_replayed on webhook_deliveries (event_position) where replay_of is not null;
