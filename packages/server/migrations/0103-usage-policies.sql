-- What a workspace may use: one policy each, set by the operator. A list names what is within reach as `namespace/name`,
-- `namespace/*` or `own`; no list at all leaves everything of the kind within reach.

create table usage_policies (
  id text primary key,
  -- The workspace it was set for; an organization's own workspace stands for all that are attached to it.
  team_id text not null unique references teams (id),
  apps text[],
  agents text[],
  mcps text[],
  knowledge text[],
  flows text[],
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- The policy that holds for a workspace: its own, or its organization's.
alter table teams add column usage_policy_id text references usage_policies (id) on delete set null;
create index teams_usage_policy on teams (usage_policy_id) where usage_policy_id is not null;
