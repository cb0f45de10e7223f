-- Triggers and the log of their fires.

create table triggers (
  id text primary key,
  team_id text not null references teams (id),
  user_id text not null references users (id),
  visibility text not null default 'team',
  project_id text,
  name text not null,
  type text not null check (type in ('cron', 'webhook', 'scheduled', 'manual')),
  action text not null check (action in ('run_agent', 'run_app', 'run_flow', 'resolve_interrupt')),
  enabled boolean not null,
  -- The target of the action; the other three are null.
  agent_id text,
  app_id text,
  flow_id text,
  interrupt_id text,
  -- Key of a source in the catalogue, webhook triggers only.
  source_key text,
  config jsonb not null default '{}',
  input jsonb not null default '{}',
  input_mapping jsonb not null default '{}',
  filters jsonb not null default '[]',
  scheduled_at timestamptz,
  -- A scheduled trigger has had its one fire; a new time makes it false again.
  one_shot_done boolean not null default false,
  -- When the clock fires it next; null while the clock has nothing to do with it.
  next_fire_at timestamptz,
  -- What the credential that set it up may do; every run it starts is held to it.
  run_as jsonb not null,
  -- Rises with every change of the settings, so that a remembered trigger can be told from the present one.
  revision integer not null default 1,
  last_fired_at timestamptz,
  fire_count bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index triggers_team on triggers (team_id, created_at desc, id desc);
create index triggers_short_id on triggers (left(id, 8));
create index triggers_due on triggers (next_fire_at) where next_fire_at is not null;

-- Written in great numbers: what the rows refer to is checked by the statement that writes them, and they outlive it.
create table trigger_fires (
  -- Byte order lets the primary key find short ids too.
  id text collate "C" primary key,
  trigger_id text not null,
  team_id text not null,
  -- pending: accepted, not dispatched yet; not shown.
  status text not null check (status in ('pending', 'success', 'error', 'filtered')),
  kind text not null check (kind in ('hook', 'tick', 'manual')),
  -- As text, not jsonb: kept as the sender wrote it.
  payload json,
  -- The whole payload while the fire waits, where the log keeps only its size.
  whole_payload json,
  error text not null default '',
  duration_ms integer not null default 0,
  chat_id text,
  task_id text,
  flow_run_id text,
  -- What makes another delivery the same one; forgotten when the time for that is over and the id comes again.
  delivery_id text,
  duplicates integer not null default 0,
  attempts integer not null default 0,
  available_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index trigger_fires_delivery on trigger_fires (trigger_id, delivery_id) where delivery_id is not null;
create index trigger_fires_pending on trigger_fires (available_at) where status = 'pending';
create index trigger_fires_team on trigger_fires (team_id, created_at desc, id desc);
create index trigger_fires_trigger on trigger_fires (trigger_id, created_at desc, id desc);
