-- What the end of a task and the sweep of old history look for.

create index workers_task on workers (task_id) where task_id is not null;

alter table tasks add column history_swept boolean not null default false;
create index tasks_history on tasks (team_id, finished_at) where finished_at is not null and not history_swept;
