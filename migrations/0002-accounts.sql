-- Tables of src/modules/accounts.

-- A user signs in with e-mail and password, or with a token of an outside identity provider, or (an author brought in
-- by an import) not at all.
create table users (
  id uuid primary key,
  -- Lower case, so that the unique constraint ignores case.
  email text collate "C" constraint users_email unique,
  name text not null,
  password_hash text,
  blog_role text constraint users_blog_role check (blog_role in ('AUTHOR', 'EDITOR')),
  operator boolean not null default false,
  disabled_at timestamptz(3),
  external_issuer text collate "C",
  external_subject text collate "C",
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint users_external unique (external_issuer, external_subject),
  constraint users_external_whole check ((external_issuer is null) = (external_subject is null))
);
-- An import finds its authors by name; the index makes two imports at once agree on one row.
create unique index users_imported_name on users (name) where email is null and external_subject is null;
create index users_enabled_operators on users (id) where operator and disabled_at is null;

-- A revoked row stays until it expires: it is what makes a revoked token of an outside identity provider be refused.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users (id),
  token_hash text collate "C" not null constraint sessions_token unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index sessions_user on sessions (user_id);
create index sessions_expires on sessions (expires_at);

create table accounts (
  id uuid primary key,
  name text not null,
  type text not null constraint accounts_type check (type in ('MERCHANT', 'BUSINESS', 'SITE', 'PLATFORM')),
  created_at timestamptz(3) not null
);

create table account_members (
  account_id uuid not null references accounts (id),
  user_id uuid not null references users (id),
  created_at timestamptz(3) not null,
  primary key (account_id, user_id)
);
create index account_members_user on account_members (user_id);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  key_hash text collate "C" not null constraint api_keys_key unique,
  -- The first characters, by which people tell keys apart.
  key_hint text not null,
  scopes text[] not null,
  -- The signing secret under the master key, bound to this row's id.
  secret_sealed text not null,
  created_at timestamptz(3) not null,
  -- Set by a rotation: until then the old key and the old secret stay valid.
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  replaced_by uuid references api_keys (id),
  -- Version of the topic `credentials` that last changed this row: caches drop just these entries.
  changed_in bigint not null
);
create index api_keys_account on api_keys (account_id);
create index api_keys_changed_in on api_keys (changed_in);
