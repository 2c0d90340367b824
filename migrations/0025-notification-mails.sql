-- E-mails that tell of notifications: a row as long as one is to be sent, or could not be. docs/adr/0018.
create table notification_mails (
  notification_id uuid primary key references notifications (id) on delete cascade,
  -- Failed ones.
  attempts smallint not null,
  -- null: given up.
  next_attempt_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  -- Why the last attempt failed.
  error text,
  updated_at timestamptz not null
) with (fillfactor = 80);
create index notification_mails_due on notification_mails (next_attempt_at, notification_id) where next_attempt_at is not null;

-- What users have chosen; without a row the defaults.
create table notification_settings (
  user_id uuid primary key references users (id),
  email boolean not null,
  updated_at timestamptz not null
);
