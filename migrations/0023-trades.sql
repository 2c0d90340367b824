-- Tables of src/modules/trades: what has become of each accepted offer. docs/trades.md.

-- What was published before this service kept trades is not its to go on with, however often the log is read.
create table trade_origin (
  position bigint not null
);
insert into trade_origin (position) select coalesce(max(position), 0) from events;

create table trade_sessions (
  -- Ids of the marketplace where it opened the session itself.
  id text collate "C" primary key,
  -- In the order in which they were opened: what lists are paged by.
  number bigint generated always as identity,
  offer_id text collate "C" not null,
  status text not null check (status in ('CREATED', 'ACCEPTED', 'CHECKOUT', 'HOLD', 'FULFILLMENT', 'COMPLETED', 'CANCELLED')),
  -- Why it was cancelled.
  reason text,
  currency text not null,
  -- When its reservations or its hold run out, and the event by which that time began.
  due_at timestamptz,
  due_event_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((status = 'CANCELLED') = (reason is not null)),
  check ((status in ('CHECKOUT', 'HOLD')) = (due_at is not null))
) with (fillfactor = 80);
create unique index trade_sessions_number on trade_sessions (number);
-- One trade for an offer, however often its acceptance is told.
create unique index trade_sessions_offer on trade_sessions (offer_id);
create index trade_sessions_due on trade_sessions (due_at) where due_at is not null;
create index trade_sessions_status on trade_sessions (status, number);

create table trade_sides (
  trade_session_id text collate "C" not null references trade_sessions (id),
  side text not null check (side in ('INITIATOR', 'COUNTERPARTY')),
  user_id text not null,
  merchant_account_id uuid not null,
  items json not null,
  original_price numeric not null check (original_price >= 0),
  trade_amount numeric not null check (trade_amount >= 0),
  checkout_status text check (checkout_status in ('OPEN', 'COMPLETED', 'FAILED')),
  paid_at timestamptz,
  fulfillment_status text check (fulfillment_status in ('NOT_NEEDED', 'PENDING', 'STARTED', 'COMPLETED')),
  carrier text,
  tracking_number text,
  estimated_delivery_at timestamptz,
  returned_at timestamptz,
  primary key (trade_session_id, side)
) with (fillfactor = 80);

-- All items that one side brings from one merchant.
create table trade_reservations (
  id uuid primary key,
  trade_session_id text collate "C" not null references trade_sessions (id),
  side text not null check (side in ('INITIATOR', 'COUNTERPARTY')),
  merchant_account_id uuid not null,
  items json not null,
  status text not null check (status in ('RESERVED', 'CONFIRMED', 'SOLD', 'RELEASED', 'EXPIRED', 'UNAVAILABLE'))
) with (fillfactor = 80);
create unique index trade_reservations_holder on trade_reservations (trade_session_id, side, merchant_account_id);

-- The accounts that a trade concerns: merchants of its sides and of its items.
create table trade_accounts (
  account_id uuid not null,
  number bigint not null,
  primary key (account_id, number)
);

-- What moved a trade, or was refused: by an event, a report, the end of a time, or an operator.
create table trade_steps (
  id bigint generated always as identity primary key,
  trade_session_id text collate "C" not null,
  cause text not null,
  event_id uuid,
  report_id uuid,
  -- After the step.
  status text not null,
  -- Why nothing was done.
  refused text,
  request_id text not null,
  at timestamptz not null
);
create unique index trade_steps_event on trade_steps (trade_session_id, event_id) where event_id is not null;
create index trade_steps_trade on trade_steps (trade_session_id, id);

-- Every report that merchants sent in, whatever became of it.
create table inbound_reports (
  id uuid primary key,
  account_id uuid not null,
  -- As far as the body told them.
  event text,
  trade_session_id text collate "C",
  side text,
  occurred_at timestamptz,
  -- As it came.
  body text not null,
  verdict text not null check (verdict in ('ACCEPTED', 'REPEATED', 'REFUSED')),
  error_code text,
  message text,
  -- Events that it caused; of a repetition: none.
  event_ids uuid[] not null,
  -- The report that it repeats.
  repeats uuid,
  request_id text not null,
  received_at timestamptz not null
);
-- A report counts once: contract, "Inbound".
create unique index inbound_reports_once on inbound_reports (account_id, trade_session_id, side, event) where verdict = 'ACCEPTED';
create index inbound_reports_account on inbound_reports (account_id, id);
create index inbound_reports_verdict on inbound_reports (verdict, id);
create index inbound_reports_account_verdict on inbound_reports (account_id, verdict, id);
create index inbound_reports_trade on inbound_reports (trade_session_id, id) where trade_session_id is not null;
