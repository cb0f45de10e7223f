-- What an app costs, and what each priced run was accepted for.

-- The store's own word on an app: null is free. Part of the app's row, so that a run learns it with the app.
alter table apps add column pricing jsonb;
-- The version that was submitted to the store.
alter table apps add column submitted_version_id text;

-- Whether the end of the task has to be settled.
alter table tasks add column priced boolean not null default false;

create table run_charges (
  task_id text primary key,
  team_id text not null references teams (id),
  app_id text not null references apps (id),
  -- The workspace that published the app.
  author_team_id text not null,
  -- The price in force when the run was accepted.
  pricing jsonb not null,
  reserved bigint not null,
  -- What it cost in the end; null while it runs.
  total bigint,
  created_at timestamptz not null,
  settled_at timestamptz
);
create index run_charges_open on run_charges (team_id) where settled_at is null;
create index run_charges_settled on run_charges (settled_at);
