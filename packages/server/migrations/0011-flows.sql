-- Flows, their versions, and runs of flows with the state of every node and an append-only log.

create table flows (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private' check (visibility in ('private', 'unlisted', 'public')),
  -- The owning team's username when the flow came into its hands.
  namespace text not null,
  name text not null,
  title text not null default '',
  description text not null default '',
  card_image text not null default '',
  thumbnail text not null default '',
  banner_image text not null default '',
  draft_version_id text not null,
  published_version_id text,
  -- The app that was deployed from this flow.
  app_id text,
  -- What can be undone and redone, over all users: the last 50 entries.
  history json not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index flows_ref on flows (namespace, name);
create index flows_team on flows (team_id, created_at desc, id desc);
create index flows_public on flows (created_at desc, id desc) where visibility = 'public';
create index flows_short_id on flows (left(id, 8));

-- A version that was published, or that a run has used, is frozen and stands for the same graph for ever. Only the draft
-- of a flow may be otherwise; an edit of a frozen draft begins a new one. Versions that runs or apps need outlive their flow.
create table flow_versions (
  id text primary key,
  flow_id text not null,
  graph_version bigint not null,
  -- Kept as text, not jsonb: forms show a schema's properties in the order in which their author wrote them.
  graph json not null,
  frozen boolean not null default false,
  created_by text not null references users (id),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index flow_versions_flow on flow_versions (flow_id, created_at desc, id desc);

create index app_versions_flow on app_versions (flow_version_id) where flow_version_id is not null;

-- The rows below are written in great numbers; what they refer to is checked by the rules that write them.
create table flow_runs (
  id text primary key,
  team_id text not null,
  user_id text not null,
  visibility text not null default 'team',
  flow_id text not null,
  flow_version_id text not null,
  graph_version bigint not null,
  -- The task that stands for the whole run.
  task_id text not null,
  status smallint not null,
  input json not null,
  output json,
  error text not null default '',
  fail_on_error boolean not null default true,
  origin_run_id text,
  trigger_id text,
  -- What the credential that started the run may do; every step is held to it.
  run_as jsonb not null,
  metadata jsonb not null default '{}',
  -- Numbers the changes that streams report.
  event_seq bigint not null default 1,
  -- How many events the log holds.
  log_length integer not null,
  started_at timestamptz,
  finished_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index flow_runs_team on flow_runs (team_id, created_at desc, id desc);
create index flow_runs_flow on flow_runs (flow_id, created_at desc, id desc);
create index flow_runs_short_id on flow_runs (left(id, 8));
create index flow_runs_live on flow_runs (created_at) where status < 3;

-- One row per node that has begun or ended; a node without a row is pending.
create table flow_run_nodes (
  run_id text not null,
  node_id text not null,
  status text not null,
  attempt integer,
  -- The latest task of an app node; its output is the node's.
  task_id text,
  -- What a utility node stored.
  output json,
  error text,
  -- A gate that closed: failed without failing the run.
  gate boolean,
  blocked_by text,
  deadline_ms double precision,
  retry_at_ms double precision,
  primary key (run_id, node_id)
);

-- One row per step of the run, holding the events of that step in order; `seq` numbers the first of them from 1.
create table flow_run_events (
  run_id text not null,
  seq integer not null,
  events json not null,
  created_at timestamptz not null,
  primary key (run_id, seq)
);
