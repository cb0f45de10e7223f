-- Agents and their versions; chats, messages, runs of the agent loop, tool calls, what people are asked, and the rules
-- that say when they are.

create table agents (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'private',
  -- The owning team's username when the agent came into its hands.
  namespace text not null,
  name text not null,
  title text not null default '',
  images jsonb not null default '{}',
  version_id text,
  harness text not null default 'inference',
  profile_id text,
  remote_id text,
  project_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index agents_ref on agents (namespace, name) where deleted_at is null;
create index agents_team on agents (team_id, created_at desc, id desc) where deleted_at is null;
create index agents_public on agents (created_at desc, id desc) where visibility = 'public' and deleted_at is null;
create index agents_short_id on agents (left(id, 8));

-- A version never changes. One without an agent is an ad-hoc config, stored once per workspace, name and content.
create table agent_versions (
  id text primary key,
  agent_id text,
  team_id text not null,
  user_id text not null,
  name text not null default '',
  description text not null default '',
  -- Kept as text: schemas are shown with their properties in the order in which their author wrote them.
  config json not null,
  content_hash text not null default '',
  created_at timestamptz not null default now()
);
create index agent_versions_agent on agent_versions (agent_id, created_at desc, id desc);
create unique index agent_versions_content on agent_versions (team_id, name, content_hash) where agent_id is null;

-- Keys that were written into a tool's settings themselves.
create table agent_version_secrets (
  id text primary key,
  version_id text not null references agent_versions (id) on delete cascade,
  team_id text not null,
  tool text not null,
  value_sealed bytea not null,
  hint text not null default ''
);
create unique index agent_version_secrets_tool on agent_version_secrets (version_id, tool);

create table chats (
  id text primary key,
  team_id text not null,
  user_id text not null,
  visibility text not null default 'private',
  name text not null default '',
  -- False while the name is made of the first message.
  is_named boolean not null default false,
  description text not null default '',
  parent_id text,
  -- The chat at the top; its own id for a chat that has no parent.
  root_id text not null,
  depth smallint not null default 0,
  agent_id text,
  agent_version_id text not null,
  status text not null default 'idle' check (status in ('busy', 'idle', 'awaiting_input', 'completed')),
  active_run_id text,
  agent_data jsonb not null default '{}',
  output jsonb,
  context jsonb not null default '{}',
  channel_context jsonb,
  work_dir text not null default '',
  harness_session_id text not null default '',
  forked_from_message_id text,
  project_id text,
  -- Position of the next message.
  next_order integer not null default 1,
  -- Rises with every change that streams report.
  event_seq bigint not null default 1,
  run_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index chats_team on chats (team_id, created_at desc, id desc) where deleted_at is null;
create index chats_parent on chats (parent_id) where parent_id is not null;
create index chats_short_id on chats (left(id, 8));
create index chats_public on chats (created_at desc, id desc) where visibility = 'public' and deleted_at is null;

create table chat_messages (
  id text primary key,
  chat_id text not null,
  team_id text not null,
  user_id text not null,
  agent_run_id text,
  "order" integer not null,
  status text not null check (status in ('pending', 'queued', 'ready', 'failed', 'cancelled')),
  role text not null,
  content jsonb not null default '[]',
  task_id text,
  tools jsonb,
  -- Why the model said nothing more, and what it used.
  usage jsonb,
  -- Of the chat, when the message last changed.
  event_seq bigint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index chat_messages_order on chat_messages (chat_id, "order");
create index chat_messages_queued on chat_messages (chat_id) where status = 'queued';
create index chat_messages_run on chat_messages (agent_run_id);
create index chat_messages_short_id on chat_messages (left(id, 8));

create table agent_runs (
  id text primary key,
  team_id text not null,
  user_id text not null,
  chat_id text not null,
  agent_id text,
  agent_version_id text not null,
  user_message_id text,
  state text not null check (state in ('submitted', 'working', 'input_required', 'auth_required', 'completed', 'failed',
    'canceled', 'rejected')),
  error text not null default '',
  output jsonb,
  -- What the run is at: see the loop.
  phase text not null,
  turn integer not null default 0,
  -- How often the model turn under way was lost with a machine.
  lost integer not null default 0,
  model_task_id text,
  message_id text,
  -- Texts of hooks that go to the model with the next turns.
  injections jsonb not null default '[]',
  tool_invocation_id text,
  trigger_id text,
  flow_run_id text,
  -- The task that stands for the run in a flow.
  task_id text,
  -- What the credential that started the run may do, and which credential it was.
  run_as jsonb not null,
  started_by jsonb not null default '{}',
  metadata jsonb not null default '{}',
  event_seq bigint not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index agent_runs_chat on agent_runs (chat_id, created_at desc);
create index agent_runs_live on agent_runs (updated_at) where finished_at is null;
create index agent_runs_model_task on agent_runs (model_task_id) where finished_at is null;
create index agent_runs_short_id on agent_runs (left(id, 8));

create table tool_invocations (
  id text primary key,
  team_id text not null,
  user_id text not null,
  chat_id text not null,
  run_id text not null,
  chat_message_id text not null,
  -- The model's own id of the call.
  call_id text not null,
  position integer not null,
  type text not null,
  name text not null,
  display_name text not null default '',
  arguments jsonb not null default '{}',
  status text not null check (status in ('pending', 'in_progress', 'awaiting_input', 'awaiting_approval', 'completed',
    'failed', 'cancelled')),
  execution_id text,
  result text,
  data jsonb,
  widget jsonb,
  -- Of the one-time token with which a webhook tool answers.
  token_hash bytea,
  -- Which rule or person let the call happen, and which credential it used.
  allowed_by jsonb,
  used jsonb,
  explanation jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index tool_invocations_message on tool_invocations (chat_message_id, position);
create index tool_invocations_run on tool_invocations (run_id);
create index tool_invocations_execution on tool_invocations (execution_id) where execution_id is not null;
create index tool_invocations_short_id on tool_invocations (left(id, 8));

create table interrupts (
  id text primary key,
  team_id text not null,
  user_id text not null,
  run_id text not null,
  chat_id text not null,
  reason text not null,
  source text not null default '',
  resource_id text,
  resource_type text,
  status text not null default 'pending' check (status in ('pending', 'resolved', 'expired', 'cancelled')),
  resolution text check (resolution in ('allow', 'deny')),
  resolved_at timestamptz,
  resolved_by text,
  resolved_data jsonb,
  expires_at timestamptz,
  meta jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index interrupts_run on interrupts (run_id);
create index interrupts_pending on interrupts (chat_id) where status = 'pending';
create index interrupts_auth on interrupts (team_id) where status = 'pending' and reason = 'auth';
create index interrupts_short_id on interrupts (left(id, 8));

-- When tools may run without asking, on a chat, an agent or a remote.
create table tool_rules (
  id text primary key,
  team_id text not null,
  level text not null check (level in ('chat', 'agent', 'remote')),
  -- Id of the chat, agent or remote.
  owner_id text not null,
  effect text not null check (effect in ('allow', 'ask', 'deny')),
  kind text not null check (kind in ('Tool', 'RemoteExec', 'MCP')),
  selector text not null,
  specifier text not null default '',
  label text not null default '',
  created_by text not null,
  created_at timestamptz not null default now()
);
create index tool_rules_owner on tool_rules (owner_id, created_at);

-- A handler of an agent's lifecycle event that the run waits for, or that is only told.
create table hook_calls (
  id text primary key,
  team_id text not null,
  run_id text not null,
  chat_id text not null,
  event text not null,
  position integer not null,
  tool_invocation_id text,
  status text not null default 'pending' check (status in ('pending', 'answered')),
  is_waited_for boolean not null,
  data jsonb not null default '{}',
  execution_id text,
  created_at timestamptz not null default now()
);
create index hook_calls_run on hook_calls (run_id) where status = 'pending';
create index hook_calls_execution on hook_calls (execution_id) where execution_id is not null;

-- Requests that a run waits for: calls of http and webhook tools, and webhooks of lifecycle events. Each is taken by one
-- server at a time; one that was sent is not sent again unless the tool says that it may be.
create table agent_errands (
  id text primary key,
  team_id text not null,
  run_id text not null,
  chat_id text not null,
  kind text not null check (kind in ('tool', 'hook')),
  -- Of the tool call or the hook call.
  subject_id text not null,
  sent_at timestamptz,
  available_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index agent_errands_waiting on agent_errands (available_at);
create index agent_errands_run on agent_errands (run_id);

create index tasks_chat on tasks (chat_id) where chat_id is not null;
