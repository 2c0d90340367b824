-- Tables of src/platform/db.

create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash text not null,
  status smallint not null,
  body text,
  headers text,
  created_at timestamptz not null,
  primary key (scope, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

create table change_versions (
  topic text primary key,
  version bigint not null
);
