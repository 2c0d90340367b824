-- Dead letters by endpoint, cause and webhook: each group is found by one step in the index, and nothing else is written to it.
create index webhook_deliveries_dead_letters on webhook_deliveries (endpoint_id, (coalesce(error_class, 'UNKNOWN')), webhook, id)
  where status = 'DEAD';
-- Why somebody ended a delivery.
alter table webhook_deliveries add column discard_reason text;

-- What was read from the feed of an endpoint up to here needs no push any more.
alter table webhook_endpoints add column pulled_position bigint not null default 0;

-- Replays and discards of many deliveries at once, done in portions by whichever worker comes first.
create table webhook_jobs (
  id uuid primary key,
  kind text not null check (kind in ('REPLAY', 'DISCARD')),
  state text not null check (state in ('RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED')),
  -- null: of all accounts, for operators.
  account_id uuid references accounts (id),
  filter json not null,
  reason text,
  rate_per_second integer,
  skip_replayed boolean not null default false,
  total bigint not null,
  total_is_exact boolean not null,
  -- Everything up to this delivery has been handled; null: nothing yet. What was made after the job is above its id, and never reached.
  cursor uuid,
  done bigint not null default 0,
  skipped json not null default '{}',
  next_at timestamptz not null,
  failures integer not null default 0,
  error text,
  request_id text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz
);
create index webhook_jobs_account on webhook_jobs (account_id, id);
create index webhook_jobs_running on webhook_jobs (next_at) where state = 'RUNNING';
