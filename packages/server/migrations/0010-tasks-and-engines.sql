-- Runs and the machines that execute them.

create table engines (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'team',
  name text not null,
  api_url text not null default '',
  status text not null default 'pending'
    check (status in ('pending', 'running', 'draining', 'restarting', 'disconnected', 'stopping', 'stopped')),
  stop_reason text not null default '',
  engine_version text not null default '',
  config jsonb not null default '{}',
  system_info jsonb,
  public_key text not null default '',
  -- cloud: serves every workspace · private: only its own
  infra text not null default 'private' check (infra in ('cloud', 'private')),
  connected boolean not null default false,
  -- Which server process holds the socket; empty when none does.
  replica text not null default '',
  -- Rises with every connect; frames of an older socket are ignored.
  connection_number integer not null default 0,
  disconnected_at timestamptz,
  last_seen_at timestamptz,
  event_seq bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index engines_team on engines (team_id, created_at desc, id desc) where deleted_at is null;

create table workers (
  id text primary key,
  engine_id text not null references engines (id),
  user_id text not null,
  team_id text not null,
  index integer not null,
  status text not null default 'inactive' check (status in ('reserved', 'busy', 'idle', 'inactive')),
  task_id text,
  app_id text not null default '',
  app_version_id text not null default '',
  active_session_id text,
  gpus jsonb not null default '[]',
  cpus jsonb not null default '[]',
  rams jsonb not null default '[]',
  gpu_count integer not null default 0,
  gpu_type text not null default 'none',
  -- Of the smallest GPU.
  gpu_vram bigint not null default 0,
  ram bigint not null default 0,
  system_info jsonb not null default '{}',
  warm_apps text[] not null default '{}',
  last_seen_at timestamptz,
  idle_since timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index workers_engine on workers (engine_id, index) where deleted_at is null;
create index workers_idle on workers (status) where deleted_at is null;

create table tasks (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private',
  status smallint not null,
  app_id text not null default '',
  app_version_id text not null default '',
  app_variant text not null default '',
  function text not null default '',
  -- The function keeps a live socket open.
  is_stream boolean not null default false,
  infra text not null default 'cloud',
  workers text[] not null default '{}',
  setup jsonb,
  input jsonb not null default '{}',
  output jsonb,
  error text not null default '',
  rating text not null default 'unrated',
  is_featured boolean not null default false,
  -- One entry per status change: {id, status, event_time}.
  events jsonb not null default '[]',
  -- Numbers the changes that streams report.
  event_seq bigint not null default 1,
  -- Rises with every dispatch; frames that carry another number are late.
  attempt integer not null default 0,
  engine_id text,
  worker_id text,
  session_id text,
  session_timeout integer,
  run_at timestamptz,
  -- When a queued task may be dispatched next.
  available_at timestamptz not null default now(),
  accepted_at timestamptz,
  cancel_deadline timestamptz,
  webhook text not null default '',
  metadata jsonb not null default '{}',
  warm_key text not null default '',
  gpu_count integer not null default 0,
  gpu_type text not null default '',
  gpu_vram bigint not null default 0,
  ram bigint not null default 0,
  -- What the credential that started the run may do; everything the run does is held to it.
  run_as jsonb not null default '{}',
  graph_id text,
  flow_run_id text,
  flow_node_id text,
  sub_flow_run_id text,
  chat_id text,
  agent_id text,
  agent_version_id text,
  cost bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  deleted_at timestamptz
);
create index tasks_team on tasks (team_id, created_at desc, id desc) where deleted_at is null;
create index tasks_queue on tasks (available_at, created_at) where status = 2 and deleted_at is null;
create index tasks_live on tasks (engine_id) where status between 3 and 9;
create index tasks_team_live on tasks (team_id) where status between 3 and 9;
create index tasks_flow_run on tasks (flow_run_id) where flow_run_id is not null;
create index tasks_session on tasks (session_id) where session_id is not null;
create index tasks_app on tasks (app_id, created_at desc);

create table task_log_chunks (
  task_id text not null,
  log_type smallint not null,
  seq bigint generated always as identity,
  content text not null,
  created_at timestamptz not null default now(),
  primary key (task_id, log_type, seq)
);

create table task_telemetry (
  id text primary key,
  task_id text not null,
  task_seq integer not null,
  app_id text not null,
  app_version_id text not null,
  engine_id text not null,
  worker_id text not null,
  engine_resources jsonb not null,
  system_info jsonb not null,
  created_at timestamptz not null
);
create index task_telemetry_task on task_telemetry (task_id, task_seq);

create table app_sessions (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null,
  visibility text not null default 'private',
  engine_id text,
  worker_id text,
  app_id text not null,
  app_version_id text not null,
  status text not null default 'active' check (status in ('active', 'ended', 'expired')),
  idle_timeout integer not null,
  -- Null while a task of the session runs or waits.
  expires_at timestamptz,
  ended_at timestamptz,
  last_call_at timestamptz,
  task_id text,
  call_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index app_sessions_team on app_sessions (team_id) where status = 'active';
create index app_sessions_expiry on app_sessions (expires_at) where status = 'active';

create table live_sockets (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null,
  visibility text not null default 'private',
  task_id text not null,
  relay text not null default '',
  status text not null default 'pending' check (status in ('pending', 'open', 'closed')),
  paired_at timestamptz,
  ended_at timestamptz,
  outcome text,
  close_code integer,
  close_reason text,
  client_frames bigint not null default 0,
  client_bytes bigint not null default 0,
  worker_frames bigint not null default 0,
  worker_bytes bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index live_sockets_task on live_sockets (task_id);
create index live_sockets_team on live_sockets (team_id, created_at desc, id desc) where deleted_at is null;

create table webhook_deliveries (
  id text primary key,
  team_id text not null,
  task_id text not null,
  url text not null,
  event text not null,
  body jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Each attempt: {at, status_code, error, duration_ms}.
  attempts jsonb not null default '[]',
  delivered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index webhook_deliveries_task on webhook_deliveries (task_id);
