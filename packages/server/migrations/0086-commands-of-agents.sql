-- Which call of an agent a command answers, and whether the agent has been told how it ended.
alter table exec_runs add column tool_invocation_id text;
alter table exec_runs add column told_at timestamptz;
create unique index exec_runs_call on exec_runs (tool_invocation_id) where tool_invocation_id is not null;
create index exec_runs_untold on exec_runs (ended_at)
  where tool_invocation_id is not null and told_at is null and ended_at is not null;
create index exec_runs_of_agents on exec_runs (agent_run_id)
  where agent_run_id is not null and status in ('pending', 'running');
