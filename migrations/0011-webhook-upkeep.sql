-- What is held for an endpoint is made due or discarded portion by portion, oldest first.
create index webhook_deliveries_held_in_order on webhook_deliveries (endpoint_id, id) where status = 'HELD';
drop index webhook_deliveries_held;
-- What became due at the same time is claimed in the order of its making.
create index webhook_deliveries_due_in_order on webhook_deliveries (endpoint_id, next_attempt_at, id) where status = 'PENDING';
drop index webhook_deliveries_due;
