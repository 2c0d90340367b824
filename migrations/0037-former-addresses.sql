-- Where endpoints sent before they were changed. A delivery that arrived at once keeps no address of its own: nearly all are of these, and
-- each would be larger by it. A change is rare, so it is the change that keeps what was before.
create table webhook_endpoint_former (
  endpoint_id uuid not null,
  -- It was so before this time.
  until timestamptz not null,
  -- null: not known, since the last change is older than this table.
  url text,
  primary key (endpoint_id, until)
);
insert into webhook_endpoint_former (endpoint_id, until)
  select id, updated_at from webhook_endpoints where updated_at > created_at;
-- By a trigger, so that old nodes keep it as well. Other headers count too: theirs are the names that an attempt is told with.
create function keep_former_address() returns trigger language plpgsql as $$
begin
  insert into webhook_endpoint_former (endpoint_id, until, url) values (old.id, new.updated_at, old.url)
  on conflict do nothing;
  return null;
end $$;
create trigger webhook_endpoints_keep_former after update on webhook_endpoints for each row
  when (old.url is distinct from new.url or old.headers_sealed is distinct from new.headers_sealed)
  execute function keep_former_address();
