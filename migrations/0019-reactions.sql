-- What a reader of the log could not handle: it goes on without it and tries again later, so that one event stops no other
-- (docs/adr/0018).
create table event_failures (
  reader text not null,
  position bigint not null,
  event_id uuid not null,
  event text not null,
  error text not null,
  attempts integer not null,
  first_failed_at timestamptz not null,
  last_failed_at timestamptz not null,
  -- Null: set aside, until somebody asks for another try.
  next_attempt_at timestamptz,
  primary key (reader, position)
);
create index event_failures_due on event_failures (reader, next_attempt_at) where next_attempt_at is not null;
