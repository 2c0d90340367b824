-- The audit trail by what an event is about, by its cause and by its request. Most events have their trade for a subject:
-- these are found by events_trade, and pay nothing for the subject. Few have a cause.
create index events_subject on events (subject_id, position) where subject_id is distinct from trade_session_id;
create index events_cause on events (caused_by, position) where caused_by is not null;
-- Ids of requests are random and long: their hash halves what writing the index costs (measured: 370 bytes of WAL an event
-- instead of 750).
create index events_request on events (hashtextextended(request_id, 0), position);

-- Seals of the log, by which a later change of it is found out (docs/operations.md). Each covers the positions from behind the one
-- before up to its last, with the gaps between; its hash is over their events and over the hash before.
create table event_seals (
  number bigint primary key,
  first_position bigint not null,
  last_position bigint not null,
  events integer not null,
  -- SHA-256 in hex.
  hash text not null,
  sealed_at timestamptz not null
);
create trigger event_seals_append_only before update or delete on event_seals for each row execute function refuse_change();
create trigger event_seals_no_truncate before truncate on event_seals for each statement execute function refuse_change();
