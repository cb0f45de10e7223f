-- Auth providers: how one signs in to another service. Platform rows are for every workspace, team rows for one.
-- Beside them what a sign-in needs between leaving for the service and coming back.

-- Companies that providers belong to; a logo found once serves every row of the company.
create table companies (
  slug text primary key,
  display_name text not null,
  type text not null check (type in ('oauth', 'api_key')),
  website text not null default '',
  icon_url text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table auth_providers (
  id text primary key,
  team_id text references teams (id),
  user_id text references users (id),
  slug text not null,
  provider text not null,
  display_name text not null,
  icon_url text not null default '',
  -- Given by a person: no look-up ever replaces it.
  icon_given boolean not null default false,
  website text not null default '',
  description text not null default '',
  docs_url text not null default '',
  how_it_works text[] not null default '{}',
  scope text not null check (scope in ('team', 'platform')),
  connection_scope text not null default 'team' check (connection_scope in ('team', 'user')),
  specs jsonb not null,
  -- The server that an MCP resource's provider was made for.
  mcp_server_url text,
  -- Comes with the program; kept up to date with it until an operator edits or deletes the row.
  seeded boolean not null default false,
  edited_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint auth_providers_owner check ((scope = 'team') = (team_id is not null))
);
create unique index auth_providers_team_slug on auth_providers (team_id, slug) where scope = 'team' and deleted_at is null;
create unique index auth_providers_platform_slug on auth_providers (slug) where scope = 'platform' and deleted_at is null;
create index auth_providers_short_id on auth_providers (left(id, 8));
-- One provider per server: two registrations of one address meet here.
create unique index auth_providers_mcp on auth_providers (mcp_server_url, (coalesce(team_id, '')))
  where mcp_server_url is not null and deleted_at is null;

-- A sign-in under way. The state itself is never stored, only its hash.
create table oauth_states (
  id text primary key,
  state_hash bytea not null unique,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  credential_id text not null references credentials (id),
  -- The OAuth app that the sign-in began with, whatever is set up in the meantime.
  app_credential_id text not null references credentials (id),
  provider text not null,
  scopes text[] not null default '{}',
  redirect_uri text not null,
  code_verifier_sealed bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index oauth_states_expiry on oauth_states (expires_at);

-- Counts the tokens a connection has had: whoever was refused with an older one need not refresh again.
alter table credentials add column token_generation integer not null default 0;
-- Held by the one process that refreshes the connection at the moment.
alter table credentials add column refresh_lease text;
alter table credentials add column refresh_lease_until timestamptz;

-- One sign-in per provider, way of signing in and holder: two requests that connect at once meet here.
create unique index credentials_connection on credentials
  (team_id, provider, type, scope, (case scope when 'user' then user_id when 'agent' then coalesce(metadata->>'agent_id', '') else '' end))
  where type <> 'api_key' and "grant" = 'token' and deleted_at is null;
-- One OAuth app per provider in a workspace, and one for everyone.
create unique index credentials_app on credentials (team_id, provider, scope) where "grant" = 'credentials' and deleted_at is null;
