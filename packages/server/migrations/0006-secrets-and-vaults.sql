-- Secrets, vaults and the credentials they belong to. No value is stored in the clear: what is sealed names its data key
-- in its own first bytes and opens only in the row and column it was sealed for.

create table credentials (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  org_id text references organizations (id),
  visibility text not null default 'team' check (visibility in ('private', 'team', 'org', 'unlisted', 'public')),
  provider text not null,
  type text not null check (type in ('oauth', 'api_key', 'mcp', 'service_account', 'wif')),
  -- An OAuth app's own row, or a connection made with it.
  "grant" text not null default 'token' check ("grant" in ('credentials', 'token')),
  app_credential_id text references credentials (id),
  scope text not null check (scope in ('platform', 'org', 'team', 'user', 'agent')),
  status text not null default 'pending' check (status in ('pending', 'connected', 'disconnected', 'expired', 'error')),
  display_name text not null default '',
  icon_url text not null default '',
  account_identifier text not null default '',
  account_name text not null default '',
  scopes text[] not null default '{}',
  expires_at timestamptz,
  vault_id text,
  metadata jsonb not null default '{}',
  is_primary boolean not null default false,
  error_message text not null default '',
  access_token_sealed bytea,
  refresh_token_sealed bytea,
  id_token_sealed bytea,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index credentials_team on credentials (team_id, created_at desc, id desc) where deleted_at is null;
create index credentials_provider on credentials (team_id, provider) where deleted_at is null;
create index credentials_org on credentials (org_id, provider) where deleted_at is null and scope = 'org';
create index credentials_platform on credentials (provider) where deleted_at is null and scope = 'platform';
create index credentials_short_id on credentials (left(id, 8));
create index credentials_expiry on credentials (expires_at) where deleted_at is null and status = 'connected';
-- One key connection per provider and holder: two requests that connect at once meet here.
create unique index credentials_api_key on credentials (team_id, provider, scope, (case scope when 'user' then user_id else '' end))
  where type = 'api_key' and "grant" = 'token' and deleted_at is null;

create table secrets (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  key text not null,
  description text not null default '',
  -- team: managed by people · internal: managed by a credential · system: managed by the server.
  scope text not null default 'team' check (scope in ('team', 'internal', 'system')),
  credential_id text references credentials (id),
  -- The number of its present value in secret_versions.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index secrets_key on secrets (team_id, scope, key) where deleted_at is null;
create index secrets_team on secrets (team_id, created_at desc, id desc) where deleted_at is null;
create index secrets_credential on secrets (credential_id) where credential_id is not null and deleted_at is null;

-- Every value a secret has or had, newest last. Deleted with the secret, not marked.
create table secret_versions (
  id text primary key,
  secret_id text not null references secrets (id) on delete cascade,
  team_id text not null,
  number integer not null,
  value_sealed bytea not null,
  -- The last characters of a long value, to recognise it by; empty otherwise.
  hint text not null default '',
  user_id text not null,
  created_at timestamptz not null default now(),
  unique (secret_id, number)
);

create table vaults (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  name text not null default '',
  description text not null default '',
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index vaults_default on vaults (team_id) where is_default and deleted_at is null;
create index vaults_team on vaults (team_id, created_at desc, id desc) where deleted_at is null;
create index vaults_short_id on vaults (left(id, 8));

create table vault_secrets (
  vault_id text not null references vaults (id) on delete cascade,
  secret_id text not null references secrets (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (vault_id, secret_id)
);
create index vault_secrets_secret on vault_secrets (secret_id);

create table vault_credentials (
  vault_id text not null references vaults (id) on delete cascade,
  credential_id text not null references credentials (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (vault_id, credential_id)
);
create index vault_credentials_credential on vault_credentials (credential_id);

create index data_keys_master on data_keys (master_key_id);
