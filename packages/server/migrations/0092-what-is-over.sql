-- Rows that may go are found without a look at those that stay.
create index tasks_deleted on tasks (team_id, deleted_at) where deleted_at is not null;
create index app_sessions_over on app_sessions (team_id, ended_at) where ended_at is not null;
