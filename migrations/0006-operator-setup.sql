-- Table of src/modules/accounts: one-time tokens with which an installation that has no operator gets its first one.
-- Every start without an operator adds one, also of several nodes at once; the first use removes all.
create table operator_setups (
  token_hash text collate "C" primary key,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
