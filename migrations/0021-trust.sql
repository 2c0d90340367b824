-- What fraud evaluation and reputation know. docs/trust.md.

-- Offers made and flags received, by the user concerned; once per event, however often the log is read.
create table fraud_facts (
  event_id uuid primary key,
  kind text not null check (kind in ('OFFER', 'FLAG')),
  -- As the events name the user: an id of the marketplace.
  user_id text collate "C" not null,
  occurred_at timestamptz not null
);
create index fraud_facts_of_user on fraud_facts (user_id, kind, occurred_at);
create index fraud_facts_age on fraud_facts (kind, occurred_at);

-- What was signalled: by rule and the event that triggered it.
create table fraud_signals (
  rule text not null,
  event_id uuid not null,
  user_id text collate "C" not null,
  -- Of the event that triggered it.
  occurred_at timestamptz not null,
  primary key (rule, event_id)
);
create index fraud_signals_of_user on fraud_signals (user_id, rule, occurred_at);
create index fraud_signals_age on fraud_signals (occurred_at);

create table reputation_changes (
  user_id text collate "C" not null,
  event_id uuid not null,
  event text not null,
  -- Of the event in the log: the order in which changes are shown.
  position bigint not null,
  delta integer not null,
  reason text not null,
  occurred_at timestamptz not null,
  primary key (user_id, event_id)
);
create index reputation_changes_of_user on reputation_changes (user_id, position desc);

-- The sums of the changes, so that a score costs one row: of those that everybody may see, and of fraud signals.
create table reputations (
  user_id text collate "C" primary key,
  earned bigint not null,
  fraud bigint not null
) with (fillfactor = 90);
