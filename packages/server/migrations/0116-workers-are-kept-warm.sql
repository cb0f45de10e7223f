-- For which workspace a worker's process is warm. Changing the workspace means a new process, so a worker is left for a
-- moment to the one that used it last.
alter table workers add column warm_team_id text;
