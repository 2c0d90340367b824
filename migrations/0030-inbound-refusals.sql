-- How many like it came later in the same minute, when so many were refused that they no longer have a row each.
alter table inbound_reports add column further integer not null default 0;
