-- The index of waiting tasks by time is for questions about all of them. Its last condition holds for every row, and is what
-- such a question says besides: otherwise the planner takes this index to look for tasks of one kind too, and walks all others.
drop index tasks_queue;
create index tasks_queue on tasks (available_at, created_at) where status = 2 and deleted_at is null and queue_kind <> '';
