-- A fire is in the log once its dispatch has ended. Until then the indexes of the log need not know it: a webhook waits
-- for its row to be written, and each index that the row goes into is part of that wait.
drop index trigger_fires_team;
drop index trigger_fires_trigger;
create index trigger_fires_team on trigger_fires (team_id, created_at desc, id desc) where status <> 'pending';
create index trigger_fires_trigger on trigger_fires (trigger_id, created_at desc, id desc) where status <> 'pending';
