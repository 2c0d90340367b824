-- Who changed what of the configuration. Written with the change itself; outlives what was changed.
create table changes (
  id uuid primary key,
  at timestamptz(3) not null,
  action text not null,
  actor_kind text not null check (actor_kind in ('USER', 'API_KEY', 'SERVICE')),
  -- A row of users or of api_keys; null where the service did it by itself.
  actor_id uuid,
  -- The account that it concerns, if it concerns one.
  account_id uuid,
  thing_kind text not null,
  -- Null: there is only one of it.
  thing_id uuid,
  -- What the thing was called at that time.
  thing_name text not null,
  before jsonb not null,
  after jsonb not null,
  request_id text,
  constraint changes_actor check ((actor_id is null) = (actor_kind = 'SERVICE'))
);
create index changes_account on changes (account_id, id) where account_id is not null;
create index changes_thing on changes (thing_id, id) where thing_id is not null;
create index changes_actor on changes (actor_id, id) where actor_id is not null;
create index changes_action on changes (action, id);

create function refuse_changes_change() returns trigger language plpgsql as $$
begin
  raise exception 'the record of changes is append-only: % is refused', lower(tg_op)
    using errcode = 'insufficient_privilege';
end
$$;
-- Rows are deleted by retention only, which is not told apart here.
create trigger changes_append_only before update on changes
  for each row execute function refuse_changes_change();
create trigger changes_no_truncate before truncate on changes
  for each statement execute function refuse_changes_change();
