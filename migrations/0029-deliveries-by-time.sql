-- Deliveries by the time in their id, in a part for each week (docs/adr/0024). The id of a first delivery follows from its event,
-- endpoint and webhook, with the time and the counter of the event's id: the primary key keeps it from being there twice, and all
-- first deliveries of an event are one range of it. Only what has an id of its own making is looked up by the event: replays, and
-- rows from before this migration.
create index webhook_deliveries_event on webhook_deliveries (event_position)
  where event_position is not null and left(id::text, 18) <> left(event_id::text, 18);
drop index webhook_deliveries_replayed;
drop index webhook_deliveries_once;

-- The table as it is becomes the first part, up to the end of this week: its rows are read once, and its indexes are kept.
do $$
declare
  bound uuid := rpad(lpad(to_hex((extract(epoch from date_trunc('week', now() at time zone 'UTC') + interval '7 days') * 1000)::bigint),
    12, '0'), 32, '0')::uuid;
  definitions text[];
  definition text;
  name text;
begin
  select array_agg(pg_get_indexdef(indexrelid)) into definitions from pg_index
    where indrelid = 'webhook_deliveries'::regclass and not indisprimary;
  alter table webhook_deliveries rename to webhook_deliveries_first;
  for name in select relname from pg_class join pg_index on indexrelid = pg_class.oid
    where indrelid = 'webhook_deliveries_first'::regclass
  loop
    execute format('alter index %I rename to %I', name, replace(name, 'webhook_deliveries_', 'webhook_deliveries_first_'));
  end loop;
  create table webhook_deliveries (like webhook_deliveries_first including defaults including constraints, primary key (id))
    partition by range (id);
  foreach definition in array definitions loop
    execute definition;
  end loop;
  -- Whatever no other part takes: so nothing is ever refused for want of one.
  create table webhook_deliveries_rest partition of webhook_deliveries default;
  -- Of a node whose clock was ahead.
  execute format('with ahead as (delete from webhook_deliveries_first where id >= %L returning *)
    insert into webhook_deliveries select * from ahead', bound);
  execute format('alter table webhook_deliveries attach partition webhook_deliveries_first for values from (minvalue) to (%L)', bound);
end
$$;
alter table webhook_deliveries_rest set (autovacuum_vacuum_insert_scale_factor = 0.05);

-- Accounts whose deliveries are kept for longer or shorter than is usual. Days.
create table webhook_retention (
  account_id uuid primary key references accounts (id),
  days integer not null check (days > 0),
  updated_at timestamptz not null
);
