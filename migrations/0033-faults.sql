-- How often in a row our own code failed on a delivery, without an attempt in between. How long it is put off, and when it is
-- given up, go by this and not by its age (src/modules/webhooks/engine/rules.ts).
alter table webhook_deliveries add column faults smallint not null default 0;
