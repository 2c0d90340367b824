-- Tables of src/modules/events: the append-only log (audit trail and outbox at once) and its readers' cursors.

-- One after another and never cached by a session: readers rely on a position being handed out before every higher one.
create sequence event_positions as bigint cache 1;

create table events (
  position bigint primary key,
  id uuid not null,
  event text not null,
  -- `json`, not `jsonb`: the text as it was published, byte for byte.
  data json not null,
  account_ids uuid[] not null,
  subject_id text,
  trade_session_id text,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  request_id text not null,
  caused_by uuid
);
create unique index events_id on events (id);
create index events_trade on events (trade_session_id, position) where trade_session_id is not null;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the event log is append-only: % of % is refused', lower(tg_op), tg_table_name
    using errcode = 'insufficient_privilege';
end
$$;
create trigger events_append_only before update or delete on events for each row execute function refuse_change();
create trigger events_no_truncate before truncate on events for each statement execute function refuse_change();

create table event_readers (
  name text primary key,
  -- Everything up to here has been handled.
  position bigint not null,
  lease_owner text,
  lease_until timestamptz,
  updated_at timestamptz not null
) with (fillfactor = 50);
