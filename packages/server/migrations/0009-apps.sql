-- Apps, their versions, and what surrounds them: aliases, accepted licenses, the store's own word on a listing.

create table apps (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private' check (visibility in ('private', 'team', 'public')),
  -- The owning team's username when the app came into its hands.
  namespace text not null,
  name text not null,
  title text not null default '',
  description text not null default '',
  agent_description text not null default '',
  category text not null default 'other'
    check (category in ('image', 'video', 'audio', 'text', 'chat', '3d', 'flow', 'decision', 'other')),
  tags text[] not null default '{}',
  images jsonb not null default '{}',
  -- The active version; null until there is one.
  version_id text,
  status text not null default 'active' check (status in ('active', 'maintenance', 'deprecated', 'retired')),
  status_message text not null default '',
  status_changed_at timestamptz,
  -- Set by those who run the store.
  subcategory text not null default '',
  is_featured boolean not null default false,
  rank integer not null default 0,
  delisted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index apps_ref on apps (namespace, name) where deleted_at is null;
create index apps_team on apps (team_id, created_at desc, id desc) where deleted_at is null;
create index apps_public on apps (created_at desc, id desc) where deleted_at is null and visibility = 'public';
create index apps_store on apps (rank desc, created_at desc, id desc)
  where deleted_at is null and visibility = 'public' and status <> 'retired' and not delisted;
create index apps_short_id on apps (left(id, 8));
create index apps_tags on apps using gin (tags);

-- Written once and never changed: a version id stands for the same code and schemas for ever.
create table app_versions (
  id text primary key,
  app_id text not null references apps (id),
  created_by text not null references users (id),
  metadata jsonb not null default '{}',
  -- URI of the code bundle and its SHA-256; both empty for a version that a flow backs.
  repository text not null default '',
  checksum text not null default '',
  kernel text not null default '',
  -- Kept as text, not jsonb: forms show a schema's properties in the order in which its author wrote them.
  setup_schema json,
  functions json not null,
  default_function text not null default '',
  variants jsonb not null default '{}',
  env jsonb not null default '{}',
  resources jsonb not null,
  required_secrets jsonb not null default '[]',
  required_credentials jsonb not null default '[]',
  flow_version_id text,
  created_at timestamptz not null default now()
);
create index app_versions_app on app_versions (app_id, created_at desc, id desc);

create table app_licenses (
  id text primary key,
  app_id text not null references apps (id),
  user_id text not null references users (id),
  license text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (app_id, user_id)
);

-- Refs that the platform keeps pointing somewhere else: at an app (and perhaps one of its functions), or at a page.
create table app_aliases (
  id text primary key,
  namespace text not null,
  name text not null,
  app_id text references apps (id),
  function text not null default '',
  url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (namespace, name),
  check (num_nonnulls(app_id, url) = 1)
);
