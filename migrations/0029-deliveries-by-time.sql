-- The id of a first delivery follows from its event, endpoint and webhook (docs/adr/0024), with the time and the counter of the
-- event's id: the primary key keeps it from being there twice, and all first deliveries of an event are one range of it. Only
-- what has an id of its own making is looked up by the event: replays, and rows from before this migration.
create index webhook_deliveries_event on webhook_deliveries (event_position)
  where event_position is not null and left(id::text, 18) <> left(event_id::text, 18);
drop index webhook_deliveries_replayed;
drop index webhook_deliveries_once;
