-- The queue is looked at by kinds of tasks: what a worker cannot do, it cannot do a hundred thousand times alike, and one look
-- at the first of them is enough. A kind is everything that decides who may take a task, except for the workspace.
alter table tasks add column queue_kind text generated always as (
  infra || '|' || gpu_count::text || '|' || gpu_type || '|' || gpu_vram::text || '|' || ram::text || '|' ||
  case when session_id is null then '' else 's' end || '|' || cardinality(workers)::text || coalesce(workers[1], '')) stored;
create index tasks_queue_kind on tasks (team_id, queue_kind, available_at, created_at) where status = 2 and deleted_at is null;
