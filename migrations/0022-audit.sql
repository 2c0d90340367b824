-- The audit trail by what an event is about, by its cause and by its request. Most events have their trade for a subject:
-- these are found by events_trade, and pay nothing for the subject. Few have a cause.
create index events_subject on events (subject_id, position) where subject_id is distinct from trade_session_id;
create index events_cause on events (caused_by, position) where caused_by is not null;
-- Ids of requests are random and long: their hash halves what writing the index costs (measured: 370 bytes of WAL an event
-- instead of 750).
create index events_request on events (hashtextextended(request_id, 0), position);
