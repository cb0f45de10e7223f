-- How many tasks of a workspace were executed in a month: the entitlement task_executions.
create table task_execution_counts (
  team_id text not null references teams (id),
  -- YYYY-MM-DD in UTC: the first day of the month.
  month text not null,
  count bigint not null check (count > 0),
  primary key (team_id, month)
) with (fillfactor = 50);
create index task_execution_counts_old on task_execution_counts (month);
