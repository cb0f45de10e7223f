-- MCP servers: those of workspaces, the directory that everyone sees, and the tools that each was last seen with.

create table mcp_servers (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'team' check (visibility in ('private', 'team', 'org', 'unlisted', 'public')),
  -- The owning team's username when the server was registered.
  namespace text not null,
  slug text not null,
  name text not null,
  title text not null default '',
  description text not null default '',
  icon_url text not null default '',
  server_url text not null,
  auth_type text not null check (auth_type in ('oauth', 'api_key', 'none')),
  oauth_client_id text not null default '',
  default_scopes text[] not null default '{}',
  documentation_url text not null default '',
  -- Slug of the auth provider that its connections belong to; null: it asks for none.
  provider text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((provider is null) = (auth_type = 'none'))
);
create unique index mcp_servers_slug on mcp_servers (team_id, slug);
create index mcp_servers_team on mcp_servers (team_id, created_at desc, id desc);
create index mcp_servers_short_id on mcp_servers (left(id, 8));

-- Written at every start from the catalogue that comes with the program; only the counters are the installation's own.
create table mcp_directory (
  id text primary key,
  slug text not null unique,
  namespace text not null,
  name text not null,
  title text not null,
  description text not null,
  icon_url text not null default '',
  server_url text not null unique,
  auth_type text not null check (auth_type in ('oauth', 'api_key', 'none')),
  default_scopes text[] not null default '{}',
  documentation_url text not null default '',
  category text not null check (category in ('developer', 'productivity', 'data', 'communication', 'ai', 'other')),
  is_featured boolean not null default false,
  rank integer not null default 0,
  installs bigint not null default 0,
  uses bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- A server may show different tools to different accounts, so they are kept by connection; '' is no connection.
create table mcp_tools (
  team_id text not null,
  server_url text not null,
  credential_id text not null,
  tools jsonb not null,
  fetched_at timestamptz not null,
  primary key (team_id, server_url, credential_id)
);
create index mcp_tools_age on mcp_tools (fetched_at);

create view search_source_mcp_server as
  select id, 'mcp'::text as kind, team_id, user_id, visibility, true as listed, namespace, slug as name, title,
    description, '{}'::text[] as tags, ''::text as resource_kind, ''::text as origin, ''::text as content_hash,
    null::timestamptz as confirmed_at, '{}'::text[] as scope, name as body, updated_at
  from mcp_servers;
call search_index('mcp_server', 'mcp_servers', 'team_id, user_id, visibility, namespace, slug, name, title, description');

create view search_source_mcp_directory as
  select id, 'mcp'::text as kind, ''::text as team_id, ''::text as user_id, 'public'::text as visibility, true as listed,
    namespace, slug as name, title, description, '{}'::text[] as tags, category as resource_kind, ''::text as origin,
    ''::text as content_hash, null::timestamptz as confirmed_at, '{}'::text[] as scope, ''::text as body, updated_at
  from mcp_directory;
call search_index('mcp_directory', 'mcp_directory', 'namespace, slug, title, description, category');
