-- Tables of src/modules/webhooks.

create table webhook_endpoints (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('MERCHANT', 'BUSINESS')),
  url text not null,
  -- null: every webhook of the kind, also those that come with later versions.
  events text[],
  description text not null default '',
  -- Custom headers as JSON, encrypted: they may hold credentials of the receiver.
  headers_sealed text,
  max_in_flight integer,
  rate_per_second integer,
  status text not null check (status in ('ACTIVE', 'PAUSED', 'DISABLED')),
  status_reason text,
  -- Only events above this position of the log: those published after the endpoint was created.
  after_position bigint not null,
  -- The change version under which the row was last written: caches fetch what is newer.
  version bigint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create index webhook_endpoints_account on webhook_endpoints (account_id, id);
create index webhook_endpoints_version on webhook_endpoints (version);

create table webhook_deliveries (
  id uuid primary key,
  -- null for test events, which are not in the log; `body` holds what they send.
  event_position bigint,
  event_id uuid not null,
  webhook text not null,
  -- No foreign key: a check per row would lock the endpoint for every delivery. Endpoints are never removed from their table.
  endpoint_id uuid not null,
  account_id uuid not null,
  status text not null check (status in ('PENDING', 'DELIVERED', 'DEAD', 'HELD', 'DISCARDED')),
  attempts smallint not null,
  next_attempt_at timestamptz,
  lease_owner text,
  lease_until timestamptz,
  replay_of uuid,
  request_id text not null,
  error_class text,
  body text,
  -- One line of JSON per attempt. Text, since nothing is looked for in it, and jsonb costs a parse and a rewrite per row.
  attempt_log text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- One delivery per event, webhook and endpoint: what was fanned out before a crash is not fanned out twice.
create unique index webhook_deliveries_once on webhook_deliveries (event_position, endpoint_id, webhook)
  where replay_of is null and event_position is not null;
create index webhook_deliveries_account on webhook_deliveries (account_id, id);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where status = 'PENDING';
create index webhook_deliveries_held on webhook_deliveries (endpoint_id) where status = 'HELD';
create index webhook_deliveries_dead on webhook_deliveries (endpoint_id, id) where status = 'DEAD';
