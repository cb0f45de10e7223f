-- Plans: named sets of limits. A workspace has the default plan until the operator gives it another; add-ons come on top.
create table plans (
  id text primary key,
  name text not null unique,
  description text not null default '',
  display_order integer not null default 0,
  active boolean not null default true,
  self_serve boolean not null default false,
  plan_type text not null check (plan_type in ('base', 'addon')),
  is_default boolean not null default false,
  credits_monthly bigint not null default 0,
  stackable boolean not null default false,
  -- Resource to {type, label?, unit?, enabled?, unlimited?, limit?, enforcement?}. What a plan does not mention is as in
  -- the default plan; what that does not mention is unlimited.
  limits jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index plans_default on plans (is_default) where is_default;

create table team_plans (
  id text primary key,
  team_id text not null references teams (id),
  plan_id text not null references plans (id),
  expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index team_plans_team on team_plans (team_id);

insert into plans (id, name, description, plan_type, is_default, limits)
select '5e1fh05tedp1an000000000000', 'self-hosted', 'Everything, without limits', 'base', true,
  jsonb_object_agg(resource, jsonb_build_object('type', 'limit', 'enabled', true, 'unlimited', true, 'limit', 0, 'enforcement', 'block'))
  || jsonb_build_object(
    'retention_days', jsonb_build_object('type', 'limit', 'enabled', true, 'unlimited', false, 'limit', 90, 'enforcement', 'block'),
    'feature:byok', jsonb_build_object('type', 'boolean', 'enabled', true, 'unlimited', true, 'limit', 0, 'enforcement', 'block'))
from unnest(array['api_keys', 'connectors', 'knowledge_bases', 'storage_mb', 'concurrency', 'rate_per_min', 'seats',
  'triggers', 'private_apps', 'task_executions']) as resource;
