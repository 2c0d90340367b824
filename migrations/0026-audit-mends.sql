-- Who flagged, so that one reader who flags again and again counts once (docs/trust.md).
alter table fraud_facts add column reporter_id text collate "C";
update fraud_facts f set reporter_id = e.data->>'reporterUserId' from events e where f.kind = 'FLAG' and e.id = f.event_id;

-- The audit trail by the name of the event: a rare one among millions is found at once, and not by reading all of them.
create index events_event on events (event, position);
