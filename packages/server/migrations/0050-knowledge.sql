-- Knowledge entries, with skills as the other face of the same rows. Every change of what an entry says is a new version.

create table knowledge (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private' check (visibility in ('private', 'team', 'org', 'unlisted', 'public')),
  -- The owning team's username when the entry came into its hands.
  namespace text not null,
  name text not null,
  title text not null default '',
  description text not null,
  type text not null check (type in
    ('skill', 'concept', 'observation', 'reference', 'preference', 'person', 'project', 'agent-config')),
  lifecycle text not null default 'permanent' check (lifecycle in ('permanent', 'decay')),
  version_id text not null,
  -- Of the current version: what two entries with the same content have in common.
  content_hash text not null,
  repo_url text not null default '',
  category text not null default '',
  -- The entry and the version that this one was made from.
  parent_id text,
  parent_version_id text,
  uses bigint not null default 0,
  installs bigint not null default 0,
  -- Set by those who run the store.
  is_featured boolean not null default false,
  rank integer not null default 0,
  delisted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index knowledge_ref on knowledge (namespace, name) where deleted_at is null;
create index knowledge_team on knowledge (team_id, created_at desc, id desc) where deleted_at is null;
create index knowledge_public on knowledge (created_at desc, id desc) where deleted_at is null and visibility = 'public';
create index knowledge_store on knowledge (rank desc, created_at desc, id desc)
  where deleted_at is null and visibility = 'public' and type = 'skill' and not delisted;
create index knowledge_short_id on knowledge (left(id, 8));
create index knowledge_parent on knowledge (parent_id) where parent_id is not null;
create index knowledge_content on knowledge (content_hash) where deleted_at is null;
create index knowledge_deleted on knowledge (deleted_at) where deleted_at is not null;

-- A version never changes, except that a fading entry's newest one can be confirmed.
create table knowledge_versions (
  id text primary key,
  knowledge_id text not null,
  -- [{path, size, hash}]: the main content first.
  files jsonb not null,
  content_hash text not null,
  description text not null default '',
  tags text[] not null default '{}',
  scope text[] not null default '{}',
  metadata jsonb not null default '{}',
  origin text not null default '',
  generated_by text not null default '',
  source_url text not null default '',
  mutation_type text not null check (mutation_type in ('create', 'update', 'fork', 'import')),
  version_notes text not null default '',
  -- What only a skill says: allowed_tools, compatibility, license, context, disable_model_invocation, user_invocable.
  skill jsonb not null default '{}',
  last_confirmed_at timestamptz not null,
  created_by text not null references users (id),
  created_at timestamptz not null
);
create index knowledge_versions_entry on knowledge_versions (knowledge_id, created_at desc, id desc);

-- The texts of an entry's versions, each once however many versions carry it.
create table knowledge_contents (
  knowledge_id text not null,
  hash text not null,
  content text not null,
  primary key (knowledge_id, hash)
);

-- What the current version of an entry mentions. By id, so that a resource that moves to another workspace stays known.
create table knowledge_references (
  knowledge_id text not null,
  target_id text not null,
  primary key (knowledge_id, target_id)
);
create index knowledge_references_target on knowledge_references (target_id);
