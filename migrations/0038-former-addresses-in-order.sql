-- What is read below is all there is: nobody changes an endpoint meanwhile, for milliseconds.
lock table webhook_endpoints in share row exclusive mode;
create or replace function keep_former_address() returns trigger language plpgsql as $$
declare
  latest webhook_endpoint_former;
  ended timestamptz;
begin
  select * into latest from webhook_endpoint_former where endpoint_id = old.id order by until desc limit 1;
  -- The node that made the change before may have a clock that is ahead of this one's. In another order than that of the changes the rows would tell
  -- of addresses to which nothing went.
  ended := greatest(new.updated_at, latest.until + interval '1 millisecond');
  -- As many rows as there are changes would be too many. Where only headers became others, one goes on. And who sends may hear of a change ten seconds late
  -- (src/modules/webhooks/endpoints/former-store.ts), so of what lasted for less nothing is known: all that do so in a row are one.
  if latest.url = old.url or (latest.url is null and ended < latest.until + interval '10 seconds') then
    update webhook_endpoint_former set until = ended, url = latest.url where endpoint_id = old.id and until = latest.until;
  else
    insert into webhook_endpoint_former (endpoint_id, until, url)
    values (old.id, ended, case when ended < latest.until + interval '10 seconds' then null else old.url end);
  end if;
  return null;
end $$;
-- Of a change that came between the rows of 0037 and its trigger nothing is kept. It was within a minute of the time that 0037 has in schema_migrations: nobody
-- knows where an endpoint sent before then that was changed since, but for those of which 0037 says so itself.
update webhook_endpoint_former f set url = null from schema_migrations m
  where m.name = '0037-former-addresses.sql' and f.until <= m.applied_at + interval '1 minute' and f.url is not null;
insert into webhook_endpoint_former (endpoint_id, until)
  select e.id, least(e.updated_at, m.applied_at + interval '1 minute')
  from webhook_endpoints e join schema_migrations m on m.name = '0037-former-addresses.sql'
  where e.updated_at > e.created_at and e.created_at < m.applied_at + interval '1 minute' and not exists (
    select from webhook_endpoint_former f where f.endpoint_id = e.id and f.url is null and f.until >= e.updated_at)
  on conflict do nothing;
