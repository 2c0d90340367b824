-- Of what an account's endpoint is told; the others, and those of earlier versions, have neither.
alter table notifications add column account_id uuid, add column endpoint_id uuid;
