-- online
-- Reports of one kind (src/modules/trades/inbound), by their verdict within: what merchants report rarely was looked for past all others.
create index concurrently if not exists inbound_reports_event on inbound_reports (event, verdict, id) where event is not null;
create index concurrently if not exists inbound_reports_account_event on inbound_reports (account_id, event, verdict, id)
  where event is not null;
