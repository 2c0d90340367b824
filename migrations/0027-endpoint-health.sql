-- Endpoints that fail: docs/adr/0022-who-sends.md. Nodes of the version before take none of it for anything.

-- Since when nothing but failures came back; null: the last that came back was a success.
alter table webhook_endpoints add column failing_since timestamptz;
-- When it was last opened after it had been closed: what waits for it goes little by little.
alter table webhook_endpoints add column opened_at timestamptz;
-- Why it is disabled; null for those of earlier versions, which were disabled by a 410.
alter table webhook_endpoints add column disabled_for text check (disabled_for in ('GONE', 'FAILING'));
alter table webhook_endpoints add column disabled_at timestamptz;
-- DISABLED: from when on one held delivery is sent to see whether it is well again; null: not before somebody asks for it.
alter table webhook_endpoints add column probe_at timestamptz;
-- The delivery that is sent for that now.
alter table webhook_endpoints add column probe_id uuid;
-- Somebody has asked for it.
alter table webhook_endpoints add column probe_asked boolean not null default false;
-- Failed ones since it was disabled.
alter table webhook_endpoints add column probes integer not null default 0;
create index webhook_endpoints_disabled on webhook_endpoints (id) where status = 'DISABLED';

-- What came back last, written every few seconds by the node that sends.
create table webhook_endpoint_health (
  endpoint_id uuid primary key,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure_class text,
  last_failure_status integer
) with (fillfactor = 70);

-- Attempts in five minutes each, for a day: so many in all, failed, and by how long they took (src/modules/webhooks/health/histogram.ts).
create table webhook_endpoint_counts (
  endpoint_id uuid not null,
  bucket timestamptz not null,
  -- Each node writes its own: none has to know what another one has counted.
  writer text not null,
  attempts integer not null,
  failures integer not null,
  durations integer[] not null,
  primary key (endpoint_id, bucket, writer)
) with (fillfactor = 70);
create index webhook_endpoint_counts_bucket on webhook_endpoint_counts (bucket);
