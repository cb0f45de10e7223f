-- Artifacts: documents that agents and people publish, version by version. Their bytes are small and live in the row.

create table artifacts (
  -- `art_` and an id.
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private' check (visibility in ('private', 'team', 'org', 'unlisted', 'public')),
  -- The owning team's username when the artifact came into its hands.
  namespace text not null,
  name text not null,
  title text not null,
  description text not null default '',
  favicon text not null default '',
  type text not null check (type in ('html', 'markdown')),
  images jsonb not null default '{}',
  version_id text not null,
  -- The version that viewers see; null: always the newest.
  shared_version_id text,
  views bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index artifacts_ref on artifacts (namespace, name) where deleted_at is null;
create index artifacts_team on artifacts (team_id, created_at desc, id desc) where deleted_at is null;
create index artifacts_public on artifacts (created_at desc, id desc) where deleted_at is null and visibility = 'public';
create index artifacts_short_id on artifacts (left(id, 12));
create index artifacts_deleted on artifacts (deleted_at) where deleted_at is not null;

create table artifact_versions (
  id text primary key,
  artifact_id text not null,
  -- Counts from 1 within the artifact.
  number integer not null,
  content bytea not null,
  -- SHA-256 and MD5 of the content, hex.
  content_hash text not null,
  md5 text not null,
  size_bytes integer not null,
  label text not null default '',
  notes text not null default '',
  origin text not null default '',
  generated_by text not null default '',
  capabilities jsonb not null default '{}',
  created_by text not null references users (id),
  created_at timestamptz not null,
  unique (artifact_id, number)
);

-- Projects: folders that keep related work together. What is in one says so in its own `project_id`.
create table projects (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private' check (visibility in ('private', 'team', 'org', 'unlisted', 'public')),
  name text not null,
  description text not null default '',
  type text not null check (type in ('agent', 'app', 'flow', 'other')),
  color text not null default '',
  icon text not null default '',
  parent_id text references projects (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index projects_team on projects (team_id, created_at desc, id desc);
create index projects_parent on projects (parent_id) where parent_id is not null;
create index projects_short_id on projects (left(id, 8));
create index triggers_project on triggers (project_id) where project_id is not null;
