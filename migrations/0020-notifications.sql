-- What users are told of. docs/adr/0018.
create table notifications (
  id uuid primary key,
  -- As the events name the user: an id of the marketplace.
  user_id text collate "C" not null,
  event_id uuid not null,
  event text not null,
  offer_id text,
  trade_session_id text,
  text text not null,
  created_at timestamptz not null,
  read_at timestamptz
) with (fillfactor = 90);
-- Each event tells each user once, however often the log is read.
create unique index notifications_once on notifications (event_id, user_id);
create index notifications_of_user on notifications (user_id, id desc);
create index notifications_unread on notifications (user_id, id desc) where read_at is null;
