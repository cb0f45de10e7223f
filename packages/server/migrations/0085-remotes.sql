-- Remotes: machines of people, the coding agents they host, commands that run there, and what those printed.

create table remotes (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private',
  name text not null default '',
  -- A registration does not take back a name that somebody chose here.
  named_by_hand boolean not null default false,
  -- Identifies the machine for its owner; an empty one identifies nothing.
  public_key text not null default '',
  status text not null default 'pending' check (status in ('pending', 'running', 'disconnected', 'stopped')),
  heartbeat_at timestamptz,
  disconnected_at timestamptz,
  -- Whether a server holds its socket, and which connection that is.
  connected boolean not null default false,
  connection_number integer not null default 0,
  system_info jsonb,
  remote_version text not null default '',
  exec_enabled boolean not null default false,
  agents_enabled boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index remotes_key on remotes (team_id, user_id, public_key) where deleted_at is null and public_key <> '';
create index remotes_team on remotes (team_id, created_at desc, id desc) where deleted_at is null;
create index remotes_short_id on remotes (left(id, 8));
create index remotes_watched on remotes (heartbeat_at) where deleted_at is null and status in ('running', 'disconnected');

create table remote_profiles (
  id text primary key,
  remote_id text not null references remotes (id),
  team_id text not null,
  harness_kind text not null,
  name text not null,
  command text not null default '',
  args text[] not null default '{}',
  status text not null check (status in ('idle', 'busy', 'unavailable')),
  max_concurrent integer not null default 1,
  version text not null default '',
  capabilities jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index remote_profiles_kind on remote_profiles (remote_id, harness_kind);

create table exec_runs (
  id text primary key,
  team_id text not null,
  -- Who asked for it, and whose machine it is.
  user_id text not null,
  owner_id text not null,
  remote_id text not null references remotes (id),
  command text not null,
  args text[] not null default '{}',
  cwd text not null default '',
  -- Names only. The values are kept sealed until the command was sent.
  env_names text[] not null default '{}',
  env_sealed bytea,
  pty boolean not null default false,
  stdin boolean not null default false,
  cols integer,
  rows integer,
  timeout_ms integer not null default 0,
  status text not null default 'pending' check (status in ('pending', 'running', 'exited', 'killed', 'denied')),
  exit_code integer,
  error text not null default '',
  timed_out boolean not null default false,
  signalled_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  duration_ms bigint,
  requested_by text not null default 'user' check (requested_by in ('loop', 'agent', 'user')),
  agent_run_id text,
  last_seq bigint not null default 0,
  output_bytes bigint not null default 0,
  -- What has been stored so far, each chunk counted with what a row costs; see `cost_to` of the chunks.
  output_cost bigint not null default 0,
  dropped_bytes bigint not null default 0,
  dropped_cost bigint not null default 0,
  -- Chunks after the first of these and up to the second are gone.
  dropped_after_seq bigint,
  dropped_to_seq bigint,
  input_seq bigint not null default 0,
  input_acked bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index exec_runs_team on exec_runs (team_id, created_at desc, id desc);
create index exec_runs_open on exec_runs (remote_id) where status in ('pending', 'running');
create index exec_runs_short_id on exec_runs (left(id, 8));
create index exec_runs_ended on exec_runs (ended_at) where ended_at is not null;

create table exec_chunks (
  exec_run_id text not null references exec_runs (id) on delete cascade,
  seq bigint not null,
  stream text not null,
  data bytea not null,
  -- Bytes that the command had printed before this.
  starts_at bigint not null,
  -- What the chunks up to this one cost.
  cost_to bigint not null,
  created_at timestamptz not null default now(),
  primary key (exec_run_id, seq)
);
-- Output is rarely worth the time of compressing it.
alter table exec_chunks alter column data set storage external;

-- What was typed and has not reached the command yet.
create table exec_inputs (
  exec_run_id text not null references exec_runs (id) on delete cascade,
  seq bigint not null,
  data bytea not null,
  eof boolean not null default false,
  primary key (exec_run_id, seq)
);
