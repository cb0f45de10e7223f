-- Machines that workspaces rent. Every step that involves the provider is a row first, so that a server that dies between
-- two steps leaves behind what the next one needs to finish it or take it back.

create table instances (
  id text primary key,
  engine_id text not null unique references engines (id),
  team_id text not null references teams (id),
  user_id text not null,
  cloud text not null,
  kind text not null check (kind in ('http', 'local')),
  -- For kind local: the data folder whose server started it, and alone can see it.
  host text not null default '',
  name text not null,
  region text not null,
  catalog_instance_type text not null,
  cloud_instance_type text not null,
  rental_type text not null check (rental_type in ('on_demand', 'spot')),
  -- Cents.
  hourly_price integer not null,
  configuration jsonb not null,
  cloud_assigned_id text not null default '',
  ip text not null default '',
  ssh_user text not null default '',
  ssh_port integer not null default 0,
  status text not null
    check (status in ('creating', 'pending_provider', 'pending', 'active', 'error', 'deleting', 'deleted')),
  end_time timestamptz not null,
  -- Microcents, with every extension.
  paid bigint not null,
  debit_id text not null,
  -- What the machine's engine signs in with; gone with the rental.
  api_key_sealed bytea,
  -- While it is being launched: until when its launcher is believed to live.
  launch_until timestamptz,
  -- When the provider is asked next: how a live machine is, or to take an ended one away.
  next_look_at timestamptz not null,
  failures integer not null default 0,
  -- How often the provider must agree that it is gone: twice where a launch may still have been on its way.
  removals_left integer not null default 1,
  interruption_at timestamptz,
  -- Since when it is paid for no longer.
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create index instances_due on instances (next_look_at) where status <> 'deleted';
create index instances_ending on instances (end_time) where ended_at is null;
create index instances_cloud on instances (cloud) where status <> 'deleted';
create index instances_team on instances (team_id) where ended_at is null;
